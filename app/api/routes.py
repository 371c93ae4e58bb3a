"""All routes, the quick ones first: they are looked through in order."""

from fastapi import FastAPI

from app.api import (
    campaigns,
    combatants,
    encounter_rules,
    encounters,
    follow,
    history,
    house_rules,
    invites,
    pictures,
    play,
    rulesets,
    system,
    table_page,
    webhooks,
)
from app.api.discord import endpoint as discord
from app.api.openapi import document
from app.api.operations import Operation, Operations
from app.api.queries import StrictRoute
from app.config import Settings

SUBJECTS: tuple[Operations, ...] = (
    play.operations,
    follow.operations,
    encounters.operations,
    history.operations,
    combatants.operations,
    pictures.operations,
    campaigns.operations,
    invites.operations,
    house_rules.operations,
    webhooks.operations,
    discord.operations,
    encounter_rules.operations,
    rulesets.operations,
    system.operations,
)
UNDOCUMENTED = (
    "/",
    "/docs",
    "/docs/{name}",
    "/metrics",
    "/openapi.json",
    "/problems",
    "/problems/{name}",
    "/table/assets/{name:path}",
    "/table/{encounter}",
)
"""Pages for people and figures for machines: no part of the API."""


def operations() -> list[Operation]:
    """Every operation of the API."""
    return [operation for subject in SUBJECTS for operation in subject.all]


def install(app: FastAPI, settings: Settings) -> None:
    """Make every route."""
    app.router.route_class = StrictRoute
    for subject in SUBJECTS:
        subject.install(app)
    system.install(app, settings, lambda: document(app))
    table_page.install(app, settings)
