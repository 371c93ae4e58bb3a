"""House rules over HTTP: put, read, compared, taken away, and three tables that play by theirs to the end."""

import json
from typing import Any

import pytest

from app.persistence.verify import verify
from tests.api.table import Table, table
from tests.house.documents import DARK_HERESY, MANEWRY, SHADOWRUN
from tests.house.test_mistakes import PLACES, TWENTY
from tests.support import play
from tests.support.play import catalog

Json = dict[str, Any]
FIGHTS = {
    "dark_heresy_2e": ("heavy_swing", "brok", "brok", {"great": {"kind": "great_weapon", "held": "both"}}),
    "manewry_ap": ("melee_attack", "borys", "jagna", None),
    "shadowrun_5e": ("fire_single_shot", "", "", None),
}
"""What is done, by whom, to whom, and with what beside the sample's own."""


def path(seats: Table, name: str = "ours") -> str:
    """Where house rules are."""
    return f"/v1/campaigns/{seats.campaign}/house-rules/{name}"


async def put(seats: Table, document: Any, name: str = "ours", **fields: Any) -> Any:
    """Put a document."""
    return await seats.send("PUT", path(seats, name), fields.pop("who", "gm"), json=document, **fields)


async def fight(seats: Table, document: Json, people: list[Json], name: str = "ours") -> str:
    """An encounter under these house rules, side by side and begun."""
    assert (await put(seats, document, name)).is_success
    body = {
        "campaign": seats.campaign,
        "name": "Yard",
        "ruleset": document["extends"],
        "house_rules": name,
        "combatants": people,
        "space": {"mode": "stated", "facts": [
            {"from": "ref:one", "to": "ref:other", "distance": 1, "engaged": True, "sees": True, "cover": "none"},
            {"from": "ref:other", "to": "ref:one", "sees": True, "cover": "none"},
        ]},
    }  # fmt: skip
    made = await seats.made("/v1/encounters", body)
    home = f"/v1/encounters/{made['id']}"
    await seats.made(f"{home}/start")
    await settle(seats, home)
    return home


def two(sample: str, other: str, **fields: Any) -> list[Json]:
    """Two who fight each other."""
    return [
        {"sample": sample, "side": "one", "external_ref": "one", **fields},
        {"sample": other, "side": "other", "external_ref": "other", **fields},
    ]


async def settle(seats: Table, home: str) -> None:
    """Every question answered by its default."""
    while waiting := (await seats.get(f"{home}/decisions")).json()["items"]:
        body: Json = {"option": waiting[0]["default"]}
        response = await seats.post(f"{home}/decisions/{waiting[0]['id']}", body)
        assert response.is_success, response.text


async def act(seats: Table, home: str, action: str, who: str, **fields: Any) -> Any:
    """Somebody does something, and whatever is asked is answered."""
    body = {"actor": f"ref:{who}", "action": action, **fields}
    response = await seats.post(f"{home}/actions", body)
    await settle(seats, home)
    return response


async def on_turn(seats: Table, home: str) -> str:
    """Whose turn it is, by reference."""
    view = (await seats.get(home)).json()
    turn = view["turn"]
    return str(next(one["external_ref"] for one in view["combatants"] if turn and one["id"] == turn["combatant"]))


async def to_the_end(seats: Table, home: str, action: str, rounds: int = 40, **fields: Any) -> int:
    """They do it to each other until somebody is down, or it is enough; then the GM ends it. How often it was done."""
    done = 0
    for _ in range(rounds):
        view = (await seats.get(home)).json()
        if view["status"] != "running" or any(one["status"] != "up" for one in view["combatants"]):
            break
        who = await on_turn(seats, home)
        other = "other" if who == "one" else "one"
        response = await act(seats, home, action, who, targets=[f"ref:{other}"], **fields)
        done += response.is_success
        if (await seats.get(home)).json()["turn"]:
            await seats.post(f"{home}/end-turn")
            await settle(seats, home)
    if (await seats.get(home)).json()["status"] == "running":
        await seats.made(f"{home}/end")
    assert (await seats.get(home)).json()["status"] == "ended"
    return done


