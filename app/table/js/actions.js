// Who may do what now: every action with its price and best chance, those that are barred with why; and the form of one.
import { draw, h } from "./dom.js";
import { clauseButton, reasons } from "./clauses.js";
import { fields, labelled, line, numeric, points, select, written } from "./form.js";
import { said } from "./said.js";
import { isBlank } from "./draft.js";
import { knows, number, percent, t } from "./words.js";

const COMPASS = [0, 45, 90, 135, 180, 225, 270, 315];
const POINTERS = { "/area/centre": "area", "/destination": "path" };

export class ActionsPanel {
  constructor(root, table) {
    this.root = root;
    this.table = table;
    this.result = h("div", { class: "preview", "aria-live": "polite" });
  }

  draw() {
    const { table } = this;
    const actor = table.body(table.actor);
    this.root.hidden = !actor || table.view.status === "ended";
    if (this.root.hidden) return draw(this.root);
    if (table.draft && !table.listed(table.draft.action)) table.close();
    draw(this.root, this.heading(actor), table.view.status === "setup" ? h("p", {}, t("not_begun")) : table.draft ? this.composer(actor) : this.choices());
    if (table.draft) this.drawPreview();
  }

  heading(actor) {
    const { table } = this;
    const mine = table.mine();
    const who = mine.length > 1
      ? h("select", { id: "actor", "data-key": "actor", value: actor.id, "aria-label": t("act_for"), onchange: (event) => table.choose(event.target.value) }, mine.map((one) => h("option", { value: one.id }, one.name)))
      : h("strong", {}, actor.name);
    const end = actor.is_turn && table.view.status === "running";
    return h("div", { class: "bar" }, h("h2", { id: "act-title", tabindex: -1, "data-focus": table.draft ? null : "" }, t("act")), who, h("span", { class: "push" }),
      end ? h("button", { type: "button", class: "small", "data-key": "end-turn", disabled: table.busy || table.view.waiting, onclick: () => table.endTurn(actor.id) }, t("end_turn")) : null);
  }

  choices() {
    const { table } = this;
    if (!table.list) return h("p", {}, t("loading"));
    const open = table.list.filter((one) => one.available);
    const barred = table.list.filter((one) => !one.available);
    const shared = open.length ? null : sharedReason(barred);
    if (shared) return [h("p", { class: "barred" }, shared.message), h("details", { "data-key": "barred" }, h("summary", { "data-key": "sum.barred" }, t("all_actions", { count: barred.length })), h("ul", { class: "barred-list" }, barred.map((one) => h("li", {}, one.name))))];
    return [
      open.length ? h("ul", { class: "actions" }, open.map((one) => h("li", {}, this.button(one)))) : h("p", {}, t("nothing_possible")),
      barred.length ? h("details", { "data-key": "barred" }, h("summary", { "data-key": "sum.barred" }, t("barred", { count: barred.length })),
        h("ul", { class: "barred-list" }, barred.map((one) => h("li", {}, h("strong", {}, one.name), reasons(table, one.reasons))))) : null,
    ];
  }

  button(one) {
    const aims = one.targets.filter((target) => target.available);
    const best = Math.max(...aims.filter((target) => target.relation === aims[0].relation && target.chance !== undefined).map((target) => target.chance));
    const cost = this.cost(one.cost);
    return h("button", { type: "button", class: "action", "data-key": `action.${one.id}`, "data-action": one.id, onclick: () => this.table.compose(one.id) },
      h("span", {}, one.name), h("span", { class: "hint" }, [Number.isFinite(best) ? percent(best) : "", one.extent === null ? "" : this.length(one.extent), cost].filter(Boolean).join(" · ")));
  }

  length(far) { return t("far_up_to", { length: number(far), unit: this.table.rules.unit_name }); }

  cost(list) { return this.table.price(this.table.actor, list); }

  // The form of one action

  composer(actor) {
    const { table } = this;
    const { draft } = table;
    const listed = table.listed(draft.action);
    const info = table.actions.get(draft.action);
    const faults = this.faults();
    const parts = { listed, info, faults, actor };
    const [main, more] = this.parts(parts);
    return h("form", { class: "composer", "aria-labelledby": "compose-title", onsubmit: (event) => { event.preventDefault(); table.submit(); } },
      h("div", { class: "bar" }, h("h3", { id: "compose-title", tabindex: -1, "data-focus": "" }, listed.name), h("span", { class: "push" }),
        h("button", { type: "button", class: "small", "data-key": "back", onclick: () => { table.close(); table.changed(); } }, t("back"))),
      h("div", { class: "bar" }, info.clauses.slice(0, 6).map((one) => clauseButton(table, one))),
      listed.available ? null : reasons(table, listed.reasons),
      main, this.result,
      h("button", { type: "submit", class: "main", "data-key": "submit", disabled: table.busy }, t("do_it")),
      h("details", { "data-key": "more", class: "more" }, h("summary", { "data-key": "sum.more" }, t("more")), more, this.modifiers()));
  }

