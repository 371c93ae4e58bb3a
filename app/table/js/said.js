// Where there is no map: what the submission states itself. The fields are the API's; shown are those that are missing, and any that is picked.
import { h } from "./dom.js";
import { labelled, numeric, select } from "./form.js";
import { t } from "./words.js";

const FIELDS = {
  distance: "each:length", sees: "each:bool", cover: "each:cover", bands: "each:band",
  length: "length", path_straight: "bool", straight_end: "length", units_free: "length", destination_free: "bool", beside_free: "bool",
  distance_after: "each:length", met: "people", leaves: "people", engage: "people", near: "people", inside: "people", crosses: "areas", crosses_at: "areas:length",
};
const COVERS = { none: { hidden: 0 }, half: { hidden: 50 }, most: { hidden: 75 } };

export function said(table, faults) {
  const { draft } = table;
  const wanted = new Map();
  const want = (reason) => {
    const [, name] = /^\/said\/(\w+)/.exec(reason.at ?? "") ?? [];
    if (name in FIELDS) wanted.set(name, new Set([...(wanted.get(name) ?? []), ...(reason.names ?? [])]));
  };
  (table.preview?.reasons ?? []).forEach(want);
  for (const one of table.listed(draft.action)?.targets ?? []) if (draft.targets.includes(one.id)) (one.missing ?? []).forEach(want);
  for (const name of wanted.keys()) if (!draft.shown.includes(name)) draft.shown.push(name);
  const rest = Object.keys(FIELDS).filter((name) => !draft.shown.includes(name) && (name !== "bands" || table.rules.bands.length));
  const missing = new Set(wanted.keys());
  return h("fieldset", { class: "many said" }, h("legend", {}, t("stated")),
    draft.shown.map((name) => input(table, name, wanted.get(name) ?? new Set(), missing.has(name) ? faults.get(`/said/${name}`) : undefined)),
    labelled({ key: "said-more", title: t("state_more") }, (id) => select(id, "said-more", [["", "—"], ...rest.map((name) => [name, t(`said_${name}`)])], "", (name) => { if (name) draft.shown.push(name); table.edited(); })));
}

function input(table, name, asked, fault) {
  const [form, kind] = FIELDS[name].split(":");
  const { said: values } = table.draft;
  const key = `said.${name}`;
  const title = t(`said_${name}`);
  const set = (value, whole) => { if (value === undefined) delete values[name]; else values[name] = value; table.edited(whole); };
  if (form === "length") return labelled({ key, title: `${title} (${table.rules.unit_name})`, fault }, (id) => numeric(id, key, { type: "number", minimum: 0 }, values[name], (value) => set(value, false)));
  if (form === "bool") return labelled({ key, title, fault }, (id) => yesNo(id, key, values[name], (value) => set(value, true)));
  const others = table.view.combatants.filter((one) => one.id !== table.actor && one.status !== "gone");
  if (form === "people") return ticks(table, name, title, others.map((one) => [one.id, one.name]), values, fault);
  if (form === "areas") {
    const areas = table.view.combatants.flatMap((body) => body.effects.filter((one) => one.area?.id).map((one) => [one.area.id, `${body.name}: ${one.name}`]));
    if (!kind) return ticks(table, name, title, areas, values, fault);
    return each(table, name, title, areas, kind, fault);
  }
  // Of whom: those it is missing of and whom the action is aimed at; of new distances everybody.
  const about = name === "distance_after" ? others : others.filter((one) => asked.has(one.id) || table.draft.targets.includes(one.id) || (values[name] ?? {})[one.id] !== undefined);
  return each(table, name, title, (about.length ? about : others).map((one) => [one.id, one.name]), kind, fault);
}

function ticks(table, name, title, known, values, fault) {
  const chosen = new Set(values[name] ?? []);
  const none = `said.${name}.none`;
  // An empty list says that there is none: that is an answer, and not the same as silence.
  return h("fieldset", { class: "many" }, h("legend", {}, title),
    known.map(([id, text]) => h("label", { class: "tick" }, h("input", { type: "checkbox", "data-key": `said.${name}.${id}`, checked: chosen.has(id), onchange: (event) => { if (event.target.checked) chosen.add(id); else chosen.delete(id); values[name] = [...chosen]; table.edited(); } }), text)),
    h("label", { class: "tick" }, h("input", { type: "checkbox", "data-key": none, checked: Array.isArray(values[name]) && !values[name].length, onchange: (event) => { if (event.target.checked) values[name] = []; else delete values[name]; table.edited(); } }), t("nobody_said")),
    fault ? h("p", { class: "fault" }, fault) : null);
}

function each(table, name, title, known, kind, fault) {
  const values = (table.draft.said[name] ??= {});
  const set = (id, whole) => (value) => { if (value === undefined) delete values[id]; else values[id] = value; table.edited(whole); };
  const one = ([id, text]) => {
    const key = `said.${name}.${id}`;
    if (kind === "length") return labelled({ key, title: text }, (label) => numeric(label, key, { type: "number", minimum: 0 }, values[id], set(id, false)));
    if (kind === "bool") return labelled({ key, title: text }, (label) => yesNo(label, key, values[id], set(id, true)));
    if (kind === "band") return labelled({ key, title: text }, (label) => select(label, key, [["", "—"], ...table.rules.bands.map((band) => [band.id, band.name])], values[id] ?? "", (value) => set(id, true)(value || undefined)));
    const shown = Object.keys(COVERS).find((word) => COVERS[word].hidden === values[id]?.hidden) ?? "";
    return labelled({ key, title: text }, (label) => select(label, key, [["", "—"], ...Object.keys(COVERS).map((word) => [word, t(`cover_${word}`)])], shown, (value) => set(id, true)(value ? COVERS[value] : undefined)));
  };
  return h("fieldset", { class: "many" }, h("legend", {}, kind === "length" ? `${title} (${table.rules.unit_name})` : title), known.map(one), fault ? h("p", { class: "fault" }, fault) : null);
}

export const yesNo = (id, key, value, set) => select(id, key, [["", "—"], ["true", t("yes")], ["false", t("no")]], value === undefined ? "" : String(value), (text) => set(text === "" ? undefined : text === "true"));
