#!/usr/bin/env bash
# A fight by curl: campaign, encounter, start, one attack, its decision, the log.
# Usage: TURNWRIGHT_URL=http://127.0.0.1:8000 TURNWRIGHT_TOKEN=tw_... ./fight.sh     (an admin's token; needs python3)
set -euo pipefail

call() { # METHOD PATH [BODY]: the answer; what is refused is printed, and ends the script
  curl -sS --fail-with-body -X "$1" "$TURNWRIGHT_URL$2" -H "Authorization: Bearer $TOKEN" \
    -H "Content-Type: application/json" -H "Idempotency-Key: $$-$RANDOM$RANDOM" ${3:+-d "$3"}
}
pick() { # an expression on the answer `a`
  python3 -c 'import json, re, sys; a = json.load(sys.stdin); print(eval(sys.argv[1]))' "$1"
}

TOKEN=$TURNWRIGHT_TOKEN
campaign=$(call POST /v1/campaigns '{"name": "Thursday"}')
TOKEN=$(pick 'a["gm_token"]' <<<"$campaign")
fight=/v1/encounters/$(call POST /v1/encounters '{
  "campaign": "'"$(pick 'a["id"]' <<<"$campaign")"'", "name": "Hollow Gate", "ruleset": "dark_heresy_2e",
  "space": {"mode": "map", "size": [40, 25]},
  "combatants": [
    {"sample": "sable", "side": "acolytes", "external_ref": "sable", "position": [2, 3]},
    {"sample": "brok", "side": "cult", "external_ref": "brok", "position": [8, 3]}]}' | pick 'a["id"]')
call POST "$fight/start" '{}' >/dev/null

actor=$(call GET "$fight" | pick 'a["turn"]["combatant"]')
can=$(call GET "$fight/combatants/$actor/actions?available=true")
pick '"can: " + ", ".join(x["name"] for x in a["actions"])' <<<"$can"
body=$(pick '[json.dumps({"actor": "'"$actor"'", "action": x["id"], "weapon": x["weapons"][0], "targets": [t["id"]]})
  for x in a["actions"] if "attack" in x["tags"] and x["weapons"] for t in x["targets"] if t["available"]][0]' <<<"$can")
told=$(call POST "$fight/actions" "$body")

while [ "$(pick 'a["status"]' <<<"$told")" = waiting ]; do # whoever is asked takes what comes
  decision=$(pick 'a["waiting_for"][0]["id"]' <<<"$told")
  told=$(call POST "$fight/decisions/$decision" '{"option": "'"$(pick 'a["waiting_for"][0]["default"]' <<<"$told")"'"}')
done
# Names in sentences are escaped for Markdown; a terminal shows them without the backslashes.
call GET "$fight/log?limit=200" | pick 're.sub(r"\\([!-/:-@\[-`{-~])", r"\1", "\n".join(e["text"] for e in a["items"] if e["text"]))'