  // What nearly always has to be said stands first; the rest is there for whoever looks for it, or once it is missing.
  parts(parts) {
    const { table } = this;
    const { draft } = table;
    const { info, faults, actor } = parts;
    const alone = !info.targets.max;
    const shows = (at, value) => !isBlank(value) || [...faults.keys()].some((one) => one === at || one.startsWith(`${at}/`));
    const first = [
      [true, this.ways(parts)], [true, this.targets(parts)], [true, this.weapons(parts)],
      [alone || info.tags.some((one) => one.id === "movement") || shows("/path", draft.path) || shows("/destination", []), this.path(parts)],
      [(alone && !info.needs.includes("path")) || shows("/facing", draft.facing), this.facing(parts)],
      [alone || shows("/area", draft.area.kind), this.area(parts)],
      [shows("/location", draft.location), this.location(parts)],
    ];
    const required = new Set(info.form.required ?? []);
    const some = (names) => fields({ ...info.form, properties: Object.fromEntries(names.map((name) => [name, info.form.properties[name]])) }, draft.options, { table, actor: actor.id, key: "options", changed: (whole) => table.edited(whole), faults });
    const names = Object.keys(info.form.properties);
    const isFirst = (name) => required.has(name) || shows(`/options/${name}`, draft.options[name]);
    return [
      [first.filter(([here]) => here).map(([, one]) => one), some(names.filter(isFirst)), table.view.space.mode === "stated" ? said(table, faults) : null],
      [first.filter(([here]) => !here).map(([, one]) => one), some(names.filter((name) => !isFirst(name)))],
    ];
  }

  // What the last preview found missing, by the place of the field.
  faults() {
    const found = new Map();
    for (const one of this.table.preview?.reasons ?? []) if (one.at && !found.has(one.at)) found.set(one.at, one.code === "missing_input" ? t("required") : one.message);
    return found;
  }

  ways({ listed }) {
    const { table } = this;
    if (listed.types.length < 2) return null;
    const known = listed.types.map((one) => [one.type === listed.default_type ? "" : one.type, `${one.name} (${[one.extent === null ? "" : this.length(one.extent), this.cost(one.cost)].filter(Boolean).join(", ")})`, !one.available]);
    return labelled({ key: "type", title: t("way") }, (id) => select(id, "type", known, table.draft.type, (value) => { table.draft.type = value; table.edited(); }));
  }

  targets({ listed, info, faults }) {
    const { table } = this;
    const { draft } = table;
    if (!info.targets.max || !listed.targets.length) return null;
    const one = info.targets.max === 1;
    const entry = (target) => {
      const body = table.body(target.id);
      if (!body) return null;
      const needed = [...new Set((target.missing ?? []).filter((why) => why.at !== "/weapon" || !draft.weapon).map((why) => this.fieldName(why.at, info) ?? why.message))];
      const notes = [target.chance === undefined ? "" : percent(target.chance), ...(target.reasons ?? []).map((why) => why.message), needed.length ? t("needs", { what: needed.join(", ") }) : ""];
      return h("label", { class: `tick ${target.available ? "" : "off"}` },
        h("input", { type: "checkbox", name: "target", "data-key": `target.${target.id}`, "data-target": target.id, checked: draft.targets.includes(target.id), disabled: !target.available && !draft.targets.includes(target.id), onchange: () => table.toggle(target.id) }),
        h("span", {}, body.name, h("span", { class: "side-name" }, ` ${body.side}`)), h("span", { class: "hint push" }, notes.filter(Boolean).join(" ")));
    };
    const open = listed.targets.filter((target) => target.available);
    const closed = listed.targets.filter((target) => !target.available);
    const fault = faults.get("/targets") ?? faults.get("/targets/0");
    return h("fieldset", { class: "many" }, h("legend", {}, one ? t("target") : t("targets", { most: info.targets.max })),
      open.map(entry), closed.length ? h("details", { "data-key": "off-targets" }, h("summary", { "data-key": "sum.off-targets" }, t("not_these", { count: closed.length })), closed.map(entry)) : null,
      fault ? h("p", { class: "fault" }, fault) : null);
  }

  fieldName(at, info) {
    const [, part, name] = /^\/(\w+)(?:\/(\w+))?/.exec(at ?? "") ?? [];
    if (part === "said" && knows(`said_${name}`)) return t(`said_${name}`);
    if (part === "options") return info.form.properties[name]?.title ?? null;
    return part && knows(part) ? t(part) : null;
  }