# What is stored


async def test_house_rules_are_put_read_and_taken_away(real: Table) -> None:
    made = await put(real, DARK_HERESY)
    assert (made.status_code, made.headers["etag"]) == (201, '"1"')
    assert made.headers["location"] == path(real)
    again = await put(real, DARK_HERESY)
    assert (again.status_code, again.headers["etag"], again.json()) == (200, '"1"', made.json())

    read = await real.get(path(real), "ann")
    assert read.json() == {**made.json(), "document": DARK_HERESY}
    mine = (await real.get(path(real))).headers["etag"]
    assert (await real.get(path(real), headers={"if-none-match": mine})).status_code == 304
    polish = await real.get(path(real), headers={"accept-language": "pl"})
    assert polish.json()["title"] == "Ciężka ręka"

    changed = {**DARK_HERESY, "options": {}}
    assert (await put(real, changed)).headers["etag"] == '"2"'
    assert (await real.get(f"{path(real)}?version=1")).json()["document"] == DARK_HERESY
    assert (await real.get(f"{path(real)}?version=3")).status_code == 404
    assert [
        one["version"] for one in (await real.get(f"/v1/campaigns/{real.campaign}/house-rules")).json()["items"]
    ] == [2]

    assert (await real.send("DELETE", path(real))).status_code == 204
    assert (await real.get(path(real))).status_code == 404
    assert (await real.get(f"/v1/campaigns/{real.campaign}/house-rules")).json()["items"] == []
    assert (await put(real, DARK_HERESY)).json()["version"] == 3


async def test_a_change_names_the_version_it_was_made_from(real: Table) -> None:
    assert (await put(real, DARK_HERESY, headers={"if-match": '"1"'})).status_code == 412
    assert (await put(real, DARK_HERESY, headers={"if-match": '"0"'})).status_code == 201
    stale = await put(real, {**DARK_HERESY, "options": {}}, headers={"if-match": '"7"'})
    assert (stale.status_code, stale.json()["code"], stale.headers["etag"]) == (412, "stale_version", '"1"')
    assert (await real.send("DELETE", path(real), headers={"if-match": '"7"'})).status_code == 412

    key = {"idempotency-key": "once"}
    first = await put(real, {**DARK_HERESY, "options": {}}, headers=key)
    second = await put(real, {**DARK_HERESY, "options": {}}, headers=key)
    assert (first.json(), second.headers["idempotency-replayed"]) == (second.json(), "true")
    assert (await put(real, DARK_HERESY, headers=key)).status_code == 422


async def test_everybody_at_the_table_reads_and_only_its_gm_writes(real: Table) -> None:
    assert (await put(real, MANEWRY)).status_code == 201
    for who in ("ann", "orc", "watcher", "admin"):
        assert (await real.get(path(real), who)).status_code == 200
        assert (await real.get(f"{path(real)}/diff", who)).status_code == 200
    for who in ("ann", "watcher"):
        assert (await put(real, MANEWRY, who=who)).status_code == 403
        assert (await real.send("DELETE", path(real), who)).status_code == 403
    for method, address in (("GET", path(real)), ("GET", f"{path(real)}/diff"), ("DELETE", path(real))):
        assert (await real.send(method, address, "stranger")).status_code == 404
    assert (await put(real, MANEWRY, who="stranger")).status_code == 404
    assert (await real.get(path(real), None)).status_code == 401
    narrow = await real.made("/v1/encounters", {"campaign": real.campaign, "name": "x", "ruleset": "manewry_ap"})
    token = {"role": "co_gm", "name": "Guest", "encounter": narrow["id"]}
    real.tokens["guest"] = (await real.made(f"/v1/campaigns/{real.campaign}/tokens", token))["token"]
    assert (await put(real, MANEWRY, who="guest")).status_code == 403


