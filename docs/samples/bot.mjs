// A bot in Node 18 or newer, with nothing to install: follows a fight by long poll, answers what it is asked, and ends
// its turns. Put your own decisions into `choose` and `turn`; with discord.js, `say` is `channel.send` of the text as it
// is, and `choose` waits for a button.
// Usage: TURNWRIGHT_URL=... TURNWRIGHT_TOKEN=... (of a player) node bot.mjs enc_...
import { randomUUID } from "node:crypto";

const fight = `${process.env.TURNWRIGHT_URL}/v1/encounters/${process.argv[2]}`;
// Names in a sentence are escaped for Markdown: right for a chat, while a terminal shows them without the backslashes.
const say = (text) => console.log(text.replace(/\\([!-\/:-@[-`{-~])/g, "$1"));

async function call(method, path, body) {
  const headers = { authorization: `Bearer ${process.env.TURNWRIGHT_TOKEN}`, "accept-language": "en" };
  if (body !== undefined) headers["content-type"] = "application/json";
  // The same key for every try of one request: it happens once, however often it is sent.
  if (method !== "GET") headers["idempotency-key"] = randomUUID();
  for (let attempt = 0; ; attempt++) {
    const answer = await fetch(fight + path, { method, headers, body: JSON.stringify(body) }).catch(() => null);
    if (answer?.ok) return answer.json();
    const problem = await answer?.json();
    const again = !answer || answer.status === 429 || answer.status === 503;
    if (!again || attempt === 3) throw Object.assign(new Error(problem?.detail ?? "no answer"), { problem });
    await new Promise((done) => setTimeout(done, 1000 * (problem?.retry_after ?? 2 ** attempt)));
  }
}

/** An answer to a decision: here the most likely option, and honest dice. */
function choose(decision) {
  if (!decision.options) {
    const [count, sides] = decision.dice.split("d").map(Number);
    return { dice: Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides)) };
  }
  const plain = decision.options.filter((one) => !one.form?.required?.length);
  const best = plain.sort((a, b) => (b.chance ?? 0) - (a.chance ?? 0))[0];
  return { option: best.id };
}

/** What to do in one's turn: the first attack that is possible, else nothing more. */
async function turn(me) {
  const { actions } = await call("GET", `/combatants/${me}/actions?available=true`);
  for (const action of actions.filter((one) => one.tags.includes("attack"))) {
    const target = action.targets.find((one) => one.available);
    if (!target) continue;
    try {
      const body = { actor: me, action: action.id, targets: [target.id], weapon: action.weapons[0] };
      return await call("POST", "/actions", body);
    } catch (refused) {
      for (const one of refused.problem?.reasons ?? []) say(`(${action.name}: ${one.message})`);
    }
  }
  return call("POST", "/actions", { actor: me, action: "end_turn" });
}

let { cursor } = await call("GET", "");
for (;;) {
  const view = await call("GET", "");
  if (view.status === "ended") break;
  // Those for whom this token may act show their `policy`.
  const mine = view.combatants.filter((one) => one.policy && one.status === "up").map((one) => one.id);
  const asked = view.waiting_for.find((one) => mine.includes(one.for));
  try {
    if (asked) await call("POST", `/decisions/${asked.id}`, choose(asked));
    else if (!view.waiting && mine.includes(view.turn?.combatant)) await turn(view.turn.combatant);
  } catch (refused) {
    // Somebody else was quicker: look again.
    if (!["already_answered", "answer_awaited", "illegal_action"].includes(refused.problem?.code)) throw refused;
  }
  const news = await call("GET", `/log?after=${cursor}&wait=20&limit=200`);
  for (const event of news.items) if (event.text) say(event.text);
  cursor = news.next_cursor;
}
