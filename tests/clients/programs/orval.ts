// The fight through orval's functions.
import { createCampaign } from "turnwright/orval/campaigns/campaigns";
import { listActions } from "turnwright/orval/combatants/combatants";
import { createEncounter, startEncounter } from "turnwright/orval/encounters/encounters";
import { readLog } from "turnwright/orval/follow/follow";
import { answerDecision, submitAction } from "turnwright/orval/play/play";
import type { CommandResult, Decision, Submission } from "turnwright/orval/model";
import { as } from "./carrier";
import { report, settings } from "./told";

as(settings().token);
const opened = await createCampaign({ name: "Thursday" });
if (opened.status !== 201) throw new Error(opened.data.detail);
as(opened.data.gm_token);
const made = await createEncounter({
  campaign: opened.data.id,
  name: "Manufactorum",
  ruleset: "dark_heresy_2e",
  space: { mode: "map", grid: "none", size: [40, 25], walls: [[[22, 14], [22, 25]]] },
  combatants: [
    { sample: "sable", side: "acolytes", position: { x: 2, y: 3 }, external_ref: "Token.a1", dice: "client" },
    { sample: "brok", side: "cult", position: [11, 3], external_ref: "Token.b1", dice: "client", policy: { defend: "ask" } },
  ],
});
if (made.status !== 201) throw new Error(made.data.detail);
const fight = made.data.id;
const sable = made.data.combatants.find((one) => one.external_ref === "Token.a1");

async function answer(asked: Decision): Promise<CommandResult> {
  const body =
    asked.dice === undefined
      ? { option: "none" }
      : { dice: [asked.name === "initiative" && asked.for !== sable?.id ? 1 : 7] };
  const told = await answerDecision(fight, asked.id, body);
  if (told.status !== 201) throw new Error(told.data.detail);
  return told.data;
}

async function settle(result: CommandResult): Promise<CommandResult[]> {
  const all = [result];
  for (let last = result, asked = last.waiting_for[0]; asked !== undefined; asked = last.waiting_for[0]) {
    last = await answer(asked);
    all.push(last);
  }
  return all;
}

const started = await startEncounter(fight, {});
if (started.status !== 201) throw new Error(started.data.detail);
await settle(started.data);
const listed = await listActions(fight, "ref:Token.a1", { available: true });
if (listed.status !== 200) throw new Error("no list");
const submission: Submission = {
  actor: "ref:Token.a1",
  action: "charge",
  targets: ["ref:Token.b1"],
  weapon: "sword",
  options: { mode: "strike" },
  rolls: { to_hit: [41] },
};
const submitted = await submitAction(fight, submission);
if (submitted.status !== 201) throw new Error(submitted.data.detail);
const charged = await settle(submitted.data);
const again = await submitAction(fight, submission);
const log = await readLog(fight, { after: 0, limit: 200 });
if (log.status !== 200) throw new Error("no log");
report({
  offered: listed.data.actions.map((one) => one.id),
  asked: charged.flatMap((one) => one.waiting_for.map((decision) => decision.kind)),
  damage: log.data.items.flatMap((event) => (event.type === "damage_dealt" && event.through !== undefined ? [event.through] : [])),
  events: log.data.items.length,
  refusal: again.status === 409 ? again.data.code : "",
  reasons: again.status === 409 ? (again.data.reasons ?? []).map((reason) => reason.clause) : [],
});
