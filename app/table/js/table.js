// What is known of one encounter, and everything that is asked of the server. Panels read it; `changed` draws them anew.
import { Api, Problem, read } from "./api.js";
import { emptyDraft, submission } from "./draft.js";
import { number } from "./words.js";

const LOG_PAGE = 100;
const QUIET = new Set(["budget_changed"]);

export class Table {
  constructor(encounter, changed) {
    this.encounter = encounter;
    this.path = `/v1/encounters/${encounter}`;
    this.changed = changed;
    this.api = null;
    this.me = null;
    this.view = null;
    this.rules = null;
    this.actions = new Map();
    this.list = null;
    this.actor = null;
    this.draft = null;
    this.preview = null;
    this.answers = new Map();
    this.log = [];
    this.hasOlder = false;
    this.line = "waiting";
    this.problem = null;
    this.notice = "";
    this.pick = null;
    this.busy = false;
    this.drawing = 0;
    this.turn = null;
  }

  // Opening and keeping up

  async open(token, language) {
    this.stop?.abort();
    this.stop = new AbortController();
    this.api = new Api(token, language);
    this.me = await this.api.get("/v1/me");
    this.view = await this.api.get(this.path);
    this.rules = await this.api.get(`${this.path}/ruleset`);
    this.actions = new Map(this.rules.actions.map((one) => [one.id, one]));
    this.named = Object.fromEntries(
      ["actions", "budgets", "effects", "locations", "modifiers", "questions", "skills", "talents", "stats", "derived", "bands", "arcs", "air", "ground", "cover_ratings", "weapons", "samples", "marks"]
        .map((list) => [list, new Map((this.rules[list] ?? []).map((one) => [one.id, one.name]))]),
    );
    this.ranks = new Map((this.rules.ranks ?? []).map((one) => [one.id, one.name]));
    await this.readLog();
    this.settle();
    await this.readList();
    this.follow();
    this.changed();
  }

  async readLog() {
    const page = await this.api.get(`${this.path}/log?before=${this.view.cursor + 1}&limit=${LOG_PAGE}`);
    this.log = page.items.reverse();
    this.hasOlder = page.has_more;
  }

  async older() {
    const page = await this.api.get(`${this.path}/log?before=${this.log[0].seq}&limit=${LOG_PAGE}`);
    this.log = [...page.items.reverse(), ...this.log];
    this.hasOlder = page.has_more;
    this.changed();
  }

  follow() {
    const heard = (frame) => {
      if (frame.event === "snapshot") return;
      const event = read(frame.data);
      if (this.log.length && event.seq <= this.log.at(-1).seq) return;
      this.log.push(event);
      if (event.text && !QUIET.has(event.type)) this.said = event;
      this.soon();
    };
    const state = (word) => {
      if (word === "lost") return void this.again();
      this.line = word;
      this.changed();
    };
    this.api.follow(`${this.path}/stream`, this.log.at(-1)?.seq ?? this.view.cursor, heard, state, this.stop.signal);
  }

  async again() { await this.guard(() => this.open(this.api.token, this.api.language)); }

  // Several events come together; the snapshot is asked for once.
  soon() {
    if (this.drawing) return;
    this.drawing = setTimeout(() => { this.drawing = 0; this.refresh(); }, 30);
  }

  // One reading at a time; whoever asks meanwhile waits for one that began after he asked.
  refresh() {
    if (this.reading) return (this.queued ??= this.reading.then(() => { this.queued = null; return this.refresh(); }));
    this.reading = this.read().finally(() => { this.reading = null; });
    return this.reading;
  }

  async read() {
    try {
      this.view = await this.api.get(this.path);
      this.settle();
      await this.readList();
    } catch (error) {
      this.fail(error);
    }
    this.changed();
    if (this.draft) this.ask();
  }

  // Whose panel is shown: whoever's turn has come, if he is mine; else who was chosen; else the first of mine.
  settle() {
    const turn = this.view.turn?.combatant ?? null;
    const mine = this.mine();
    if (turn !== this.turn) {
      this.turn = turn;
      if (mine.some((one) => one.id === turn)) this.act(turn);
    }
    if (!mine.some((one) => one.id === this.actor)) this.act(mine.find((one) => one.status === "up")?.id ?? mine[0]?.id ?? null);
    const open = new Set(this.view.waiting_for.map((one) => one.id));
    for (const id of this.answers.keys()) if (!open.has(id)) this.answers.delete(id);
  }

  act(who) {
    if (who === this.actor) return;
    this.actor = who;
    this.list = null;
    this.close();
  }

  async choose(who) {
    this.act(who);
    await this.guard(() => this.readList());
    this.changed();
  }

