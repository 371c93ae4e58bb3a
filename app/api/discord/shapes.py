"""What Discord sends and is sent, as far as it counts here; whatever else it sends is passed over."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

Snowflake = Annotated[str, Meta(min_length=1, max_length=30)]
Locale = Annotated[str, Meta(max_length=20)]
Loose = Annotated[dict[Annotated[str, Meta(max_length=100)], Any], Meta(max_length=400)]


class DiscordInteraction(msgspec.Struct, frozen=True):
    """An interaction as Discord posts it."""

    id: Snowflake
    """Discord's id of it: what it does is done once."""
    type: Annotated[int, Meta(ge=1, le=99)]
    """1 ping, 2 slash command, 3 button or menu, 4 autocomplete, 5 form."""
    channel_id: Snowflake | msgspec.UnsetType = msgspec.UNSET
    """Where it happened."""
    locale: Locale | msgspec.UnsetType = msgspec.UNSET
    """The user's language."""
    guild_locale: Locale | msgspec.UnsetType = msgspec.UNSET
    """The server's language: what everybody in the channel reads is in that one."""
    data: Loose | msgspec.UnsetType = msgspec.UNSET
    """The command with its options, or what was pressed, chosen or filled in, by Discord's own schema."""
    member: Loose | msgspec.UnsetType = msgspec.UNSET
    """Who did it, in a server, by Discord's own schema."""
    user: Loose | msgspec.UnsetType = msgspec.UNSET
    """Who did it, in a private channel, by Discord's own schema."""


class DiscordAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What Discord is to do."""

    type: Annotated[int, Meta(ge=1, le=99)]
    """1 pong, 4 show a message, 7 change the message, 8 offer choices, 9 open a form."""
    data: Loose | msgspec.UnsetType = msgspec.UNSET
    """The message, the choices or the form, by Discord's own schema."""
