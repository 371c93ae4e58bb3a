// The GM's hand: begin and end, rulings with their reason, facts where there is no map, and back to an earlier version.
import { draw, h } from "./dom.js";
import { labelled, line, numeric, select } from "./form.js";
import { yesNo } from "./said.js";
import { t } from "./words.js";

const KINDS = ["resource", "budget", "add_effect", "remove_effect", "status", "position", "fact"];
const STATUSES = ["up", "down", "dead"];

export class GmPanel {
  constructor(root, table) {
    this.root = root;
    this.table = table;
    this.surprised = new Set();
    this.ruling = { who: "", kind: "resource", id: "", value: "", x: "", y: "", to: "", sees: undefined, engaged: undefined, reason: "" };
    this.back = { version: "", reason: "" };
    table.wish = (version) => { this.back.version = Math.max(0, version - 1); this.table.changed(); this.root.querySelector("[data-key='rewind.reason']")?.focus(); };
  }

  draw() {
    const { table } = this;
    this.root.hidden = !table.isGm;
    if (this.root.hidden) return draw(this.root);
    const { status } = table.view;
    draw(this.root, h("h2", { id: "gm-title" }, t("gm")),
      status === "setup" ? this.start() : null,
      status === "running" ? h("button", { type: "button", "data-key": "end", disabled: table.busy || table.view.waiting, onclick: () => table.send("post", `${table.path}/end`, {}) }, t("end")) : null,
      status === "ended" ? null : h("details", { "data-key": "ruling" }, h("summary", { "data-key": "sum.ruling" }, t("ruling")), this.rule()),
      h("details", { "data-key": "rewind", open: this.back.version !== "" }, h("summary", { "data-key": "sum.rewind" }, t("rewind")), this.rewind()));
  }

