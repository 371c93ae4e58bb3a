"""Discord's interactions, posted and signed as Discord does: whole fights, limits, languages, and who is let in."""

import json
import random
import re
import time
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.api.discord import parts
from app.api.discord.parts import Option
from tests.api.table import Table, fighter, table
from tests.support import discord
from tests.support.discord import PATH, command, interaction, posted, signed
from tests.support.repository import ROOT
from tests.tableview.fights import FIGHTS

pytestmark = pytest.mark.anyio
Json = dict[str, Any]
GM, ATTACKER, DEFENDER, STRANGER = "1", "2", "3", "4"
LOCALES = {GM: "en-US", ATTACKER: "pl", DEFENDER: "ru", STRANGER: "de"}


class Chat:
    """A channel with four people in it; whatever they are shown is held to Discord's limits."""

    def __init__(self, seats: Table) -> None:
        self.seats = seats

    async def send(self, body: Json) -> httpx.Response:
        raw, headers = posted(body)
        return await self.seats.send("POST", PATH, None, content=raw, headers=headers)

    async def post(self, body: Json) -> Json:
        response = await self.send(body)
        assert response.status_code == 200, response.text
        told: Json = response.json()
        within_limits(told)
        return told

    async def say(self, user: str, name: str, **options: Any) -> Json:
        return await self.post(command(name, user, locale=LOCALES[user], **options))

    async def typing(self, user: str, focused: str, **options: Any) -> list[Json]:
        told = await self.post(command("act", user, kind=4, focused=focused, locale=LOCALES[user], **options))
        assert told["type"] == 8
        found: list[Json] = told["data"]["choices"]
        return found

    async def press(self, user: str, name: str, *values: str) -> Json:
        data: Json = {"custom_id": name, "component_type": 3 if values else 2}
        if values:
            data["values"] = list(values)
        return await self.post(interaction(3, user, locale=LOCALES[user], data=data))

    async def fill(self, user: str, form: Json, **typed: str) -> Json:
        lines = [
            {"type": 1, "components": [{"type": 4, "custom_id": name, "value": value}]} for name, value in typed.items()
        ]
        data = {"custom_id": form["data"]["custom_id"], "components": lines}
        return await self.post(interaction(5, user, locale=LOCALES[user], data=data))

    async def sit_down(self, view: Json) -> None:
        """The GM binds the channel, the two fighters join."""
        base = f"/v1/campaigns/{self.seats.campaign}/invites"
        gm = await self.seats.made(base, {"role": "co_gm", "encounter": view["id"]})
        told = await self.say(GM, "bind", code=gm["code"])
        assert told["data"]["content"] == f"This channel now shows {view['name']}.".replace(
            ".", ". Players join with `/turnwright join`."
        )
        for user, body in ((ATTACKER, 0), (DEFENDER, 1)):
            who = view["combatants"][body]["id"]
            invite = await self.seats.made(base, {"role": "player", "combatants": [who]})
            told = await self.say(user, "join", code=invite["code"].lower())
            assert told["data"]["flags"] & 64


def within_limits(told: Json) -> None:
    """What Discord would refuse."""
    data = told.get("data", {})
    if told["type"] in (4, 7):
        assert 1 <= len(data["content"]) <= 2000
        assert data["allowed_mentions"] == {"parse": []}
        assert len(data["components"]) <= 5
    if told["type"] == 8:
        assert len(data["choices"]) <= 25
        assert all(1 <= len(one["name"]) <= 100 and 1 <= len(one["value"]) <= 100 for one in data["choices"])
    if told["type"] == 9:
        assert 1 <= len(data["title"]) <= 45
        assert 1 <= len(data["components"]) <= 5
    names = [data["custom_id"]] if "custom_id" in data else []
    for row in data.get("components", ()):
        assert row["type"] == 1
        assert 1 <= len(row["components"]) <= 5
        for one in row["components"]:
            names.append(one["custom_id"])
            assert 1 <= len(one.get("label", "x")) <= (45 if one["type"] == 4 else 80)
            if one["type"] == 3:
                assert 1 <= len(one["options"]) <= 25
                assert len(row["components"]) == 1
                assert len({choice["value"] for choice in one["options"]}) == len(one["options"])
                for choice in one["options"]:
                    assert 1 <= len(choice["label"]) <= 100
                    assert len(choice.get("description", "")) <= 100
    assert all(1 <= len(name) <= 100 for name in names)
    assert len(names) == len(set(names))


