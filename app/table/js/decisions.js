// What waits: who must answer what, with odds and default; buttons, forms and dice for whoever may answer.
import { die, draw, h } from "./dom.js";
import { clauseButton, reasons } from "./clauses.js";
import { fields, labelled, line } from "./form.js";
import { clean } from "./draft.js";
import { number, percent, t } from "./words.js";

export class DecisionsPanel {
  constructor(root, table) {
    this.root = root;
    this.table = table;
  }

  draw() {
    const { table } = this;
    const asked = table.view.waiting_for;
    this.root.hidden = !table.view.waiting;
    if (!table.view.waiting) return draw(this.root);
    const [mine, others] = [asked.filter((one) => table.mayAnswer(one)), asked.filter((one) => !table.mayAnswer(one))];
    draw(this.root, h("h2", { id: "asked-title" }, mine.length ? t("asked") : t("waits")),
      mine.map((one) => this.card(one)), others.map((one) => this.other(one)),
      asked.length ? null : h("p", {}, t("waits_unseen")));
  }

  other(asked) {
    return h("article", { class: "asked other" }, h("p", {}, asked.prompt, " ", this.clock(asked)));
  }

  clock(asked) {
    return asked.expires_at ? h("span", { class: "hint", "data-until": asked.expires_at }, left(asked.expires_at)) : null;
  }

  card(asked) {
    const { table } = this;
    const who = table.body(asked.for);
    return h("article", { class: `asked side-${who ? table.sideOf(who) : "gm"}`, "data-decision": asked.id, "data-kind": asked.kind, "data-for": asked.for, "aria-labelledby": `asked-${asked.id}` },
      h("p", { class: "prompt", id: `asked-${asked.id}` }, h("strong", {}, asked.prompt), " ", clauseButton(table, asked.clause), " ", this.clock(asked)),
      asked.kind === "roll" ? this.roll(asked) : this.options(asked),
      table.isGm ? h("button", { type: "button", class: "small plain", "data-key": `cancel.${asked.id}`, onclick: () => table.rule(t("cancelled"), [{ cancel: asked.id }]) }, t("cancel_it")) : null);
  }

  roll(asked) {
    const { table } = this;
    const [count, sides] = asked.dice.split("d").map(Number);
    const draft = this.drafted(asked, { dice: "" });
    const send = () => {
      const dice = draft.dice.split(/[^\d-]+/).filter(Boolean).map(Number);
      return table.answer(asked, { dice });
    };
    const rollHere = () => { draft.dice = Array.from({ length: count }, () => die(sides)).join(" "); send(); };
    return h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); send(); } },
      labelled({ key: `dice.${asked.id}`, title: t("dice_fell", { dice: asked.dice }), hint: asked.target === undefined ? "" : t("against", { target: number(asked.target) }) },
        (id) => line(id, `dice.${asked.id}`, draft.dice, (text) => { draft.dice = text; }, { inputmode: "numeric", required: true })),
      h("button", { type: "submit", class: "main", "data-key": `send.${asked.id}`, disabled: table.busy }, t("send")),
      h("button", { type: "button", "data-key": `roll.${asked.id}`, "data-roll": "", disabled: table.busy, onclick: rollHere }, t("roll_here")));
  }

  drafted(asked, empty) {
    if (!this.table.answers.has(asked.id)) this.table.answers.set(asked.id, empty);
    return this.table.answers.get(asked.id);
  }

  options(asked) {
    const { table } = this;
    const draft = this.drafted(asked, { open: null, fields: {} });
    return [
      h("ul", { class: "options" }, asked.options.map((one) => h("li", {}, this.option(asked, one, draft)))),
      asked.unavailable.length ? h("details", { "data-key": `un.${asked.id}` }, h("summary", { "data-key": `sum.un.${asked.id}` }, t("barred", { count: asked.unavailable.length })),
        h("ul", { class: "barred-list" }, asked.unavailable.map((one) => h("li", {}, h("strong", {}, one.name), reasons(table, one.reasons))))) : null,
    ];
  }

  option(asked, one, draft) {
    const { table } = this;
    const key = `option.${asked.id}.${one.id}`;
    const cost = table.price(asked.for, one.cost);
    const notes = [one.chance === undefined ? "" : percent(one.chance), cost, one.id === asked.default ? t("default") : ""].filter(Boolean).join(" · ");
    const form = one.form && Object.keys(one.form.properties).length ? one.form : null;
    const isOpen = draft.open === one.id;
    const press = () => {
      if (!form) return void table.answer(asked, { option: one.id });
      draft.open = isOpen ? null : one.id;
      draft.fields = {};
      table.changed();
    };
    return [
      h("button", { type: "button", class: `action ${one.declines ? "" : "strong"}`, "data-key": key, "data-option": one.id, "aria-expanded": form ? String(isOpen) : null, disabled: table.busy, onclick: press },
        h("span", {}, table.body(one.id)?.name ?? one.name), h("span", { class: "hint" }, notes)),
      form && isOpen ? h("form", { class: "composer", onsubmit: (event) => { event.preventDefault(); table.answer(asked, { option: one.id, fields: clean(draft.fields) }); } },
        fields(form, draft.fields, { table, actor: asked.for, key: `fields.${asked.id}`, changed: (whole) => { if (whole) table.changed(); } }),
        h("button", { type: "submit", class: "main", "data-key": `answer.${asked.id}`, "data-answer": one.id, disabled: table.busy }, t("answer"))) : null,
    ];
  }
}

export function left(until) {
  const seconds = Math.max(0, Math.round((Date.parse(until) - Date.now()) / 1000));
  return t("time_left", { time: `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` });
}