async def test_whoever_sees_an_encounter_reads_its_rules(real: Table) -> None:
    home = await fight(real, DARK_HERESY, two("brok", "brok"))
    for page in ("", "/schema", "/actions/heavy_swing", "/rules/HR-101", "/rules/DH-3950"):
        for who in ("ann", "watcher", "gm", "admin"):
            assert (await real.get(f"{home}/ruleset{page}", who)).status_code == 200
        assert (await real.get(f"{home}/ruleset{page}", "stranger")).status_code == 404
    for page in ("/actions/no_such_action", "/rules/HR-999"):
        assert (await real.get(f"{home}/ruleset{page}")).status_code == 404


async def test_every_mistake_comes_back_with_its_place(real: Table) -> None:
    refused = await put(real, TWENTY, headers={"accept-language": "pl"})
    assert refused.status_code == 422
    errors = refused.json()["errors"]
    assert [(one["at"], one["code"]) for one in errors] == PLACES
    assert next(one["message"] for one in errors if one["at"] == "/actions/chargge").startswith(
        "podstawa nie ma chargge"
    )
    assert (await real.get(path(real))).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "invalid_json"),
        (b"[" * 5000 + b"]" * 5000, 400, "invalid_json"),
        (b'{"extends": "manewry_ap", "extends": "gurps_4e"}', 400, "duplicate_key"),
        (b'{"extends": "manewry_ap", "options": {"base_st": NaN}}', 400, "invalid_json"),
        (b'{"extends": "manewry_ap", "options": {"base_st": 1e999}}', 400, "invalid_json"),
        (b'{"extends": "manewry_ap\\u0000"}', 422, "invalid_request"),
        (b'{"extends": "manewry_ap", "title": {"en": "a\\u0000"}}', 422, "invalid_request"),
        (b'{"extends": "no_such_ruleset"}', 422, "invalid_request"),
        (b"7", 422, "invalid_request"),
        (b"null", 422, "invalid_request"),
        (b'{"extends": "manewry_ap", "options": {"base_st": 99999999999999999999999}}', 422, "invalid_request"),
        (b'{"extends": "manewry_ap", "note": "' + b"x" * 300_000 + b'"}', 413, "body_too_large"),
    ],
)
async def test_what_is_no_such_document_is_refused_in_words(real: Table, body: bytes, status: int, code: str) -> None:
    headers = {"content-type": "application/json"}
    refused = await real.send("PUT", path(real), content=body, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("document", "at", "code", "message"),
    [
        ({"options": {}}, "/extends", "extends_missing", "`extends` is missing: it names the ruleset that is changed"),
        ({"extends": 7}, "/extends", "wrong_type", "Expected here: text"),
        ({"extends": None}, "/extends", "wrong_type", "Expected here: text"),
        (
            {"extends": "dark_heresy"},
            "/extends",
            "unknown_ruleset",
            "There is no such ruleset; there are: dark_heresy_2e",
        ),
    ],
)
async def test_which_ruleset_is_changed_must_be_said(
    real: Table, document: Json, at: str, code: str, message: str
) -> None:
    refused = await put(real, document)

    (error,) = refused.json()["errors"]
    assert refused.status_code == 422
    assert (error["at"], error["code"]) == (at, code)
    assert error["message"].startswith(message)


async def test_an_encounter_names_house_rules_that_are_there_and_of_its_ruleset(real: Table) -> None:
    await put(real, MANEWRY)
    body = {"campaign": real.campaign, "name": "x", "ruleset": "manewry_ap", "house_rules": "others"}
    for given, code in (
        (body, "unknown_house_rules"),
        ({**body, "house_rules": "ours", "ruleset": "gurps_4e"}, "other_ruleset"),
    ):
        refused = await real.post("/v1/encounters", given)
        assert [(one["code"], one["at"]) for one in refused.json()["errors"]] == [(code, "/house_rules")]


# What is told of them


async def test_the_difference_is_told_in_words_and_figures(real: Table) -> None:
    await put(real, DARK_HERESY)
    told = (await real.get(f"{path(real)}/diff", headers={"accept-language": "en"})).json()
    lines = {one["at"]: one["text"] for one in told["items"]}
    assert lines["/options/evasion_multi"].startswith("option Hits negated by Evasion (DH-3630): ")
    assert lines["/actions/heavy_swing"] == "action Heavy Swing (HR-101): added"
    assert "weapon Laspistol" in lines["/weapons/laspistol/reload/kind"]
    russian = (await real.get(f"{path(real)}/diff", headers={"accept-language": "ru"})).json()
    assert "действие Тяжёлый взмах (HR-101): добавлено" in {one["text"] for one in russian["items"]}


