// The page: who looks on with which token, in which language and light; and the panels.
import { ActionsPanel } from "./actions.js";
import { DecisionsPanel, left } from "./decisions.js";
import { draw, h } from "./dom.js";
import { GmPanel } from "./gm.js";
import { LogPanel } from "./log.js";
import { MapPanel } from "./map.js";
import { PeoplePanel } from "./people.js";
import { Table } from "./table.js";
import { LANGUAGES, NAMES, knows, preferred, speak, t } from "./words.js";

const encounter = location.pathname.split("/").at(-1);
const KEPT = `turnwright.token.${encounter}`;
const THEMES = ["auto", "light", "dark"];
const page = document.getElementById("page");
let language = preferred();
let theme = localStorage.getItem("turnwright.theme") ?? "auto";
let table = null;
let panels = null;

// A token behind `#token=` is taken out of the address at once: it belongs into no history and no bookmark.
function tokenOfAddress() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEPT, given.trim());
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEPT);
}

function light(chosen) {
  theme = THEMES.includes(chosen) ? chosen : "auto";
  localStorage.setItem("turnwright.theme", theme);
  document.documentElement.dataset.theme = theme;
}

async function speakIn(chosen) {
  language = chosen;
  localStorage.setItem("turnwright.language", language);
  await speak(language);
  panels = null;
  if (table) await open(table.api.token);
  else signIn();
}

const chooser = (id, label, known, value, set) => h("select", { id, "data-key": id, value, "aria-label": label, onchange: (event) => set(event.target.value) },
  known.map(([one, name]) => h("option", { value: one }, name)));
const switches = () => [
  chooser("language", t("language"), LANGUAGES.map((one) => [one, NAMES[one]]), language, speakIn),
  chooser("theme", t("light"), THEMES.map((one) => [one, t(`light_${one}`)]), theme, light),
];

function signIn(fault = "") {
  table = null;
  panels = null;
  document.title = `${t("title")} · ${encounter}`;
  const input = h("input", { id: "token", type: "password", autocomplete: "off", required: true, spellcheck: "false", "data-key": "token" });
  const enter = async (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEPT, input.value.trim());
    await open(input.value.trim());
  };
  draw(page, h("main", { class: "sign-in" }, h("div", { class: "bar" }, h("h1", {}, t("title")), h("span", { class: "push" }), switches()),
    h("p", {}, t("sign_in")),
    h("form", { onsubmit: enter }, h("div", { class: "field" }, h("label", { for: "token" }, t("token")), input), fault ? h("p", { class: "fault", role: "alert" }, fault) : null,
      h("button", { type: "submit", class: "main", "data-key": "enter" }, t("enter")))));
  input.focus();
}

async function open(token) {
  const next = table ?? new Table(encounter, changed);
  try {
    await next.open(token, language);
  } catch (error) {
    next.stop?.abort();
    if (error.document?.status === 401) sessionStorage.removeItem(KEPT);
    return signIn(told(error));
  }
  table = next;
  changed();
}

const told = (error) => (knows(`problem_${error.code}`) ? t(`problem_${error.code}`) : error.message);

function leave() {
  table.stop.abort();
  sessionStorage.removeItem(KEPT);
  signIn();
}

// The frame is made once; what stands in it is drawn anew whenever something is known.
function frame() {
  const part = (id, name, label) => h("section", { id, class: `panel ${name}`, "aria-labelledby": label });
  const roots = { head: h("header", { id: "head" }), problem: h("div", { id: "problem", role: "alert" }), live: h("p", { class: "unseen", "aria-live": "polite" }),
    asked: part("asked", "decisions", "asked-title"), place: part("place", "place", "place-title"), people: part("people", "order", "people-title"),
    act: part("act", "act", "act-title"), log: part("log", "happened", "log-title"), gm: part("gm", "gm", "gm-title") };
  const jumps = [["asked", "asked"], ["act", "act"], ["place", "place"], ["people", "order"], ["log", "log"]];
  const nav = h("nav", { class: "jumps", "aria-label": t("jumps") }, jumps.map(([id, word]) => h("a", { href: `#${id}`, "data-jump": id, onclick: (event) => { event.preventDefault(); jump(id); } }, t(`jump_${word}`))));
  const main = h("main", { class: "table" });
  page.replaceChildren(h("a", { class: "skip", href: "#act", onclick: (event) => { event.preventDefault(); jump("act"); } }, t("skip")), roots.head, roots.problem, roots.live, main, nav);
  main.append(h("div", { class: "column do" }, roots.asked, roots.act, roots.gm), h("div", { class: "column see" }, roots.place, roots.log), h("div", { class: "column who" }, roots.people));
  const say = (text) => { roots.live.textContent = text; };
  return { ...roots, main, nav, say, map: new MapPanel(roots.place, table, say), order: new PeoplePanel(roots.people, table), actions: new ActionsPanel(roots.act, table),
    decisions: new DecisionsPanel(roots.asked, table), happened: new LogPanel(roots.log, table), hand: new GmPanel(roots.gm, table) };
}

