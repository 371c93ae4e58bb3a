// What every program is given, and what it hands back to the test.
declare const process: { env: Record<string, string | undefined>; stdout: { write(text: string): void } };

export interface Report {
  offered: string[];
  asked: string[];
  damage: number[];
  events: number;
  refusal: string;
  reasons: string[];
}

export function settings(): { url: string; token: string } {
  const { TURNWRIGHT_URL: url, TURNWRIGHT_TOKEN: token } = process.env;
  if (url === undefined || token === undefined) throw new Error("TURNWRIGHT_URL and TURNWRIGHT_TOKEN say where to play");
  return { url, token };
}

export function report(told: Report): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
