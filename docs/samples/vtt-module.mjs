// A module as a virtual tabletop would embed it: plain ES module, no build step, runs in a browser (or Node 18).
// Your tokens are named by `external_ref`: wherever an id is asked for, `ref:YOUR-TOKEN-ID` does too.
//
//   const table = new Turnwright("https://turnwright.example.org", "enc_...", playerToken, "pl");
//   table.onchange = (view) => drawTurnOrder(view);       // whenever something happened: the whole fight as you may see it
//   table.onevent = (event) => chat(event.text);          // each event once, in order
//   table.ondecision = async (decision) => ({ option: await askWithButtons(decision) });  // null: somebody else answers
//   await table.follow();
//
//   table.onrefused = (error) => warn(error.message);     // an answer that was no good; ondecision is asked again
//
// Every player uses a token of his own, kept in memory: a world's settings are readable by all.

// Names in sentences come escaped for Markdown (`Goblin\_2`); from here they go on as plain text.
const SENTENCES = new Set(["text", "prompt", "message", "detail"]);
const plain = (text) => text.replace(/\\([!-\/:-@[-`{-~])/g, "$1");
const read = (json) => JSON.parse(json, (key, value) => (SENTENCES.has(key) && typeof value === "string" ? plain(value) : value));

export class Refused extends Error {
  constructor(problem) {
    super(problem.reasons?.map((one) => one.message).join(" ") || problem.detail);
    this.problem = problem;
  }
}

export class Turnwright {
  onchange = () => {};
  onevent = () => {};
  ondecision = async () => null;
  onrefused = (error) => console.warn(String(error));
  #stop = new AbortController();
  #asked = new Set();

  constructor(url, encounter, token, language = "en") {
    this.base = `${url}/v1/encounters/${encounter}`;
    this.headers = { authorization: `Bearer ${token}`, "accept-language": language };
  }

  async call(method, path, body) {
    const headers = { ...this.headers };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (method !== "GET") headers["idempotency-key"] = crypto.randomUUID();
    for (let attempt = 0; ; attempt++) {
      const sent = { method, headers, body: body && JSON.stringify(body), signal: this.#stop.signal };
      const answer = await fetch(this.base + path, sent).catch((error) => {
        if (error.name === "AbortError" || attempt === 3) throw error;
      });
      if (answer?.ok) return read(await answer.text());
      if (answer && ![429, 503].includes(answer.status)) throw new Refused(read(await answer.text()));
      if (answer && attempt === 3) throw new Refused(read(await answer.text()));
      await new Promise((done) => setTimeout(done, 500 * 2 ** attempt));
    }
  }

  /** What a token on the map can do now, with targets and chances: enough for a row of buttons. */
  actions(token) {
    return this.call("GET", `/combatants/${encodeURIComponent(`ref:${token}`)}/actions?available=true`).then((one) => one.actions);
  }

  /** Do it. `more`: weapon, path, options, ... A refusal is thrown with every reason in words. */
  act(token, action, targets = [], more = {}) {
    return this.call("POST", "/actions", {
      actor: `ref:${token}`, action, targets: targets.map((one) => `ref:${one}`), ...more,
    });
  }

  endTurn() {
    return this.call("POST", "/end-turn", {});
  }

  close() {
    this.#stop.abort();
  }

  /** Follow until closed or ended. A broken line is taken up where it broke, however long the server is away. */
  async follow() {
    let view = await this.call("GET", "");
    let cursor = view.cursor;
    for (;;) {
      this.onchange(view);
      this.#ask(view.waiting_for);
      if (view.status === "ended") return;
      try {
        for await (const event of this.#stream(cursor)) {
          if (event.seq <= cursor) continue;
          cursor = event.seq;
          this.onevent(event);
          if (!event.more) break;
        }
        view = await this.call("GET", "");
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        // A token that was revoked, or a fight that is gone, does not come back.
        if (error instanceof Refused && [401, 403, 404].includes(error.problem.status)) throw error;
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  }

  /** Server-sent events over fetch, since EventSource sends no Authorization. `more`: others came along with it. */
  async *#stream(after) {
    const stop = new AbortController();
    const signal = AbortSignal.any ? AbortSignal.any([stop.signal, this.#stop.signal]) : this.#stop.signal;
    const answer = await fetch(`${this.base}/stream?after=${after}`, { headers: this.headers, signal });
    if (!answer.ok) throw new Refused(read(await answer.text()));
    try {
      let text = "";
      const decoder = new TextDecoder();
      for await (const bytes of chunks(answer.body)) {
        text += decoder.decode(bytes, { stream: true });
        const parts = text.split("\n\n");
        text = parts.pop();
        const events = parts.map(dataOf).filter((one) => one?.seq);
        for (const [place, event] of events.entries()) yield { ...event, more: place + 1 < events.length };
      }
    } finally {
      stop.abort();
    }
  }

  #ask(decisions) {
    for (const decision of decisions) {
      if (this.#asked.has(decision.id)) continue;
      this.#asked.add(decision.id);
      // The stream goes on while somebody thinks. What was refused (a die that cannot be) is asked again.
      Promise.resolve(this.ondecision(decision))
        .then((answer) => answer && this.call("POST", `/decisions/${decision.id}`, answer))
        .catch((error) => {
          if (error.problem?.code === "already_answered" || this.#stop.signal.aborted) return;
          this.onrefused(error);
          setTimeout(() => this.#asked.delete(decision.id) && this.#ask([decision]), 1000);
        });
    }
  }
}

function dataOf(block) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length ? read(lines.map((line) => line.slice(5)).join("\n")) : null;
}

async function* chunks(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
