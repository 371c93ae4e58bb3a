// Inputs from JSON Schema alone: of an action's options, and of the fields of an answer. Knows no game.
import { h } from "./dom.js";
import { isBlank } from "./draft.js";
import { percent, t } from "./words.js";

// `values` is changed in place; `changed(whole)` is told. `table` gives people and items, `actor` whose items.
export function fields(schema, values, { table, actor, key, changed, faults = new Map(), at = "/options" }) {
  const required = new Set(schema.required ?? []);
  const made = Object.entries(schema.properties ?? {})
    .filter(([, one]) => !one["x-gm"] || table.isGm)
    .map(([name, one]) =>
      field(one, values[name], (value, whole = false) => {
        if (isBlank(value)) delete values[name]; else values[name] = value;
        changed(whole);
      }, { table, actor, key: `${key}.${name}`, required: required.has(name), fault: faults.get(`${at}/${name}`) }),
    );
  const barred = Object.entries(schema["x-unavailable"] ?? {}).map(([name, reasons]) =>
    h("p", { class: "barred" }, `${schema["x-names"]?.[name] ?? name}: ${reasons.map((one) => one.message).join(" ")}`));
  return [...made, ...barred];
}

const kindOf = (schema) => schema["x-type"] ?? schema.format ?? schema.type;

function choices(schema, names = schema["x-names"] ?? {}) {
  const listed = schema.oneOf?.map((one) => [one.const, one.title ?? one.const]) ?? schema.enum?.map((one) => [one, names[one] ?? one]);
  return listed ?? [];
}

function field(schema, value, set, { table, actor, key, required, fault }) {
  const kind = kindOf(schema);
  const items = kindOf(schema.items ?? {});
  const title = schema.title ?? key;
  const hint = schema["x-chance"] === undefined ? "" : percent(schema["x-chance"]);
  const frame = { key, title, required, fault, hint };
  if (kind === "combatant" || kind === "item" || choices(schema).length) {
    const known = kind === "combatant" ? people(table, schema) : kind === "item" ? things(table, actor, schema) : choices(schema);
    return choice(frame, known, value, set, schema);
  }
  if (kind === "bool" || kind === "boolean") {
    return labelled(frame, (id) => select(id, key, [["", "—"], ["true", t("yes")], ["false", t("no")]], value === undefined ? "" : String(value), (text) => set(text === "" ? undefined : text === "true", true)));
  }
  if (kind === "integer" || kind === "number" || kind === "length") return labelled(frame, (id) => numeric(id, key, schema, value, set));
  if (schema.type === "array" && (kind === "combatants" || items === "combatant")) return many(frame, people(table, schema.items ?? {}), value, set);
  if (schema.type === "array" && choices(schema.items ?? {}).length) return many(frame, choices(schema.items, schema["x-names"]), value, set);
  if (schema.type === "array" && schema.items?.type === "integer") {
    return labelled(frame, (id) => line(id, key, (value ?? []).join(", "), (text) => set(text.split(/[^\d-]+/).filter(Boolean).map(Number)), { inputmode: "numeric" }));
  }
  if (schema.type === "array" && schema.items?.type === "array") return labelled({ ...frame, hint: t("points_hint") }, (id) => line(id, key, written(value), (text) => set(points(text))));
  if (schema.type === "array") return labelled(frame, (id) => line(id, key, (value ?? []).join(", "), (text) => set(text.split(",").map((one) => one.trim()).filter(Boolean))));
  if (schema.type === "object") return shares(frame, schema, value, set);
  const suggested = suggestions(table, actor, schema);
  // The ways of a weapon are all there are; a list of the ruleset may not be.
  if (schema["x-of"] === "modes" && suggested.length) return choice(frame, suggested, value, set, schema);
  return labelled(frame, (id) => line(id, key, value ?? "", set, { maxlength: schema.maxLength, list: suggested.length ? `${id}-list` : null }), suggested);
}

export const written = (path) => (path ?? []).map((one) => one.join(" ")).join("; ");
export function points(text) {
  return text.split(";").map((one) => one.trim().split(/[\s,]+/).filter(Boolean).map(Number)).filter((one) => one.length === 2 && one.every(Number.isFinite));
}

// A word that only the actor's own sheet or the ruleset's lists can tell: the schema says which list.
function suggestions(table, actor, schema) {
  const list = schema["x-of"];
  if (list === "modes") return (table.body(actor)?.items[table.draft?.weapon]?.modes ?? []).map((one) => [one.id, one.name]);
  return list ? [...(table.named[list] ?? [])] : [];
}

