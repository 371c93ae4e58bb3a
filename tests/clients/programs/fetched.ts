// The fight through openapi-typescript's types and openapi-fetch.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "turnwright/openapi-typescript/schema";
import { report, settings } from "./told";

type Decision = components["schemas"]["Decision"];
type Result = components["schemas"]["CommandResult"];
type Problem = components["schemas"]["Problem"];

const { url, token } = settings();

function seat(bearer: string) {
  const client = createClient<paths>({ baseUrl: url });
  const signed: Middleware = {
    onRequest({ request }) {
      request.headers.set("authorization", `Bearer ${bearer}`);
      if (request.method !== "GET") request.headers.set("idempotency-key", crypto.randomUUID());
      return request;
    },
  };
  client.use(signed);
  return client;
}

function good<T>(answer: { data?: T; error?: Problem }): T {
  if (answer.data === undefined) throw new Error(answer.error?.detail ?? "no answer");
  return answer.data;
}

const campaign = good(await seat(token).POST("/v1/campaigns", { body: { name: "Thursday" } }));
const gm = seat(campaign.gm_token);
const encounter = good(
  await gm.POST("/v1/encounters", {
    body: {
      campaign: campaign.id,
      name: "Manufactorum",
      ruleset: "dark_heresy_2e",
      space: { mode: "map", grid: "none", size: [40, 25], walls: [[[22, 14], [22, 25]]] },
      combatants: [
        { sample: "sable", side: "acolytes", position: { x: 2, y: 3 }, external_ref: "Token.a1", dice: "client" },
        { sample: "brok", side: "cult", position: [11, 3], external_ref: "Token.b1", dice: "client", policy: { defend: "ask" } },
      ],
    },
  }),
);
const fight = { params: { path: { encounter: encounter.id } } };
const byRef = new Map(encounter.combatants.map((one) => [one.external_ref, one]));
const sable = byRef.get("Token.a1");

async function answer(asked: Decision): Promise<Result> {
  const path = { encounter: encounter.id, decision: asked.id };
  const body =
    asked.dice === undefined
      ? { option: "none" }
      : { dice: [asked.name === "initiative" && asked.for !== sable?.id ? 1 : 7] };
  return good(await gm.POST("/v1/encounters/{encounter}/decisions/{decision}", { params: { path }, body }));
}

async function settle(result: Result): Promise<Result[]> {
  const all = [result];
  for (let last = result, asked = last.waiting_for[0]; asked !== undefined; asked = last.waiting_for[0]) {
    last = await answer(asked);
    all.push(last);
  }
  return all;
}

await settle(good(await gm.POST("/v1/encounters/{encounter}/start", { ...fight, body: {} })));
const combatant = { encounter: encounter.id, combatant: "ref:Token.a1" };
const listed = good(
  await gm.GET("/v1/encounters/{encounter}/combatants/{combatant}/actions", {
    params: { path: combatant, query: { available: true } },
  }),
);
const submission: components["schemas"]["Submission"] = {
  actor: "ref:Token.a1",
  action: "charge",
  targets: ["ref:Token.b1"],
  weapon: "sword",
  options: { mode: "strike" },
  rolls: { to_hit: [41] },
};
const charged = await settle(good(await gm.POST("/v1/encounters/{encounter}/actions", { ...fight, body: submission })));
const again = await gm.POST("/v1/encounters/{encounter}/actions", { ...fight, body: submission });
const log = good(
  await gm.GET("/v1/encounters/{encounter}/log", { params: { path: { encounter: encounter.id }, query: { after: 0, limit: 200 } } }),
);
const damage = log.items.flatMap((event) => (event.type === "damage_dealt" && event.through !== undefined ? [event.through] : []));
report({
  offered: listed.actions.map((one) => one.id),
  asked: charged.flatMap((one) => one.waiting_for.map((decision) => decision.kind)),
  damage,
  events: log.items.length,
  refusal: again.error?.code ?? "",
  reasons: (again.error?.reasons ?? []).map((reason) => reason.clause),
});