  async readList() {
    const who = this.actor;
    if (!who || this.view.status !== "running") { this.list = null; return; }
    const found = await this.api.get(`${this.path}/combatants/${who}/actions`);
    if (who === this.actor) this.list = found.actions;
  }

  // Who is who

  get isGm() { return ["gm", "co_gm", "admin"].includes(this.me.role); }
  isMine(who) { return "policy" in (this.body(who) ?? {}); }
  mine() { return this.view.combatants.filter((one) => "policy" in one); }
  get role() { return this.isGm ? "gm" : this.me.role; }
  body(who) { return this.view.combatants.find((one) => one.id === who) ?? null; }
  sides() { return [...new Set(this.view.combatants.map((one) => one.side))]; }
  sideOf(body) { return this.sides().indexOf(body.side) % 6; }
  listed(action) { return this.list?.find((one) => one.id === action) ?? null; }
  name(list, id) { return this.named[list]?.get(id) ?? String(id).replaceAll("_", " "); }
  // What is paid may be what is left of a turn, or a figure of the body.
  price(who, list) {
    const names = new Map([...(this.body(who)?.resources ?? []), ...(this.body(who)?.budgets ?? [])].map((one) => [one.id, one.name]));
    return (list ?? []).map((one) => `${names.get(one.budget) ?? this.name("budgets", one.budget)} ${number(one.amount)}`).join(", ");
  }
  mayAnswer(asked) { return this.isGm || this.isMine(asked.for); }

  // Doing

  async guard(work) {
    try {
      this.problem = null;
      return await work();
    } catch (error) {
      this.fail(error);
      this.changed();
      return null;
    }
  }

  fail(error) {
    this.problem = error instanceof Problem ? error : new Problem({ code: "page", detail: String(error?.stack ?? error) });
  }

  // Sends a change; true if it was taken. What came of it is heard on the stream and read anew.
  async send(method, path, body) {
    if (this.busy) return false;
    this.busy = true;
    this.changed();
    const done = await this.guard(async () => { await this.api[method](path, body); return true; });
    // Nothing is pressed twice: what stood there is no longer true before the fight has been read anew.
    if (done) await this.refresh();
    this.busy = false;
    this.changed();
    return Boolean(done);
  }

  async submit() {
    if (await this.send("post", `${this.path}/actions`, submission(this))) { this.close(); this.changed(); }
  }

  endTurn(who) { return this.send("post", `${this.path}/end-turn`, { actor: who }); }
  answer(asked, body) { return this.send("post", `${this.path}/decisions/${asked.id}`, body); }
  rule(reason, changes) { return this.send("post", `${this.path}/rulings`, { reason, changes }); }

  // Composing an action

  compose(action) {
    this.draft = emptyDraft(action, this.listed(action), this.actions.get(action), this.body(this.actor).items);
    this.preview = null;
    this.pick = null;
    this.problem = null;
    this.changed();
    this.ask();
  }

  toggle(target) {
    const { draft } = this;
    const most = this.actions.get(draft.action).targets.max;
    const chosen = draft.targets.filter((one) => one !== target);
    draft.targets = chosen.length < draft.targets.length ? chosen : [...chosen, target].slice(-most);
    this.edited();
  }

  close() {
    this.draft = null;
    this.preview = null;
    this.pick = null;
  }

  // Previews what the draft says, a moment after the last change of it.
  ask() {
    clearTimeout(this.asking);
    this.asking = setTimeout(async () => {
      const draft = this.draft;
      if (!draft) return;
      const number = (this.asked = (this.asked ?? 0) + 1);
      const isOld = () => draft !== this.draft || number !== this.asked;
      let found = await this.judge(submission(this));
      // Nobody has chosen the weapon yet: of those at hand one that reaches.
      for (const weapon of draft.others) {
        if (found.legal || isOld() || !found.reasons.some((one) => one.kind === "range")) break;
        const other = await this.judge({ ...submission(this), weapon });
        if (other.legal && !isOld()) { draft.weapon = weapon; found = other; }
      }
      if (isOld()) return;
      const anew = draft.others.includes(draft.weapon);
      draft.others = [];
      this.preview = found;
      this.changed(anew ? "all" : "preview");
    }, 120);
  }

  async judge(body) {
    try {
      return await this.api.post(`${this.path}/actions/preview`, body);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { legal: false, reasons: error.reasons.length ? error.reasons : error.faults.length ? error.faults : [{ code: error.code, message: error.message }], checks: [], defence: [] };
    }
  }

  // A draft has changed: draw it anew (`whole`), or only ask what would come of it.
  edited(whole = true) {
    this.preview = null;
    this.draft.others = [];
    this.changed(whole ? "all" : "preview");
    this.ask();
  }
}
