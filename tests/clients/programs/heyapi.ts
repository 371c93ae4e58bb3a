// The fight through the functions of @hey-api/openapi-ts.
import {
  answerDecision,
  createCampaign,
  createEncounter,
  listActions,
  readLog,
  startEncounter,
  submitAction,
  type CommandResult,
  type Decision,
  type Submission,
} from "turnwright/heyapi";
import { client } from "turnwright/heyapi/client.gen";
import { report, settings } from "./told";

const { url, token } = settings();
client.setConfig({ baseUrl: url, auth: token });
client.interceptors.request.use((request) => {
  if (request.method !== "GET") request.headers.set("idempotency-key", crypto.randomUUID());
  return request;
});

const campaign = (await createCampaign({ body: { name: "Thursday" }, throwOnError: true })).data;
client.setConfig({ baseUrl: url, auth: campaign.gm_token });
const encounter = (
  await createEncounter({
    throwOnError: true,
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
  })
).data;
const path = { encounter: encounter.id };
const sable = encounter.combatants.find((one) => one.external_ref === "Token.a1");

async function answer(asked: Decision): Promise<CommandResult> {
  const body =
    asked.dice === undefined
      ? { option: "none" }
      : { dice: [asked.name === "initiative" && asked.for !== sable?.id ? 1 : 7] };
  return (await answerDecision({ path: { ...path, decision: asked.id }, body, throwOnError: true })).data;
}

async function settle(result: CommandResult): Promise<CommandResult[]> {
  const all = [result];
  for (let last = result, asked = last.waiting_for[0]; asked !== undefined; asked = last.waiting_for[0]) {
    last = await answer(asked);
    all.push(last);
  }
  return all;
}

await settle((await startEncounter({ path, body: {}, throwOnError: true })).data);
const listed = await listActions({
  path: { ...path, combatant: "ref:Token.a1" },
  query: { available: true },
  throwOnError: true,
});
const submission: Submission = {
  actor: "ref:Token.a1",
  action: "charge",
  targets: ["ref:Token.b1"],
  weapon: "sword",
  options: { mode: "strike" },
  rolls: { to_hit: [41] },
};
const charged = await settle((await submitAction({ path, body: submission, throwOnError: true })).data);
const again = await submitAction({ path, body: submission });
const log = (await readLog({ path, query: { after: 0, limit: 200 }, throwOnError: true })).data;
report({
  offered: listed.data.actions.map((one) => one.id),
  asked: charged.flatMap((one) => one.waiting_for.map((decision) => decision.kind)),
  damage: log.items.flatMap((event) => (event.type === "damage_dealt" && event.through !== undefined ? [event.through] : [])),
  events: log.items.length,
  refusal: again.error?.code ?? "",
  reasons: (again.error?.reasons ?? []).map((reason) => reason.clause),
});