function people(table, schema) {
  const allowed = schema.enum ? new Set(schema.enum) : null;
  return table.view.combatants.filter((one) => !allowed || allowed.has(one.id)).map((one) => [one.id, one.name]);
}

function things(table, actor, schema) {
  const allowed = schema.enum ? new Set(schema.enum) : null;
  return Object.entries(table.body(actor)?.items ?? {}).filter(([id]) => !allowed || allowed.has(id)).map(([id, one]) => [id, one.name]);
}

function choice(frame, known, value, set, schema) {
  const odds = schema["x-chances"] ?? {};
  const barred = schema["x-unavailable"] ?? {};
  const told = known.map(([id, name]) => [id, odds[id] === undefined ? name : `${name} (${percent(odds[id])})`]);
  const names = schema["x-names"] ?? {};
  const off = Object.entries(barred).map(([id, reasons]) => [id, `${names[id] ?? id.replaceAll("_", " ")}: ${reasons.map((one) => one.message).join(" ")}`, true]);
  return labelled(frame, (id) => select(id, frame.key, [["", "—"], ...told, ...off], value ?? "", (text) => set(text, true)));
}

function many({ key, title, required, fault }, known, value, set) {
  const chosen = new Set(value ?? []);
  const toggle = (id, on) => { if (on) chosen.add(id); else chosen.delete(id); set([...chosen]); };
  return h("fieldset", { class: "many" }, h("legend", {}, title, required ? h("span", { class: "must" }, ` ${t("required")}`) : null),
    known.map(([id, name]) => h("label", { class: "tick" },
      h("input", { type: "checkbox", checked: chosen.has(id), "data-key": `${key}.${id}`, onchange: (event) => toggle(id, event.target.checked) }), name)),
    fault ? h("p", { class: "fault" }, fault) : null);
}

function shares({ key, title, fault }, schema, value, set) {
  const given = { ...(value ?? {}) };
  const total = schema["x-total"];
  const named = (id, one) => one.title ?? schema["x-names"]?.[id] ?? id;
  return h("fieldset", { class: "many" }, h("legend", {}, title, total === undefined ? "" : ` (${t("total", { total })})`),
    Object.entries(schema.properties ?? {}).map(([id, one]) => labelled({ key: `${key}.${id}`, title: named(id, one) }, (label) =>
      numeric(label, `${key}.${id}`, one, given[id], (amount) => { if (amount === undefined) delete given[id]; else given[id] = amount; set({ ...given }); }))),
    fault ? h("p", { class: "fault" }, fault) : null);
}

// One input with its label, what is wrong with it, and a hint.
export function labelled({ key, title, required, fault, hint }, input, list = []) {
  const id = `f-${key.replace(/[^\w-]/g, "-")}`;
  const made = input(id);
  if (fault) { made.setAttribute("aria-invalid", "true"); made.setAttribute("aria-describedby", `${id}-fault`); }
  if (required) made.setAttribute("aria-required", "true");
  return h("div", { class: "field" },
    h("label", { for: id }, title, required ? h("span", { class: "must" }, ` ${t("required")}`) : null, hint ? h("span", { class: "hint" }, ` ${hint}`) : null),
    made,
    list.length ? h("datalist", { id: `${id}-list` }, list.map(([value, name]) => h("option", { value }, name))) : null,
    fault ? h("p", { class: "fault", id: `${id}-fault` }, fault) : null);
}

export function select(id, key, known, value, set) {
  return h("select", { id, "data-key": key, value, onchange: (event) => set(event.target.value) },
    known.map(([one, name, off]) => h("option", { value: one, disabled: off ?? false }, name)));
}

export function line(id, key, value, set, more = {}) {
  return h("input", { id, type: "text", "data-key": key, value, autocomplete: "off", oninput: (event) => set(event.target.value), ...more });
}

export function numeric(id, key, schema, value, set) {
  const whole = kindOf(schema) === "integer" || schema.type === "integer";
  return h("input", { id, type: "number", "data-key": key, value: value ?? "", min: schema.minimum, max: schema.maximum,
    step: whole ? 1 : "any", inputmode: whole ? "numeric" : "decimal",
    oninput: (event) => set(event.target.value === "" ? undefined : Number(event.target.value)) });
}