  start() {
    const { table } = this;
    return h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); table.send("post", `${table.path}/start`, { surprised: [...this.surprised] }); } },
      h("details", { "data-key": "surprised" }, h("summary", { "data-key": "sum.surprised" }, t("surprised")), table.view.combatants.map((one) => h("label", { class: "tick" },
        h("input", { type: "checkbox", "data-key": `surprised.${one.id}`, checked: this.surprised.has(one.id), onchange: (event) => { if (event.target.checked) this.surprised.add(one.id); else this.surprised.delete(one.id); } }), one.name))),
      h("button", { type: "submit", class: "main", "data-key": "start", disabled: table.busy || table.view.waiting }, t("start")));
  }

  rule() {
    const { table, ruling } = this;
    const people = table.view.combatants.map((one) => [one.id, one.name]);
    if (!table.body(ruling.who)) ruling.who = people[0]?.[0] ?? "";
    const body = table.body(ruling.who);
    const set = (name, whole = false) => (value) => { ruling[name] = value; if (whole) { if (name === "kind" || name === "who") ruling.id = ""; this.draw(); } };
    const kinds = KINDS.filter((one) => (one === "position" ? table.view.space.mode === "map" : one === "fact" ? table.view.space.mode === "stated" : true)).map((one) => [one, t(`rule_${one}`)]);
    return h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); this.send(); } },
      labelled({ key: "rule.who", title: t("whom") }, (id) => select(id, "rule.who", people, ruling.who, set("who", true))),
      labelled({ key: "rule.kind", title: t("what") }, (id) => select(id, "rule.kind", kinds, ruling.kind, set("kind", true))),
      body ? this.parts(body, set) : null,
      labelled({ key: "rule.reason", title: t("reason"), required: true }, (id) => line(id, "rule.reason", ruling.reason, set("reason"), { required: true, maxlength: 1000 })),
      h("button", { type: "submit", class: "main", "data-key": "rule.send", disabled: table.busy }, t("rule_it")));
  }

  parts(body, set) {
    const { table, ruling } = this;
    const pick = (known) => labelled({ key: "rule.id", title: t(`rule_${ruling.kind}`) }, (id) => {
      if (!known.some(([one]) => one === ruling.id)) ruling.id = known[0]?.[0] ?? "";
      return select(id, "rule.id", known, ruling.id, set("id", true));
    });
    const value = (title) => labelled({ key: "rule.value", title }, (id) => numeric(id, "rule.value", { type: "integer" }, ruling.value, (given) => { ruling.value = given ?? ""; }));
    const named = (list) => list.map((one) => [one.id, one.name]);
    if (ruling.kind === "resource") return [pick(named(body.resources)), value(t("set_to"))];
    if (ruling.kind === "budget") return [pick(named(body.budgets)), value(t("set_to"))];
    if (ruling.kind === "add_effect") return [pick(named(table.rules.effects.filter((one) => one.ruled !== false))), value(t("effect_value"))];
    if (ruling.kind === "remove_effect") return pick(body.effects.map((one) => [one.id, one.name]));
    if (ruling.kind === "status") return pick(STATUSES.map((one) => [one, t(`status_${one}`)]));
    const coordinate = (name) => labelled({ key: `rule.${name}`, title: t(`area_${name}`) }, (id) => numeric(id, `rule.${name}`, { type: "number" }, ruling[name], (given) => { ruling[name] = given ?? ""; }));
    if (ruling.kind === "position") return h("div", { class: "row" }, coordinate("x"), coordinate("y"));
    const others = table.view.combatants.filter((one) => one.id !== body.id).map((one) => [one.id, one.name]);
    if (!others.some(([one]) => one === ruling.to)) ruling.to = others[0]?.[0] ?? "";
    return [
      labelled({ key: "rule.to", title: t("towards") }, (id) => select(id, "rule.to", others, ruling.to, set("to"))),
      labelled({ key: "rule.distance", title: `${t("said_distance")} (${table.rules.unit_name})` }, (id) => numeric(id, "rule.distance", { type: "number", minimum: 0 }, ruling.value, (given) => { ruling.value = given ?? ""; })),
      labelled({ key: "rule.sees", title: t("said_sees") }, (id) => yesNo(id, "rule.sees", ruling.sees, set("sees"))),
      labelled({ key: "rule.engaged", title: t("engaged") }, (id) => yesNo(id, "rule.engaged", ruling.engaged, set("engaged"))),
    ];
  }

  change() {
    const { who: combatant, kind, id, value, x, y, to, sees, engaged } = this.ruling;
    const amount = value === "" ? undefined : Number(value);
    if (kind === "resource" || kind === "budget") return { combatant, [kind]: id, set: amount };
    if (kind === "add_effect") return { combatant, add_effect: { id, value: amount } };
    if (kind === "remove_effect" || kind === "status") return { combatant, [kind]: id };
    if (kind === "position") return { combatant, position: [Number(x), Number(y)] };
    return { combatant, fact: { from: combatant, to, distance: amount, sees, engaged } };
  }

  async send() {
    if (await this.table.rule(this.ruling.reason, [this.change()])) { this.ruling.reason = ""; this.ruling.value = ""; this.draw(); }
  }

  rewind() {
    const { table, back } = this;
    const send = async () => {
      if (await table.send("post", `${table.path}/rewind`, { to_version: Number(back.version), reason: back.reason })) { back.version = ""; back.reason = ""; this.draw(); }
    };
    return h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); send(); } },
      labelled({ key: "rewind.version", title: t("to_version", { version: table.view.version }), required: true }, (id) => numeric(id, "rewind.version", { type: "integer", minimum: 0, maximum: table.view.version - 1 }, back.version, (given) => { back.version = given ?? ""; })),
      labelled({ key: "rewind.reason", title: t("reason"), required: true }, (id) => line(id, "rewind.reason", back.reason, (given) => { back.reason = given; }, { required: true, maxlength: 1000 })),
      h("button", { type: "submit", class: "main", "data-key": "rewind.send", disabled: table.busy }, t("rewind")));
  }
}
