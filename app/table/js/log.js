// What happened, in the server's words, as it comes.
import { h } from "./dom.js";
import { t } from "./words.js";

const HEADINGS = new Set(["round_began", "pass_began", "encounter_started", "encounter_ended", "rewound"]);

export class LogPanel {
  constructor(root, table) {
    this.table = table;
    this.list = h("ol", { class: "log", role: "log", tabindex: 0, "aria-labelledby": "log-title", "data-key": "log" });
    this.title = h("h2", { id: "log-title" });
    this.more = h("button", { type: "button", class: "small", onclick: () => table.guard(() => table.older()) });
    root.append(h("div", { class: "bar" }, this.title, h("span", { class: "push" }), this.more), this.list);
    this.shown = [];
  }

  draw() {
    const { table } = this;
    this.title.textContent = t("log");
    this.more.textContent = t("older");
    this.more.hidden = !table.hasOlder;
    const told = table.log.filter((one) => one.text);
    const known = this.shown.length && told.length >= this.shown.length && told[0] === this.shown[0] && told[this.shown.length - 1] === this.shown.at(-1);
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
    if (known) this.list.append(...told.slice(this.shown.length).map((one) => this.entry(one)));
    else this.list.replaceChildren(...told.map((one) => this.entry(one)));
    if (atEnd || !known) this.list.scrollTop = this.list.scrollHeight;
    this.shown = told;
  }

  entry(event) {
    const kind = HEADINGS.has(event.type) ? "heading" : event.type === "turn_began" ? "turn" : "";
    const back = this.table.isGm && this.table.view.status === "running" && event.type === "turn_began"
      ? h("button", { type: "button", class: "clause", onclick: () => this.table.wish?.(event.version) }, t("rewind_here")) : null;
    return h("li", { class: kind || null, "data-type": event.type, title: event.clause ?? null }, event.text, back ? " " : null, back);
  }
}
