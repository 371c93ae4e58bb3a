// The public API over fetch: JSON, problems, retries, and the stream with its cursor.
import { chance } from "./dom.js";

export class Problem extends Error {
  constructor(document) {
    super(document.detail ?? document.title ?? document.code);
    this.document = document;
    this.code = document.code;
    this.reasons = document.reasons ?? [];
    this.faults = document.errors ?? [];
  }
}

// The server escapes names in its sentences for Markdown; here they are plain text.
const SENTENCES = new Set(["text", "prompt", "message", "detail"]);
export const read = (json) => JSON.parse(json, (key, value) => (SENTENCES.has(key) && typeof value === "string" ? bare(value) : value));
const bare = (text) => text.replace(/\\([!-\/:-@[-`{-~])/g, "$1");

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Api {
  constructor(token, language) {
    this.token = token;
    this.language = language;
    this.tags = new Map();
  }

  headers(more) {
    return { Authorization: `Bearer ${this.token}`, "Accept-Language": this.language, ...more };
  }

  // A change carries a key, so that it may be sent again after a broken line.
  async call(method, path, body) {
    const headers = this.headers(method === "GET" ? {} : { "Idempotency-Key": chance(16) });
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const request = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" };
    for (let tries = 0; ; tries += 1) {
      let answer = null;
      try {
        answer = await fetch(path, request);
      } catch (broken) {
        if (tries >= 3) throw new Problem({ code: "unreachable", detail: String(broken.message) });
        await pause(300 * 2 ** tries);
        continue;
      }
      if ((answer.status === 429 || answer.status === 503) && tries < 5) {
        await pause(1000 * Math.min(Number(answer.headers.get("Retry-After") ?? 1), 5));
        continue;
      }
      const text = await answer.text();
      let found = null;
      try { found = text ? read(text) : null; } catch { found = { code: "unreadable", detail: text.slice(0, 200) }; }
      if (!answer.ok) throw new Problem(found ?? { code: String(answer.status), detail: answer.statusText });
      return found;
    }
  }

  get(path) { return this.call("GET", path); }
  post(path, body) { return this.call("POST", path, body); }
  patch(path, body) { return this.call("PATCH", path, body); }

  // Frames for as long as somebody listens. `hear(frame)` gets {id, event, data}; `state(word)` how the line is.
  async follow(path, cursor, hear, state, signal) {
    let after = cursor;
    let wait = 500;
    while (!signal.aborted) {
      try {
        const headers = this.headers({ Accept: "text/event-stream", "Last-Event-ID": String(after) });
        const answer = await fetch(path, { headers, signal, cache: "no-store" });
        if (answer.status === 410) { state("lost"); return; }
        if (answer.status === 401 || answer.status === 403 || answer.status === 404) { state("refused"); return; }
        if (!answer.ok) throw new Error(answer.statusText);
        state("live");
        wait = 500;
        for await (const frame of frames(answer.body)) {
          if (frame.id !== null) after = Number(frame.id);
          hear(frame);
        }
      } catch {
        if (signal.aborted) return;
      }
      state("waiting");
      await pause(wait);
      wait = Math.min(wait * 2, 8000);
    }
  }
}

async function* frames(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    held += value;
    for (let end = held.indexOf("\n\n"); end >= 0; end = held.indexOf("\n\n")) {
      const frame = { id: null, event: null, data: "" };
      for (const line of held.slice(0, end).split("\n")) {
        const [, name, rest] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
        if (name === "data") frame.data += rest;
        else if (name === "id" || name === "event") frame[name] = rest;
      }
      held = held.slice(end + 2);
      if (frame.event) yield frame;
    }
  }
}
