"""The conversation: what each command, button, menu and form is answered with.

Nothing is kept between two of them but what their buttons carry: whose action, which, with what. Each is looked up
anew among what is possible then, so that an old button does nothing that is not allowed now.
"""

from collections.abc import Sequence
from typing import Any

from app.api.discord import phrases, values
from app.api.discord.parts import (
    MOST_FIELDS,
    MOST_OPTIONS,
    Blank,
    Json,
    Option,
    button,
    choices,
    chosen,
    custom_id,
    filled,
    form,
    mark,
    menu,
    message,
    plain,
    row,
    rows_of,
)
from app.api.discord.table import Table
from app.api.discord.words import say
from app.services.errors import Refusal
from app.services.turns import END_TURN

MOST_TARGETS = 5
NONE, MORE = "-", "more"
FEW_OPTIONS = 10
"""So many answers are buttons; more are a menu."""


class Talk:
    """One interaction of somebody who has a seat."""

    def __init__(self, table: Table, language: str, public_language: str) -> None:
        self.table, self.language, self.public_language = table, language, public_language

    def _say(self, word: str, **names: str) -> str:
        return say(self.language, word, **names)

    def _private(self, word: str, rows: Sequence[Json] = (), *, change: bool = False, **names: str) -> Json:
        told = self._say(word, **{name: plain(value) for name, value in names.items()})
        return message([told], rows, private=True, change=change)

    @property
    def _turns(self) -> tuple[str, str]:
        return self._say("earlier"), self._say("later")

    # -- commands ---------------------------------------------------------------------------------------------

    async def command(self, name: str, options: Json) -> Json:
        """A slash command."""
        match name:
            case "order":
                return await self.order()
            case "decide":
                return await self.decide()
            case "end-turn":
                view = await self.table.view()
                actor = (view["turn"] or {}).get("combatant")
                mine = [one.id for one in await self.table.actors(view)]
                if options.get("who") is None and actor not in mine:
                    return self._private("nobody")
                return await self._submit({"actor": options.get("who") or actor, "action": END_TURN}, "")
            case _:
                return await self.act(options)

    async def order(self) -> Json:
        """Who is there, in turn order, as everybody may know."""
        view = await self.table.view(public=True)
        turn = (view["turn"] or {}).get("combatant")
        # Who has no initiative yet comes last.
        people = sorted(view["combatants"], key=lambda one: [-value for value in one["initiative"]] or [10**9])
        lines = [f"**{plain(view['name'])}**"]
        for one in people:
            figures = [f"{pool['name']} {pool['value']}" + phrases.most(pool) for pool in one["resources"]]
            figures += [one["condition"]["name"]] if "condition" in one else []
            figures += [effect["name"] for effect in one["effects"] if effect["active"]]
            known = [one["initiative_text"]] if one["initiative_text"] else []
            told = " · ".join(plain(str(part)) for part in (*known, *figures))
            name = plain(one["name"]) if one["status"] == "up" else f"~~{plain(one['name'])}~~"
            lines.append(f"{'▶' if one['id'] == turn else '▫'} {name}" + (f" — {told}" if told else ""))
        lines += [f"{'▶' if one['id'] == turn else '▫'} ?" for one in view["unknown_slots"]]
        return message(lines, await self._asked_rows(lines))

    async def decide(self) -> Json:
        """What the caller is asked, and what everybody is."""
        asked = await self.table.asked()
        if not asked:
            return self._private("nothing_asked")
        buttons = [button(one["prompt"], custom_id("d", one["id"])) for one in asked[:MOST_OPTIONS]]
        lines = [plain(one["prompt"]) for one in asked]
        return message(lines, rows_of(buttons), private=True)

    async def act(self, options: Json) -> Json:
        """The way through the menus, as far as the command does not name the next step already."""
        actors = await self.table.actors(await self.table.view())
        if not actors:
            return self._private("nobody")
        actor = options.get("who") or (actors[0].id if len(actors) == 1 or actors[0].note else None)
        if actor is None:
            return self._private("choose_who", menu("y", actors, 0, self._turns))
        action = options.get("action")
        listed = await self._ways(actor)
        if action is not None and not any(one.id == action for one in listed):
            action = next((one.id for one in listed if one.name.casefold() == str(action).casefold()), None)
            if action is None:
                return self._private("gone")
        return await self._step(actor, action, options.get("weapon"), options.get("target"))

    # -- autocomplete -----------------------------------------------------------------------------------------

    async def complete(self, focused: str, typed: str, options: Json) -> Json:
        """At most 25 of what fits what was typed."""
        actors = await self.table.actors(await self.table.view())
        actor = options.get("who") or (actors[0].id if actors else None)
        if focused == "who" or actor is None:
            return choices(actors, typed)
        if focused == "action":
            return choices(await self._ways(actor), typed)
        wanted = str(options.get("action") or "").partition("/")[0]
        found = [one for one in await self.table.possible(actor) if not wanted or one["id"] == wanted]
        if focused == "weapon":
            held = {weapon: Option(weapon, weapon) for one in found for weapon in one["weapons"]}
            return choices(await self._items(actor, list(held)), typed)
        aimed = {target.id: target for one in found for target in await self._targets(one)}
        return choices(list(aimed.values()), typed)

    # -- buttons, menus and forms ------------------------------------------------------------------------------

    async def pressed(self, parts: Sequence[str], marks: Sequence[str]) -> Json:
        """A button was pressed or something was chosen from a menu."""
        page = int(parts[-1][1:]) if parts[-1][:1] == "p" and parts[-1][1:].isdigit() else None
        kept = list(parts[:-1]) if page is not None else list(parts)
        match kept:
            case ["y"]:
                return await self._actor_chosen(marks, page or 0)
            case ["a", actor]:
                return await self._action_chosen(actor, marks, page)
            case ["w", actor, act]:
                return await self._weapon_chosen(actor, act, marks, page)
            case ["t", actor, act, weapon]:
                return await self._targets_chosen(actor, act, weapon, marks, page)
            case ["t", actor, act, weapon, "0"]:
                return await self._targets_chosen(actor, act, weapon, (), None)
            case ["d", decision]:
                return await self._question(decision, page or 0, change=page is not None)
            case ["o", decision]:
                return await self._option_chosen(decision, marks[0] if marks else "", page)
            case ["o", decision, option]:
                return await self._option_chosen(decision, option, None)
            case _:
                return self._private("gone")

    async def sent(self, parts: Sequence[str], data: Json) -> Json:
        """A form was sent."""
        typed = filled(data)
        match list(parts):
            case ["m", actor, act, weapon, targets]:
                return await self._details(actor, (act, weapon, targets), typed)
            case ["r", decision]:
                dice = typed.get("dice", "").replace(",", " ").split()
                told = [int(one) if one.isdigit() and len(one) < 10 else one for one in dice]
                return self._happened(*await self.table.reply(decision, {"dice": told}), await self._public_rows())
            case ["f", decision, option]:
                view = await self.table.decision(decision)
                one = _option(view, option)
                if one is None:
                    return self._private("gone")
                schemas = one["form"]["properties"]
                fields = {
                    name: values.by_schema(schemas[name], text) for name, text in typed.items() if name in schemas
                }
                return await self._reply(decision, {"option": one["id"], "fields": fields})
            case _:
                return self._private("gone")

    # -- an action, step by step -------------------------------------------------------------------------------

    async def _ways(self, actor: str) -> list[Option]:
        """Every way of every action that is possible: `id` or `id/type`."""
        found = []
        for one in await self.table.possible(actor):
            ways = [way for way in one["types"] if way["available"]]
            if len(ways) > 1:
                found += [Option(f"{one['id']}/{way['type']}", f"{one['name']} ({way['name']})") for way in ways]
            else:
                found.append(Option(one["id"], one["name"]))
        return found

    async def _items(self, actor: str, weapons: list[str]) -> list[Option]:
        view = await self.table.view()
        items: Json = next((one["items"] for one in view["combatants"] if one["id"] == actor), {})
        return [Option(one, items[one]["name"] if one in items else one) for one in weapons]

    async def _targets(self, action: Json) -> list[Option]:
        view = await self.table.view()
        names = {one["id"]: one["name"] for one in view["combatants"]}
        found = []
        for one in action["targets"]:
            if one["available"] or "missing" in one:
                chance = f"{round(one['chance'] * 100)}%" if "chance" in one else ""
                found.append(Option(one["id"], names.get(one["id"], one["id"]), chance))
        return found

    async def _actor_chosen(self, marks: Sequence[str], page: int) -> Json:
        actors = await self.table.actors(await self.table.view())
        if not marks:
            return self._private("choose_who", menu("y", actors, page, self._turns), change=True)
        found = chosen(actors, marks)
        return self._private("gone") if found is None else await self._step(found[0], None, None, None, change=True)

    async def _action_chosen(self, actor: str, marks: Sequence[str], page: int | None) -> Json:
        if page is not None:
            return await self._step(actor, None, None, None, page=page, change=True)
        found = chosen(await self._ways(actor), marks)
        return self._private("gone") if not found else await self._step(actor, found[0], None, None, change=True)

    async def _weapon_chosen(self, actor: str, act: str, marks: Sequence[str], page: int | None) -> Json:
        action = chosen(await self._ways(actor), [act])
        if action is None:
            return self._private("gone")
        if page is not None:
            return await self._step(actor, action[0], None, None, page=page, change=True)
        weapon = chosen(await self._weapons(actor, action[0]), marks)
        return self._private("gone") if not weapon else await self._step(actor, action[0], weapon[0], None, change=True)

    async def _targets_chosen(self, actor: str, act: str, weapon: str, marks: Sequence[str], page: int | None) -> Json:
        action = chosen(await self._ways(actor), [act])
        if action is None:
            return self._private("gone")
        held = [] if weapon == NONE else chosen(await self._weapons(actor, action[0]), [weapon])
        if held is None:
            return self._private("gone")
        with_what = held[0] if held else None
        if page is not None:
            return await self._step(actor, action[0], with_what, None, page=page, change=True)
        aimed = chosen(await self._targets(await self._action(actor, action[0])), marks)
        if aimed is None:
            return self._private("gone")
        return await self._step(actor, action[0], with_what, aimed)

    async def _action(self, actor: str, way: str) -> Json:
        wanted = way.partition("/")[0]
        return next(one for one in await self.table.possible(actor) if one["id"] == wanted)

    async def _weapons(self, actor: str, way: str) -> list[Option]:
        return await self._items(actor, (await self._action(actor, way))["weapons"])

    async def _step(
        self,
        actor: str,
        way: str | None,
        weapon: str | None,
        targets: list[str] | str | None,
        *,
        page: int = 0,
        change: bool = False,
    ) -> Json:
        """Ask for the next thing that is not known yet, or submit."""
        if way is None:
            ways, name = await self._ways(actor), await self.table.name_of(actor)
            if not ways:
                return self._private("nothing_possible", change=change, name=name)
            return self._private(
                "choose_action", menu(custom_id("a", actor), ways, page, self._turns), change=change, name=name
            )
        action = await self._action(actor, way)
        weapons = await self._weapons(actor, way)
        if weapon is None and len(weapons) > 1:
            rows = menu(custom_id("w", actor, mark(way)), weapons, page, self._turns)
            return self._private("choose_weapon", rows, change=change, action=action["name"])
        weapon = weapon or (weapons[0].id if weapons else None)
        aimed = [targets] if isinstance(targets, str) else targets
        options = await self._targets(action) if aimed is None else []
        if options:
            name = custom_id("t", actor, mark(way), NONE if weapon is None else mark(weapon))
            rows = menu(name, options, page, self._turns, most=MOST_TARGETS)
            rows.append(row(button(self._say("no_target"), custom_id(name, "0"))))
            return self._private("choose_target", rows, change=change, action=action["name"])
        body: Json = {"actor": actor, "action": way.partition("/")[0], "targets": aimed or []}
        if "/" in way:
            body["type"] = way.partition("/")[2]
        if weapon is not None:
            body["weapon"] = weapon
        return await self._submit(body, action["name"], way)

    async def _submit(self, body: Json, name: str, way: str = "") -> Json:
        """Submit; what is only missing is asked for in a form."""
        try:
            told = await self.table.submit(body)
        except Refusal as refused:
            blanks = [
                Blank(view["at"], view["message"], phrases.hint(view["at"])) for view in refused.views if "at" in view
            ]
            only_missing = all(view["code"] == "missing_input" and "at" in view for view in refused.views)
            if not only_missing or not way:
                raise
            state = (mark(way), mark(body["weapon"]) if "weapon" in body else NONE)
            aimed = ".".join(mark(one) for one in body["targets"]) or NONE
            made = custom_id("m", body["actor"], *state, aimed)
            lines = [*{one.id: one for one in blanks}.values()][: MOST_FIELDS - 1]
            # A rule may ask for more once it knows that much, and Discord opens no form for a form.
            lines.append(Blank(MORE, self._say("more_line"), "/said/path_straight=yes, /options/mode=..."))
            return form(made, self._say("details", name=name), lines)
        return self._happened(*told, await self._public_rows())

    async def _details(self, actor: str, state: tuple[str, str, str], typed: dict[str, str]) -> Json:
        """Submit again, with what was missing."""
        act, weapon, targets = state
        way = chosen(await self._ways(actor), [act])
        if way is None:
            return self._private("gone")
        action = await self._action(actor, way[0])
        held = [] if weapon == NONE else chosen(await self._weapons(actor, way[0]), [weapon])
        aimed = [] if targets == NONE else chosen(await self._targets(action), targets.split("."))
        if held is None or aimed is None:
            return self._private("gone")
        body: Json = {"actor": actor, "action": action["id"], "targets": aimed}
        if "/" in way[0]:
            body["type"] = way[0].partition("/")[2]
        if held:
            body["weapon"] = held[0]
        pairs = [one.partition("=") for one in values.words(typed.pop(MORE, ""))]
        for at, text in (*typed.items(), *((at.strip(), text.strip()) for at, _, text in pairs)):
            values.put(body, at, text, aimed)
        return await self._submit(body, action["name"])

    # -- decisions ----------------------------------------------------------------------------------------------

    async def _question(self, decision: str, page: int, *, change: bool = False) -> Json:
        """A decision with its answers, in the language of whoever is to answer it."""
        view = await self.table.decision(decision)
        if "options" not in view:
            label = self._say("your_dice", dice=view.get("dice", "?"))
            return form(custom_id("r", decision), view["prompt"], [Blank("dice", label, view.get("dice", ""), True)])
        lines = [plain(view["prompt"])]
        lines += [f"~~{plain(one['name'])}~~ {plain(phrases.why(one))}" for one in view["unavailable"]]
        options = [Option(one["id"], one["name"] + phrases.chance(one)) for one in view["options"]]
        if len(options) > FEW_OPTIONS:
            return message(
                lines, menu(custom_id("o", decision), options, page, self._turns), private=True, change=change
            )
        buttons = [button(one.name, custom_id("o", decision, mark(one.id))) for one in options]
        return message(lines, rows_of(buttons), private=True)

    async def _option_chosen(self, decision: str, option: str, page: int | None) -> Json:
        if page is not None:
            return await self._question(decision, page, change=True)
        view = await self.table.decision(decision)
        one = _option(view, option)
        if one is None:
            return self._private("gone")
        schemas: Json = one.get("form", {}).get("properties", {})
        if not schemas:
            return await self._reply(decision, {"option": one["id"]})
        needed = one["form"]["required"]
        blanks = [
            Blank(name, schema.get("title", name), values.hint(schema), name in needed)
            for name, schema in sorted(schemas.items(), key=lambda pair: pair[0] not in needed)
        ]
        return form(custom_id("f", decision, mark(one["id"])), one["name"], blanks)

    async def _reply(self, decision: str, body: Json) -> Json:
        return self._happened(*await self.table.reply(decision, body), await self._public_rows())

    # -- what came of it ------------------------------------------------------------------------------------------

    def _happened(self, public: list[str], own: list[str], rows: tuple[list[str], list[Json]]) -> Json:
        """In the channel, what everybody may read; where that is nothing, it is told to the caller alone."""
        asked, buttons = rows
        if public or asked:
            return message([*public, *asked], buttons)
        return message([self._say("hidden"), *own] if own else [self._say("done")], private=True)

    async def _public_rows(self) -> tuple[list[str], list[Json]]:
        """Who is asked what, as everybody may know: a button each, behind which the question stands in full."""
        lines: list[str] = []
        return lines, await self._asked_rows(lines)

    async def _asked_rows(self, lines: list[str]) -> list[Json]:
        asked = await self.table.asked(public=True)
        lines += [f"❓ {plain(one['prompt'])}" for one in asked[:MOST_OPTIONS]]
        if len(asked) > MOST_OPTIONS:
            lines.append(say(self.public_language, "more_asked"))
        told = say(self.public_language, "answer"), say(self.public_language, "roll")
        labels = [f"{told['options' not in one]}: {one['prompt']}" for one in asked[:MOST_OPTIONS]]
        buttons = [button(label, custom_id("d", one["id"]), style=1) for label, one in zip(labels, asked, strict=False)]
        return rows_of(buttons)


def _option(view: Json, marked: str) -> Any:
    return next((one for one in view.get("options", ()) if mark(one["id"]) == marked), None)