  weapons({ listed, info, faults, actor }) {
    const { table } = this;
    const { draft } = table;
    if (!info.weapons.kinds.length) return null;
    const known = [["", "—"], ...listed.weapons.map((id) => [id, heldName(actor.items[id], id)])];
    const made = [labelled({ key: "weapon", title: t("weapon"), fault: faults.get("/weapon") }, (id) => select(id, "weapon", known, draft.weapon, (value) => { draft.weapon = value; table.edited(); }))];
    if (info.weapons.second && listed.weapons.length > 1) made.push(labelled({ key: "second", title: t("second_weapon"), fault: faults.get("/second_weapon") }, (id) => select(id, "second", known, draft.second_weapon, (value) => { draft.second_weapon = value; table.edited(); })));
    return made;
  }

  picker(field, text = t("pick_on_map")) {
    const { table } = this;
    const on = table.pick === field;
    return h("button", { type: "button", class: "small", "data-key": `pick.${field}`, "aria-pressed": String(on), onclick: () => { table.pick = on ? null : field; table.changed(); if (!on) document.querySelector("svg.map")?.focus(); } }, text);
  }

  get isMap() { return this.table.view.space.mode === "map"; }

  path({ info, faults }) {
    const { table } = this;
    if (!info.needs.includes("path") || !this.isMap) return null;
    return h("div", { class: "row" },
      labelled({ key: "path", title: t("path"), hint: t("points_hint"), fault: faults.get("/path") ?? faults.get("/destination") }, (id) => line(id, "path", written(table.draft.path), (text) => { table.draft.path = points(text); table.edited(false); }, { inputmode: "text" })),
      this.picker("path"), table.draft.path.length ? h("button", { type: "button", class: "small", "data-key": "path-clear", onclick: () => { table.draft.path = []; table.edited(); } }, t("clear")) : null);
  }

  facing({ info, faults }) {
    const { table } = this;
    if (!info.needs.includes("facing")) return null;
    return h("div", { class: "row" }, degrees("facing", t("facing"), table.draft.facing, (value) => { table.draft.facing = value; table.edited(); }, faults.get("/facing")), this.isMap ? this.picker("facing", t("point_on_map")) : null);
  }

  area({ info, faults }) {
    const { table } = this;
    const { area } = table.draft;
    if (!info.needs.includes("area") && !info.targets.or_place) return null;
    const change = (name) => (value) => { area[name] = value === undefined ? "" : value; table.edited(name === "kind"); };
    const kinds = [["", "—"], ["sector", t("area_sector")], ["polygon", t("area_polygon")]];
    const number_ = (name, schema = {}) => labelled({ key: `area.${name}`, title: t(`area_${name}`), fault: faults.get(`/area/${name}`) }, (id) => numeric(id, `area.${name}`, { type: "number", ...schema }, area[name], change(name)));
    return h("fieldset", { class: "many" }, h("legend", {}, t("area")),
      labelled({ key: "area.kind", title: t("area_kind"), fault: faults.get("/area") }, (id) => select(id, "area.kind", kinds, area.kind, change("kind"))),
      area.kind === "sector" ? h("div", { class: "row" }, number_("x"), number_("y"), this.isMap ? this.picker("area") : null, number_("reach", { minimum: 0 }),
        degrees("area.facing", t("area_facing"), area.facing, change("facing")), number_("arc", { type: "integer", minimum: 1, maximum: 360 })) : null,
      area.kind === "polygon" ? h("div", { class: "row" }, labelled({ key: "area.points", title: t("area_points"), hint: t("points_hint") }, (id) => line(id, "area.points", written(area.points), (text) => { area.points = points(text); table.edited(false); })), this.isMap ? this.picker("corners") : null) : null);
  }

  location({ info, faults }) {
    const { table } = this;
    if (!info.needs.includes("location")) return null;
    const known = [["", "—"], ...table.rules.locations.map((one) => [one.id, one.name])];
    return labelled({ key: "location", title: t("location"), fault: faults.get("/location") }, (id) => select(id, "location", known, table.draft.location, (value) => { table.draft.location = value; table.edited(); }));
  }

  modifiers() {
    const { table } = this;
    const { draft } = table;
    return h("details", { "data-key": "modifiers", class: "modifiers" }, h("summary", { "data-key": "sum.modifiers" }, t("circumstances")),
      table.rules.modifiers.map((one) => h("label", { class: "tick" }, h("input", { type: "checkbox", "data-key": `modifier.${one.id}`, checked: draft.modifiers[one.id] ?? false, onchange: (event) => { draft.modifiers[one.id] = event.target.checked; table.edited(); } }), one.name, " ", clauseButton(table, one.clause))),
      table.isGm ? h("div", { class: "row" },
        labelled({ key: "gm.value", title: t("gm_modifier") }, (id) => numeric(id, "gm.value", { type: "integer" }, draft.gm.value, (value) => { draft.gm.value = value ?? ""; table.edited(false); })),
        labelled({ key: "gm.reason", title: t("reason") }, (id) => line(id, "gm.reason", draft.gm.reason, (value) => { draft.gm.reason = value; table.edited(false); }))) : null,
      labelled({ key: "note", title: t("note") }, (id) => line(id, "note", draft.note, (value) => { draft.note = value; }, { maxlength: 1000 })));
  }

