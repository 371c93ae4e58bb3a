// What a rule says, for whoever asks: a small button with the clause's id opens it.
import { h } from "./dom.js";
import { t } from "./words.js";

export function clauseButton(table, clause) {
  if (!clause) return null;
  return h("button", { type: "button", class: "clause", "aria-label": t("clause", { id: clause }), onclick: (event) => { event.stopPropagation(); show(table, clause); } }, clause);
}

async function show(table, clause) {
  const found = await table.guard(() => table.api.get(`${table.path}/ruleset/rules/${clause}`));
  if (!found) return;
  const box = h("dialog", { class: "rule", "aria-labelledby": "rule-title", onclose: () => box.remove() },
    h("h2", { id: "rule-title" }, found.title), h("p", {}, found.text), h("p", { class: "hint" }, found.id),
    h("form", { method: "dialog" }, h("button", { autofocus: true }, t("close"))));
  document.body.append(box);
  box.showModal();
}

// Why not: each reason with its clause.
export const reasons = (table, list) => h("ul", { class: "reasons" }, list.map((one) => h("li", {}, one.message, " ", clauseButton(table, one.clause))));