function jump(id) {
  const section = document.getElementById(id);
  section.setAttribute("tabindex", "-1");
  section.focus({ preventScroll: true });
  section.scrollIntoView({ block: "start" });
}

function changed(what = "all") {
  if (!table?.view || !table.rules) return;
  if (held) { late = true; return; }
  panels ??= frame();
  // What is typed and what would come of it change nothing but the form.
  if (what === "preview") return panels.actions.draw();
  head();
  trouble();
  panels.decisions.draw();
  panels.actions.draw();
  panels.map.draw();
  panels.order.draw();
  panels.happened.draw();
  panels.hand.draw();
  panels.main.classList.toggle("looking", panels.act.hidden && panels.gm.hidden);
  const hidden = { asked: panels.asked.hidden, act: panels.act.hidden };
  for (const link of panels.nav.children) link.hidden = hidden[link.dataset.jump] ?? false;
  announce();
}

// While a button is held down nothing is replaced, or the click would be lost with it.
let held = false;
let late = false;
function released(event) {
  // Whatever is pressed takes the focus from something else: only where the window loses it is nothing held any more.
  if (event.type === "blur" && event.target !== window) return;
  held = false;
  setTimeout(() => { if (late && !held) { late = false; changed(); } });
}
addEventListener("pointerdown", () => { held = true; }, true);
for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, released, true);

let announced = "";
// What a screen reader hears besides the log: that somebody is asked, or that it is one's turn.
function announce() {
  const asked = table.view.waiting_for.find((one) => table.mayAnswer(one));
  const turn = table.view.turn && table.isMine(table.view.turn.combatant) ? t("your_turn", { name: table.body(table.view.turn.combatant).name }) : "";
  const text = asked?.prompt ?? turn;
  if (text === announced) return;
  announced = text;
  panels.say(text);
}

function head() {
  const { view } = table;
  document.title = `${view.name} · ${t("title")}`;
  const turn = view.turn ? table.body(view.turn.combatant)?.name : null;
  const state = view.status === "running" ? [view.round_text, turn ? t("turn_of", { name: turn }) : ""].filter(Boolean).join(" · ") : t(`state_${view.status}`);
  document.documentElement.dataset.version = view.version;
  document.documentElement.dataset.status = view.status;
  document.documentElement.dataset.busy = table.busy;
  draw(panels.head, h("div", { class: "titles" }, h("h1", {}, view.name), h("p", { class: "hint" }, `${table.rules.title} · ${t(`role_${table.role}`)}`)),
    h("p", { class: "state" }, state),
    h("div", { class: "switches" }, h("span", { class: `line ${table.line}`, role: "status", title: t(`line_${table.line}`) }, h("span", { class: "unseen" }, t(`line_${table.line}`))), switches(),
      h("button", { type: "button", class: "small", "data-key": "leave", onclick: leave }, t("leave"))));
}

function trouble() {
  const { problem } = table;
  if (!problem) return draw(panels.problem);
  const why = [...problem.reasons, ...problem.faults].map((one) => one.message).filter((one) => one !== told(problem));
  draw(panels.problem, h("div", { class: "trouble" }, h("p", {}, h("strong", {}, told(problem)), why.length ? h("ul", {}, why.map((one) => h("li", {}, one))) : null),
    h("button", { type: "button", class: "small", "data-key": "dismiss", onclick: () => { table.problem = null; changed(); } }, t("close"))));
}

setInterval(() => { for (const one of document.querySelectorAll("[data-until]")) one.textContent = left(one.dataset.until); }, 1000);
let wide = 0;
addEventListener("resize", () => { cancelAnimationFrame(wide); wide = requestAnimationFrame(() => panels?.map.draw()); });

light(theme);
await speak(language);
const token = tokenOfAddress();
if (token) await open(token); else signIn();