async def test_the_difference_tells_what_a_change_weighs(real: Table) -> None:
    await put(real, MANEWRY)
    told = (await real.get(f"{path(real)}/diff")).json()
    weighed = {one["action"]: (one["before"], one["after"]) for one in told["chances"]}
    assert weighed["melee_attack"][0] != weighed["melee_attack"][1]
    assert all(0 <= chance <= 1 for pair in weighed.values() for chance in pair)


async def test_a_schema_of_house_rules_is_there_for_every_ruleset(real: Table) -> None:
    for book in catalog():
        told = (await real.get(f"/v1/rulesets/{book.id}/house-rules-schema", None)).json()
        assert told["properties"]["extends"] == {"const": book.id}
        assert set(told["properties"]["options"]["properties"]) == set(book.document["options"])
        opened = told["$defs"]["ActionModel"]["properties"]["resolver"]
        assert "effect" in json.dumps(opened)


# Played


async def test_dark_heresy_with_a_new_attack_for_both_hands(real: Table) -> None:
    people = two("brok", "brok", items={"great": {"kind": "great_weapon", "held": "both"}})
    home = await fight(real, DARK_HERESY, people)
    who = await on_turn(real, home)
    listed = (await real.get(f"{home}/combatants/ref:{who}/actions", headers={"accept-language": "ru"})).json()[
        "actions"
    ]
    swing = next(one for one in listed if one["id"] == "heavy_swing")
    assert (swing["name"], swing["available"], swing["clauses"]) == ("Тяжёлый взмах", True, ["HR-101"])
    form = (await real.get(swing["form"]["href"].partition("#")[0], headers={"accept-language": "pl"})).json()
    assert (form["name"], set(form["form"]["properties"])) == ("Ciężki zamach", {"aware"})
    foe = "other" if who == "one" else "one"
    sub = {"actor": f"ref:{who}", "action": "heavy_swing", "targets": [f"ref:{foe}"], "weapon": "great"}
    foreseen = (await real.post(f"{home}/actions/preview", sub)).json()
    assert foreseen["legal"] is True
    assert [term["id"] for term in foreseen["checks"][0]["terms"]][:2] == ["ws", "heavy_swing"]
    assert await to_the_end(real, home, "heavy_swing", weapon="great") > 0
    log = (await real.get(f"{home}/log?limit=200", headers={"accept-language": "pl"})).json()["items"]
    assert any("ciężki zamach" in one["text"] for one in log)
    clause = (await real.get(f"{home}/ruleset/rules/HR-101")).json()
    assert clause["text"] == "This table's own rule: Heavy Swing."


async def test_a_new_attack_for_both_hands_is_refused_with_one(real: Table) -> None:
    home = await fight(real, DARK_HERESY, two("brok", "brok", items={"sword": {"kind": "sword", "held": "main"}}))
    who = await on_turn(real, home)
    foe = "other" if who == "one" else "one"
    refused = await act(real, home, "heavy_swing", who, targets=[f"ref:{foe}"], weapon="sword")
    assert refused.status_code == 409
    reasons = [(one["code"], one["clause"]) for one in refused.json()["reasons"]]
    assert ("two_hands_required", "HR-101") in reasons


async def test_manewry_with_three_dice_and_twelve_points(real: Table) -> None:
    home = await fight(real, MANEWRY, two("borys", "jagna"))
    who = await on_turn(real, home)
    body = (await real.get(f"{home}/combatants/ref:{who}")).json()
    assert next(one["left"] for one in body["budgets"] if one["id"] == "ap") == 12
    foe = "other" if who == "one" else "one"
    done = await act(real, home, "melee_attack", who, targets=[f"ref:{foe}"])
    assert done.is_success, done.text
    log = (await real.get(f"{home}/log?limit=200")).json()["items"]
    dice = next(one["dice"] for one in log if one["type"] == "check_rolled")
    assert [die["sides"] for die in dice] == [10, 10, 10]
    assert await to_the_end(real, home, "melee_attack") >= 0