def components(told: Json) -> list[Json]:
    return [one for row in told["data"]["components"] for one in row["components"]]


@pytest.fixture
async def chat(seats: Table) -> Chat:
    """The toy ruleset's duel, shown in a channel: it is Ann's turn, who is the attacker's."""
    view = await seats.create(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
    made = Chat(seats)
    await made.sit_down(view)
    await seats.start()
    return made


# -- whose request it is ---------------------------------------------------------------------------------------


async def test_a_ping_is_answered(seats: Table) -> None:
    assert await Chat(seats).post({"id": "1", "application_id": "2", "type": 1, "version": 1}) == {"type": 1}


@pytest.mark.parametrize("what", ["body", "key", "time", "none", "short"])
async def test_whatever_discord_did_not_sign_is_refused(seats: Table, what: str) -> None:
    raw = json.dumps({"id": "1", "type": 1}).encode()
    headers = signed(raw)
    if what == "body":
        raw = raw.replace(b"1", b"2")
    elif what == "key":
        headers = signed(raw, key=Ed25519PrivateKey.generate())
    elif what == "time":
        headers["x-signature-timestamp"] = str(int(headers["x-signature-timestamp"]) + 1)
    elif what == "none":
        headers = {"content-type": "application/json"}
    else:
        headers["x-signature-ed25519"] = headers["x-signature-ed25519"][:-2]

    response = await seats.send("POST", PATH, None, content=raw, headers=headers)

    assert (response.status_code, response.json()["code"]) == (401, "signature_invalid")


@pytest.mark.parametrize("away", [-301, 301])
async def test_what_was_kept_and_is_sent_again_later_is_refused(seats: Table, away: int) -> None:
    raw = b'{"id": "1", "type": 1}'

    response = await seats.send("POST", PATH, None, content=raw, headers=signed(raw, int(time.time()) + away))

    assert response.status_code == 401


async def test_without_a_key_there_is_nothing(url: str) -> None:
    raw = b'{"id": "1", "type": 1}'
    async with table(url, discord_public_key=None) as seats:
        response = await seats.send("POST", PATH, None, content=raw, headers=signed(raw))

    assert response.status_code == 404


async def test_the_same_interaction_twice_happens_once(chat: Chat) -> None:
    body = command("end-turn", ATTACKER)
    first = await chat.post(body)
    turn = (await chat.seats.get(chat.seats.encounter)).json()["turn"]["combatant"]

    await chat.post(body)

    assert "turn" in first["data"]["content"]
    assert (await chat.seats.get(chat.seats.encounter)).json()["turn"]["combatant"] == turn


# -- who may -----------------------------------------------------------------------------------------------------


async def test_only_a_co_gms_code_binds_and_no_other_is_used_up_by_it(chat: Chat) -> None:
    base = f"/v1/campaigns/{chat.seats.campaign}/invites"
    invite = await chat.seats.made(base, {"role": "spectator"})

    told = await chat.say(GM, "bind", code=invite["code"])

    assert told["data"]["flags"] & 64
    assert (await chat.seats.get(f"{base}/{invite['id']}")).json()["uses_left"] == 1


async def test_whoever_may_not_manage_the_channel_binds_nothing(chat: Chat) -> None:
    base = f"/v1/campaigns/{chat.seats.campaign}/invites"
    view = (await chat.seats.get(chat.seats.encounter)).json()
    invite = await chat.seats.made(base, {"role": "co_gm", "encounter": view["id"]})

    told = await chat.say(ATTACKER, "bind", code=invite["code"])

    assert "zarządzania" in told["data"]["content"]
    assert (await chat.seats.get(f"{base}/{invite['id']}")).json()["uses_left"] == 1


async def test_a_stranger_and_an_unbound_channel_learn_nothing(chat: Chat) -> None:
    for name in ("order", "map", "act", "decide", "end-turn"):
        told = await chat.say(STRANGER, name)
        assert "no seat" in told["data"]["content"], name
        assert told["data"]["flags"] & 64
        elsewhere = await chat.post({**command(name, ATTACKER), "channel_id": "78"})
        assert "No fight" in elsewhere["data"]["content"]
    assert await chat.typing(STRANGER, "action", action="") == []


async def test_nobody_acts_or_answers_for_somebody_elses_combatant(chat: Chat) -> None:
    ann, orc = [await chat.seats.id_of(one) for one in ("ann", "orc")]
    for told in (
        await chat.say(DEFENDER, "end-turn", who=ann),
        await chat.say(DEFENDER, "act", who=ann, action="strike", target=orc),
    ):
        assert told["data"]["flags"] & 64
    asked = (await chat.seats.made(f"{chat.seats.encounter}/actions", chat.seats.strike()))["waiting_for"][0]
    question = await chat.press(ATTACKER, f"d|{asked['id']}")
    refused = await chat.press(ATTACKER, components(question)[0]["custom_id"])

    assert "Ten token nie ma do tego prawa" in refused["data"]["content"]
    assert (await chat.seats.get(f"{chat.seats.encounter}/decisions")).json()["items"][0]["id"] == asked["id"]


async def test_a_revoked_seat_is_none_at_once(chat: Chat) -> None:
    base = f"/v1/campaigns/{chat.seats.campaign}/tokens"
    for one in (await chat.seats.get(base)).json()["items"]:
        if one["name"] == f"User {ATTACKER}":
            await chat.seats.send("DELETE", f"{base}/{one['id']}")

    told = await chat.say(ATTACKER, "order")

    assert "Nie masz jeszcze miejsca" in told["data"]["content"]


async def test_who_joins_anew_leaves_no_token_behind(chat: Chat) -> None:
    base = f"/v1/campaigns/{chat.seats.campaign}"
    orc = await chat.seats.id_of("orc")
    invite = await chat.seats.made(f"{base}/invites", {"role": "player", "combatants": [orc]})

    await chat.say(ATTACKER, "join", code=invite["code"])

    held = [one for one in (await chat.seats.get(f"{base}/tokens")).json()["items"] if one["name"] == "User 2"]
    assert [one["revoked_at"] is None for one in held] == [False, True]
    assert [one["name"] for one in await chat.typing(ATTACKER, "who", who="")] == ["Orc"]


async def test_what_is_hidden_is_in_no_message_of_the_channel(seats: Table) -> None:
    hidden = {**fighter("lurker", "red"), "hidden": True, "name": "Lurker"}
    view = await seats.create(fighter("ann", "blue"), fighter("orc", "red"), hidden)
    chat = Chat(seats)
    await chat.sit_down(view)
    await seats.made(f"{seats.encounter}/start")
    lurker = await seats.id_of("lurker")
    for _ in range(4):
        order = await chat.say(GM, "order")
        assert not order["data"]["flags"] & 64
        assert "Lurker" not in json.dumps(order)
        turn = (await seats.get(seats.encounter)).json()["turn"]["combatant"]
        told = await chat.say(GM, "end-turn")
        if turn == lurker:
            assert "Lurker" not in told["data"]["content"] or told["data"]["flags"] & 64
        else:
            assert "Lurker" not in json.dumps(told) or told["data"]["flags"] & 64
    drawn = await chat.send(command("map", GM))
    assert b"Lurker" not in drawn.content


# -- what it says ------------------------------------------------------------------------------------------------


async def test_names_are_no_markdown_and_call_nobody(seats: Table) -> None:
    evil = "@everyone **x** <@1> [a](https://example.org) `b`"
    view = await seats.create(fighter("ann", "blue", dice="client") | {"name": evil}, fighter("orc", "red"), name=evil)
    chat = Chat(seats)
    base = f"/v1/campaigns/{seats.campaign}/invites"
    gm = await seats.made(base, {"role": "co_gm", "encounter": view["id"]})
    for told in (await chat.say(GM, "bind", code=gm["code"]), await chat.say(GM, "order")):
        content = told["data"]["content"]
        assert "@everyone" not in content
        assert "https://" not in content
        assert not re.search(r"(?<!\\)<@|(?<!\\)\[a|(?<!\\)`b|(?<!\\)\*x", content)


async def test_the_map_comes_as_a_picture(chat: Chat) -> None:
    response = await chat.send(command("map", ATTACKER))

    assert response.headers["content-type"].startswith("multipart/form-data; boundary=")
    assert b'name="payload_json"' in response.content
    assert b'name="files[0]"; filename="map.png"' in response.content
    assert b"\x89PNG\r\n" in response.content


async def test_everybody_is_asked_in_his_own_language(chat: Chat) -> None:
    asked = (await chat.seats.made(f"{chat.seats.encounter}/actions", chat.seats.strike()))["waiting_for"][0]
    told = {user: await chat.press(user, f"d|{asked['id']}") for user in (GM, ATTACKER, DEFENDER)}
    for user, language in ((GM, "en"), (ATTACKER, "pl"), (DEFENDER, "ru")):
        view = await chat.seats.get(
            f"{chat.seats.encounter}/decisions/{asked['id']}", headers={"accept-language": language}
        )
        assert told[user]["data"]["content"].startswith(parts.plain(view.json()["prompt"]))
        assert told[user]["data"]["flags"] & 64


async def test_of_26_targets_each_can_be_chosen(seats: Table) -> None:
    crowd = [fighter(f"orc{number}", "red") for number in range(30)]
    view = await seats.create(fighter("ann", "blue", dice="client"), *crowd)
    chat = Chat(seats)
    await chat.sit_down(view)
    await seats.start()

    told = await chat.say(ATTACKER, "act", action="strike")
    if "sword" in json.dumps(told) and components(told)[0]["custom_id"].startswith("w|"):
        told = await chat.press(ATTACKER, components(told)[0]["custom_id"], components(told)[0]["options"][0]["value"])
    select = components(told)[0]
    assert len(select["options"]) == 25
    later = next(one for one in components(told) if one.get("label", "").startswith("Dalej"))
    second = await chat.press(ATTACKER, later["custom_id"])
    assert second["type"] == 7
    rest = components(second)[0]
    names = {one["label"] for one in (*select["options"], *rest["options"])}
    assert len(names) == 30
    typed = await chat.typing(ATTACKER, "target", action="strike", target="orc29")
    assert [one["name"] for one in typed] == ["Orc29"]
    assert len(await chat.typing(ATTACKER, "target", action="strike", target="orc")) == 25
    struck = await chat.press(ATTACKER, rest["custom_id"], rest["options"][-1]["value"])
    assert rest["options"][-1]["label"] in json.dumps(struck, ensure_ascii=False)


async def test_an_old_button_does_nothing(chat: Chat) -> None:
    ann = await chat.seats.id_of("ann")
    for name in (f"a|{ann}", f"t|{ann}|00000000|-", f"w|{ann}|00000000", "nonsense", "o|dec_none|1|2|3"):
        told = await chat.press(ATTACKER, name, "00000000")
        assert told["data"]["flags"] & 64, name
        assert "Wybierz od nowa" in told["data"]["content"], name
    gone = await chat.press(ATTACKER, "d|dec_0000000000")
    assert gone["data"]["flags"] & 64


@pytest.mark.parametrize(
    "fields",
    [
        {"data": {"options": [7, None, {"name": 3, "options": "x"}]}},
        {"data": {"custom_id": ["a"], "values": [1, {}]}},
        {"data": {"components": [1, {"components": [2, {"value": 7}]}]}},
        {"member": {"user": {"id": 7}}},
        {"member": {"permissions": "many", "user": {"id": "2"}}, "data": {}},
    ],
)
@pytest.mark.parametrize("kind", [2, 3, 4, 5, 6])
async def test_whatever_shape_it_has_it_is_never_our_fault(chat: Chat, kind: int, fields: Json) -> None:
    response = await chat.send({**interaction(kind, ATTACKER), **fields})

    assert response.status_code == 200, response.text


def test_a_message_of_any_length_fits() -> None:
    for lines in (["x" * 5000], ["a" * 1500, "b" * 1500], ["\\*" * 1500], ["line"] * 900, []):
        within_limits(parts.message(lines))
    options = [Option(f"{number}" * 60, "n" * 300, "w" * 300) for number in range(99)]
    within_limits(parts.message(["x"], parts.menu("a|b", options, 2, ("<", ">"), most=5)))
    with pytest.raises(ValueError, match="x"):
        parts.custom_id("x" * 101)


def test_the_published_commands_are_what_discord_takes() -> None:
    (published,) = json.loads((ROOT / "docs" / "samples" / "discord-commands.json").read_text(encoding="utf-8"))
    subs = published["options"]
    assert [one["name"] for one in subs] == ["bind", "join", "order", "map", "act", "decide", "end-turn"]
    for one in (published, *subs, *(option for sub in subs for option in sub["options"])):
        assert re.fullmatch(r"[-_a-z0-9]{1,32}", one["name"])
        assert set(one["description_localizations"]) == {"ru", "pl"}
        assert all(1 <= len(text) <= 100 for text in (one["description"], *one["description_localizations"].values()))
    for sub in subs:
        needed = [option["required"] for option in sub["options"]]
        assert needed == sorted(needed, reverse=True)


# -- whole fights ------------------------------------------------------------------------------------------------


class Fight:
    """Two people who play through the channel alone."""

    def __init__(self, chat: Chat, view: Json, wishes: tuple[str, ...], apart: float) -> None:
        self.chat, self.wishes, self.apart, self.dice = chat, wishes, apart, random.Random(8)
        self.users = {view["combatants"][0]["id"]: ATTACKER, view["combatants"][1]["id"]: DEFENDER, "gm": GM}
        self.said: list[str] = []
        self.forms = 0

    async def play(self) -> Json:
        for _ in range(400):
            view: Json = (await self.chat.seats.get(self.chat.seats.encounter)).json()
            if any(one["status"] != "up" for one in view["combatants"]):
                return view
            if view["waiting_for"]:
                await self.answer(view["waiting_for"][0])
            else:
                await self.take_turn(self.users[view["turn"]["combatant"]])
        raise AssertionError("\n".join(self.said[-12:]))

    def heard(self, told: Json) -> Json:
        if told["type"] == 4:
            self.said.append(told["data"]["content"])
        return told

    async def answer(self, asked: Json) -> None:
        user = self.users[asked["for"]]
        told = await self.chat.press(user, f"d|{asked['id']}")
        if told["type"] == 9:
            count, sides = (int(one) for one in asked["dice"].split("d"))
            faces = " ".join(str(self.dice.randint(1, sides)) for _ in range(count))
            self.heard(await self.chat.fill(user, told, dice=faces))
            return
        buttons = components(told)
        assert told["data"]["flags"] & 64
        assert len(buttons) == len(asked["options"])
        place = self.dice.randrange(len(buttons))
        option = asked["options"][place]
        told = await self.chat.press(user, buttons[place]["custom_id"])
        if told["type"] == 9:
            typed = {}
            for name in option["form"]["required"]:
                schema = option["form"]["properties"][name]
                typed[name] = str((schema.get("enum") or [schema.get("minimum", 1)])[0])
            told = await self.chat.fill(user, told, **typed)
        self.heard(told)

    async def take_turn(self, user: str) -> None:
        names: dict[str, str] = {}
        for want in self.wishes:
            names |= {one["value"]: one["name"] for one in await self.chat.typing(user, "action", action=want)}
        wish = next((id_ for want in self.wishes for id_ in names if id_.partition("/")[0] == want), None)
        told = await self.chat.say(user, "act")
        if wish is None or told["data"]["components"] == []:
            self.heard(await self.chat.say(user, "end-turn"))
            return
        seen = 0
        label, is_found = names[wish], False
        while told["type"] in (4, 7) and told["data"]["flags"] & 64 and told["data"]["components"]:
            seen += 1
            assert seen < 12, told
            select = components(told)[0]
            value = next((one["value"] for one in select["options"] if one["label"] == label), None)
            if value is None and not is_found:
                told = await self.chat.press(user, components(told)[-1]["custom_id"])
                continue
            is_found = True
            told = await self.chat.press(user, select["custom_id"], value or select["options"][0]["value"])
        if told["type"] == 9:
            self.forms += 1
            lines = [one["custom_id"] for one in components(told)]
            assert lines.pop() == "more"
            typed = dict.fromkeys(lines, f"{self.apart:g}") | {"more": "/said/path_straight=yes"}
            if not wish.startswith("charge"):
                del typed["more"]
            told = await self.chat.fill(user, told, **typed)
        self.heard(told)
        if told["data"]["flags"] & 64:
            self.heard(await self.chat.say(user, "end-turn"))


@pytest.mark.parametrize("mode", ["map", "stated"])
@pytest.mark.parametrize("ruleset", ["dark_heresy_2e", "gurps_4e"])
@pytest.mark.timeout(240)
async def test_a_whole_fight_is_played_in_a_channel(real: Table, ruleset: str, mode: str) -> None:
    chosen = FIGHTS[ruleset]
    body = chosen.body(real.campaign, mode)
    if mode == "map":
        for one, place in zip(body["combatants"], ([4, 4], [5, 4]), strict=True):
            one["position"] = place
    view = await real.made("/v1/encounters", body)
    real.encounter = f"/v1/encounters/{view['id']}"
    chat = Chat(real)
    await chat.sit_down(view)
    await real.made(f"{real.encounter}/start")
    fight = Fight(chat, view, chosen.wishes, chosen.apart)

    ended = await fight.play()

    told = "\n".join(fight.said)
    assert parts.plain("Żaneta") in told
    # Without a map nobody knows how far they are apart until the form has asked.
    assert (fight.forms > 0) == (mode == "stated")
    assert ended["combatants"][1]["status"] != "up" or ended["combatants"][0]["status"] != "up"
    order = await chat.say(DEFENDER, "order")
    assert "~~" in order["data"]["content"]


def test_the_key_of_the_tests_is_an_ed25519_key() -> None:
    assert len(bytes.fromhex(discord.PUBLIC)) == 32


async def test_on_postgresql_seats_are_kept_just_so(migrated_postgres_url: str) -> None:
    async with table(migrated_postgres_url) as seats:
        view = await seats.create(fighter("ann", "blue", dice="client"), fighter("orc", "red"))
        chat = Chat(seats)
        await chat.sit_down(view)
        await chat.sit_down(view)
        await seats.start()

        told = await chat.say(ATTACKER, "end-turn")

        assert "Orc" in told["data"]["content"]
        held = (await seats.get(f"/v1/campaigns/{seats.campaign}/tokens")).json()["items"]
        mine = [one["revoked_at"] is None for one in held if one["name"] == f"User {ATTACKER}"]
        assert mine == [False, True]


async def test_each_user_has_a_limit_of_his_own_and_is_told(url: str) -> None:
    async with table(url, rate_limits=True, rate_token="3 per 1 minute") as seats:
        chat = Chat(seats)
        told = [(await chat.say(ATTACKER, "order"))["data"]["content"] for _ in range(4)]
        other = await chat.say(DEFENDER, "order")

    assert len(set(told[:3])) == 1
    assert told[3] != told[0]
    assert "bind" in other["data"]["content"]
