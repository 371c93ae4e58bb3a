"""Fights for the page: who stands where, and which actions each side would like to take, the dearest wish first."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Fight:
    """One fight of two, on a map or without one.

    `first` is what the attacker does once before anything else, by pointing at a place of the map; `wishes` are tried
    in turn, the first that the page finds possible is taken. `distance` is stated where the page asks for one.
    """

    ruleset: str
    attacker: Json
    defender: Json
    wishes: tuple[str, ...]
    apart: float = 1
    first: str = ""
    places: tuple[Any, Any] = ([4, 4], [5, 4])
    space: Json = field(default_factory=lambda: {"mode": "map", "size": [20, 12]})

    def body(self, campaign: str, mode: str) -> Json:
        """The encounter. The attacker rolls his own dice, the server those of the defender."""
        people = [
            {"name": "Żaneta", "side": "blue", "external_ref": "one", "dice": "client", **self.attacker},
            {"name": "Борис", "side": "red", "external_ref": "other", "dice": "server", **self.defender},
        ]
        if mode == "map":
            for body, place in zip(people, self.places, strict=True):
                body["position"] = place
        # Only that each sees the other; how far they are apart the page must ask for.
        sight: list[Json] = [
            {"from": f"ref:{one}", "to": f"ref:{other}", "sees": True, "cover": "none"}
            for one, other in (("one", "other"), ("other", "one"))
        ]
        space = self.space if mode == "map" else {"mode": "stated", "facts": sight}
        return {
            "campaign": campaign,
            "name": "Yard",
            "ruleset": self.ruleset,
            "space": space,
            "combatants": people,
        }


FIGHTS = {
    one.ruleset: one
    for one in (
        Fight(
            "dark_heresy_2e",
            {"sample": "sable", "sheet": {"ws": 75, "s": 60}},
            {"sample": "sable", "sheet": {"ws": 40, "wounds_max": 4, "armour": "none", "fate_points": 0, "ag": 15}},
            ("standard_attack", "charge"),
            apart=5,
            first="move",
            places=([4, 4], [8, 4]),
        ),
        Fight(
            "gurps_4e",
            {"sample": "sample_swordsman", "sheet": {"st": 16, "skills": {"broadsword": 18}}},
            {"sample": "sample_axeman", "sheet": {"hp_max": 4, "ht": 7, "armour": "none", "skills": {"axe_mace": 9}}},
            ("attack",),
            first="move",
            places=([3, 4], [6, 4]),
            space={"mode": "map", "grid": "hex", "size": [14, 10]},
        ),
        Fight(
            "manewry_ap",
            {"sample": "borys", "sheet": {"mel": 26, "str": 24}},
            {"sample": "borys", "sheet": {"hp_max": 12, "armour": "clothes", "mel": 8}},
            ("melee_attack",),
            first="walk",
            places=({"x": 4, "y": 4, "facing": 90}, {"x": 6, "y": 4, "facing": 270}),
            space={"mode": "map", "grid": "square", "size": [12, 8]},
        ),
        Fight(
            "shadowrun_5e",
            {"sample": "razor", "items": {"katana": {"kind": "katana", "held": "both"}}},
            {"sample": "wren", "sheet": {"body": 1, "reaction": 1, "armour": "none"}},
            ("melee_attack",),
            first="walk",
            places=([4, 4], [7, 4]),
        ),
        Fight(
            "wh40k_d100",
            {"sample": "lyse", "sheet": {"ws": 80, "s": 60}},
            {"sample": "trooper", "sheet": {"wounds_max": 4, "armour": "none"}},
            ("attack",),
            first="move",
            places=([4, 4], [7, 4]),
            space={
                "mode": "map",
                "size": [20, 12],
                "walls": [[[12, 1], [12, 8]]],
                "regions": [{"kind": "smoke", "shape": [[14, 2], [18, 2], [18, 6], [14, 6]]}],
            },
        ),
    )
}