  // What would come of it

  drawPreview() {
    const { table } = this;
    const found = table.preview;
    const isOpen = found && !found.legal && found.reasons.every((one) => one.to_fill_in);
    this.result.dataset.state = found ? (found.legal ? "legal" : isOpen ? "open" : "barred") : "asking";
    if (!found) return draw(this.result, h("p", { class: "hint" }, t("asking")));
    if (!found.legal) {
      const info = table.actions.get(table.draft.action);
      // What is only missing is named as the field it belongs in; the rule's own words stand for what is refused.
      const told = (one) => (isOpen && one.code === "missing_input" && this.fieldName(one.at, info)) || one.message;
      return draw(this.result, h("h4", {}, t(isOpen ? "still_needed" : "not_so")), h("ul", { class: "reasons" }, found.reasons.map((one) => h("li", {}, told(one), names(table, one), " ", clauseButton(table, one.clause), " ", this.where(one)))));
    }
    const who = (id) => table.body(id)?.name ?? "?";
    draw(this.result,
      found.checks.map((one) => h("div", { class: "check" },
        h("div", { class: "bar" }, h("strong", {}, `${who(one.combatant)}: ${one.purpose_name}`), h("span", { class: "push chance" }, one.chance === undefined ? "" : percent(one.chance))),
        h("p", { class: "hint" }, one.target === undefined ? `${one.name}: ` : `${one.name} ${number(one.terms.reduce((sum, term) => sum + term.value, 0))} = `, one.terms.map((term, place) => `${place ? (term.value < 0 ? " − " : " + ") : term.value < 0 ? "−" : ""}${term.name} ${number(Math.abs(term.value))}`).join("")))),
      found.defence.map((one) => h("p", {}, t("would_react", { who: who(one.combatant), option: one.name }), one.chance === null || one.chance === undefined ? "" : ` ${percent(one.chance)}`)),
      found.hits ? h("p", {}, t("hits"), ": ", Object.entries(found.hits).map(([count, chance]) => `${count}: ${percent(chance)}`).join(" · ")) : null,
      found.damage ? h("p", {}, t("damage_mean", { mean: number(found.damage.mean) }), found.damage.drops ? ` · ${t("drops", { chance: percent(found.damage.drops) })}` : "", Object.keys(found.damage.at_least).length ? h("span", { class: "hint" }, ` ${spread(found.damage.at_least)}`) : null) : null,
      found.checks.length || found.hits ? null : h("p", {}, t("allowed")));
  }

  // A way from the reason to the field that it is about.
  where(one) {
    const at = POINTERS[one.at] ?? one.at?.replace(/^\/options\//, "options.").replace(/^\/said\//, "said.").replace(/^\/targets.*/, "target").replace(/^\//, "");
    const input = at && this.root.querySelector(`[data-key="${CSS.escape(at)}"], [data-key^="${CSS.escape(at)}."]`);
    return input ? h("button", { type: "button", class: "small", "data-key": `goto.${at}`, onclick: () => this.root.querySelector(`[data-key="${CSS.escape(input.dataset.key)}"]`)?.focus() }, t("go_to_field")) : null;
  }
}

function names(table, reason) {
  const known = (reason.names ?? []).map((id) => table.body(id)?.name).filter(Boolean).filter((one) => !reason.message.includes(one));
  return known.length ? ` (${known.join(", ")})` : "";
}

function spread(chances) {
  const listed = Object.entries(chances);
  const step = Math.max(1, Math.ceil(listed.length / 5));
  return listed.filter((_, place) => place % step === 0).map(([points_, chance]) => `≥${points_}: ${percent(chance)}`).join(" · ");
}

function sharedReason(barred) {
  const [one] = barred[0]?.reasons ?? [];
  return one && barred.every((other) => other.reasons.some((why) => why.code === one.code)) ? one : null;
}

export function degrees(key, title, value, set, fault) {
  return labelled({ key, title, fault, hint: t("degrees_hint") }, (id) => h("input", { id, type: "number", "data-key": key, min: 0, max: 359, step: 1, value, list: `${id}-list`, oninput: (event) => set(event.target.value) }),
    COMPASS.map((one) => [one, t(`compass_${one}`)]));
}

const heldName = (item, id) => (item ? `${item.name}${item.held ? ` (${t(`held_${item.held}`)})` : ""}` : id);
