"""House rules: a document that extends a ruleset, merged onto it, judged whole, compared with it."""

from app.catalog.house.comparing import Difference, differences, in_words, name_of
from app.catalog.house.judging import BadHouseRules, each_alone, judge
from app.catalog.house.messages import message
from app.catalog.house.names import restored_texts
from app.catalog.house.schema import overlay_schema
from app.catalog.house.unfit import unfit_samples

__all__ = [
    "BadHouseRules",
    "Difference",
    "differences",
    "each_alone",
    "in_words",
    "judge",
    "message",
    "name_of",
    "overlay_schema",
    "restored_texts",
    "unfit_samples",
]
