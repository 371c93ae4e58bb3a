// How orval's functions reach the server: its `mutator`, where a front end puts its own fetch.
import { settings } from "./told";

let bearer = "";

export function as(token: string): void {
  bearer = token;
}

export async function carrier<T>(path: string, options: RequestInit): Promise<T> {
  const headers = new Headers(options.headers);
  headers.set("authorization", `Bearer ${bearer}`);
  if (options.method !== "GET") headers.set("idempotency-key", crypto.randomUUID());
  const answer = await fetch(settings().url + path, { ...options, headers });
  const text = await answer.text();
  return { data: text === "" ? undefined : JSON.parse(text), status: answer.status, headers: answer.headers } as T;
}
