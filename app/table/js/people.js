// Everybody in turn order: who they are, how they stand, what is left to them.
import { draw, h } from "./dom.js";
import { clauseButton } from "./clauses.js";
import { number, t } from "./words.js";

export class PeoplePanel {
  constructor(root, table) {
    this.root = root;
    this.table = table;
  }

  draw() {
    const { table } = this;
    draw(this.root, h("h2", { id: "people-title" }, t("order")),
      h("ol", { class: "people" }, ordered(table).map((body) => this.card(body))),
      table.view.combatants.length ? null : h("p", {}, t("nobody")));
  }

  card(body) {
    const { table } = this;
    const mine = table.isMine(body.id);
    const chosen = mine && body.id === table.actor;
    const next = body.is_turn ? t("on_turn") : table.view.upcoming[0]?.combatant === body.id ? t("next") : "";
    return h("li", { id: `card-${body.id}`, class: `card side-${table.sideOf(body)} ${body.status} ${body.is_turn ? "turn" : ""} ${chosen ? "chosen" : ""}`, "aria-current": body.is_turn ? "step" : null },
      h("div", { class: "bar" },
        body.initiative.length ? h("span", { class: "initiative", title: t("initiative") }, h("span", { class: "unseen" }, `${t("initiative")} `), body.initiative_text ?? number(body.initiative[0])) : null,
        mine && !chosen && table.mine().length > 1
          ? h("button", { type: "button", class: "plain", "data-key": `act.${body.id}`, onclick: () => table.choose(body.id), "aria-label": t("act_as", { name: body.name }) }, body.name)
          : h("strong", {}, body.name),
        h("span", { class: "side-name" }, body.side),
        body.status === "up" ? null : h("span", { class: "badge bad" }, t(`status_${body.status}`)),
        body.hidden ? h("span", { class: "badge" }, t("hidden")) : null,
        next ? h("span", { class: "badge now" }, next) : null),
      this.figures(body),
      this.rest(body),
      h("details", { "data-key": `more.${body.id}` }, h("summary", { "data-key": `sum.${body.id}` }, t("details"), h("span", { class: "unseen" }, ` ${body.name}`)), this.details(body, mine)));
  }

  // The first figure with a bar; the others in a row.
  figures(body) {
    const known = body.resources.filter((one) => one.max !== null || one.value);
    const first = known.find((one) => one.max !== null) ?? known[0];
    const told = (one) => h("span", {}, `${one.name} `, h("b", {}, one.max === null ? number(one.value) : `${number(one.value)}/${number(one.max)}`));
    if (body.condition) return h("p", { class: "figures" }, h("b", {}, body.condition.name));
    return [first ? meter(first, told) : null, h("p", { class: "figures" }, known.filter((one) => one !== first).map(told))];
  }

  rest(body) {
    const { table } = this;
    const budgets = body.budgets.filter((one) => one.max || one.left).map((one) => h("span", {}, `${one.name} `, h("b", {}, `${number(one.left)}/${number(one.max)}`)));
    const engaged = body.engaged.map((id) => table.body(id)?.name).filter(Boolean);
    const effects = body.effects.filter((one) => one.active);
    return [
      budgets.length && table.view.status === "running" ? h("p", { class: "budgets" }, budgets) : null,
      effects.length ? h("ul", { class: "effects", "aria-label": t("effects") }, effects.map((one) => h("li", {}, this.effect(one)))) : null,
      engaged.length ? h("p", { class: "hint" }, t("engaged_with", { names: engaged.join(", ") })) : null,
    ];
  }

  effect(one) {
    const against = one.against ? this.table.body(one.against)?.name : null;
    return `${one.name}${one.value ? ` ${number(one.value)}` : ""}${against ? ` → ${against}` : ""}`;
  }

  details(body, mine) {
    const { table } = this;
    // Whose figures are kept from this reader has no sheet, and items without marks.
    const known = body.sheet ?? {};
    const sheet = Object.entries(known).filter(([, value]) => typeof value === "number").map(([id, value]) => [table.name("stats", id), number(value)]);
    const skills = Object.entries(known.skills ?? {}).map(([id, value]) => [table.name("skills", id), typeof value === "number" ? number(value) : table.ranks.get(value) ?? value]);
    const talents = (known.talents ?? []).map((one) => (typeof one === "string" ? table.name("talents", one) : `${table.name("talents", one.id)} ${one.value}`));
    return [
      Object.keys(body.items).length ? [h("h4", {}, t("items")), h("ul", { class: "items" }, Object.values(body.items).map((one) => h("li", {}, this.item(one))))] : null,
      body.sheet === null ? null : [h("h4", {}, t("sheet")), h("dl", { class: "sheet" }, [...sheet, ...skills].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))],
      talents.length ? h("p", { class: "hint" }, talents.join(", ")) : null,
      body.effects.length ? h("p", {}, body.effects.map((one) => [this.effect(one), " ", clauseButton(table, one.clause), " "])) : null,
      body.notes ? h("p", { class: "hint" }, body.notes) : null,
      mine ? h("div", { class: "field" }, h("label", { for: `dice-${body.id}` }, t("whose_dice")),
        h("select", { id: `dice-${body.id}`, "data-key": `dice.${body.id}`, value: body.dice ?? "", onchange: (event) => table.send("patch", `${table.path}/combatants/${body.id}`, { dice: event.target.value || null }) },
          [["", t("dice_usual", { dice: t(`dice_${table.view.dice}`) })], ["server", t("dice_server")], ["client", t("dice_client")]].map(([value, name]) => h("option", { value }, name)))) : null,
    ];
  }

  item(one) {
    const marks = Object.entries(one.marks ?? {}).filter(([id]) => this.table.named.marks.has(id)).map(([id, value]) => `${this.table.name("marks", id)} ${number(value)}`);
    const held = one.held ? t(`held_${one.held}`) : one.on_ground ? t("on_ground") : "";
    return [one.count > 1 ? `${one.count} × ` : "", one.name, [held, ...marks].filter(Boolean).length ? h("span", { class: "hint" }, ` ${[held, ...marks].filter(Boolean).join(", ")}`) : null];
  }
}

function meter(one, told) {
  const bar = one.max ? h("span", { class: "meter", "aria-hidden": "true" }, h("span", {})) : null;
  if (bar) bar.firstChild.style.width = `${Math.max(0, Math.min(1, one.value / one.max)) * 100}%`;
  return h("div", { class: "figure" }, told(one), bar);
}

// By initiative, compared from the front; whoever lies there or has left comes last.
export function ordered(table) {
  const rank = { up: 0, down: 1, dead: 2, gone: 3 };
  return [...table.view.combatants].sort((a, b) => {
    if (rank[a.status] !== rank[b.status]) return rank[a.status] - rank[b.status];
    for (let place = 0; place < Math.max(a.initiative.length, b.initiative.length); place += 1) {
      const gap = (b.initiative[place] ?? -Infinity) - (a.initiative[place] ?? -Infinity);
      if (gap) return gap;
    }
    return 0;
  });
}