async def test_shadowrun_with_two_attacks_a_phase(real: Table) -> None:
    samples = sorted(catalog().get("shadowrun_5e").document["samples"])  # type: ignore[union-attr]
    home = await fight(
        real,
        SHADOWRUN,
        two(samples[0], samples[0], items={"gun": {"kind": "ares_predator_v", "held": "main", "marks": {"ammo": 15}}}),
    )
    plain = await real.made("/v1/encounters", {"campaign": real.campaign, "name": "book", "ruleset": "shadowrun_5e"})
    assert plain["house_rules"] is None
    who = await on_turn(real, home)
    foe = "other" if who == "one" else "one"
    shot = {"targets": [f"ref:{foe}"], "weapon": "gun"}
    first = await act(real, home, "fire_single_shot", who, **shot)
    second = await act(real, home, "fire_single_shot", who, **shot)
    assert (first.status_code, second.status_code) == (201, 201), second.text
    await to_the_end(real, home, "fire_single_shot", weapon="gun")


# Kept


async def test_an_encounter_keeps_the_version_it_began_with(url: str) -> None:
    async with table(url, catalog=catalog()) as seats:
        home = await fight(seats, DARK_HERESY, two("brok", "brok"))
        pin = (await seats.get(home)).json()["pin"]
        changed = json.loads(json.dumps(DARK_HERESY))
        changed["actions"]["heavy_swing"]["params"]["to_hit"] = 40
        changed["actions"]["charge"] = None
        assert (await put(seats, changed)).json()["version"] == 2
        view = (await seats.get(home)).json()
        assert (view["pin"], view["house_rules"]) == (pin, {"name": "ours", "version": 1})
        newer = await seats.made(
            "/v1/encounters",
            {"campaign": seats.campaign, "name": "y", "ruleset": "dark_heresy_2e", "house_rules": "ours"},
        )
        assert newer["house_rules"] == {"name": "ours", "version": 2}
        actions = (await seats.get(f"/v1/encounters/{newer['id']}/ruleset")).json()["actions"]
        assert "charge" not in {one["id"] for one in actions}
        assert (await seats.send("DELETE", path(seats))).status_code == 204
        kept = dict(seats.tokens)
        campaign = seats.campaign
    # Another start of the server: nothing is held, everything is fetched.
    async with table(url, catalog=play.catalog()) as seats:
        seats.tokens.update({name: token for name, token in kept.items() if name != "admin"})
        seats.campaign = campaign
        view = (await seats.get(home)).json()
        assert (view["pin"], view["house_rules"]["version"]) == (pin, 1)
        who = await on_turn(seats, home)
        listed = (await seats.get(f"{home}/combatants/ref:{who}/actions")).json()["actions"]
        assert {"charge", "heavy_swing"} <= {one["id"] for one in listed}
        begun = (await seats.get(home)).json()["version"]
        assert await to_the_end(seats, home, "heavy_swing", rounds=3) >= 0
        rewound = await seats.post(f"{home}/rewind", {"to_version": begun, "reason": "once more"})
        assert rewound.status_code == 201, rewound.text
        assert (await seats.get(home)).json()["pin"] == pin
        assert await on_turn(seats, home) == who
        swing = (await seats.get(f"{home}/combatants/ref:{who}/actions")).json()["actions"]
        assert "heavy_swing" in {one["id"] for one in swing}
    assert verify(url).findings == ()


async def test_one_campaign_knows_nothing_of_anothers_words(real: Table) -> None:
    await put(real, DARK_HERESY)
    other = json.loads(json.dumps(DARK_HERESY))
    other["actions"]["heavy_swing"]["name"] = {"en": "Mighty Blow"}
    await put(real, other, name="theirs")
    pins = {(await real.get(path(real, name))).json()["pin"] for name in ("ours", "theirs")}
    assert len(pins) == 2
