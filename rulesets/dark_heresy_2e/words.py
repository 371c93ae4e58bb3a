"""The words in which space may be stated. Clauses: DH-4530, DH-5110, DH-5140."""

from app.engine.vocabulary import Vocabulary
from rulesets.dark_heresy_2e.braces import INSIDE, OUTSIDE
from rulesets.dark_heresy_2e.reach import POINT_BLANK
from rulesets.dark_heresy_2e.tables import Tables
from rulesets.dark_heresy_2e.tags import AIR, GROUND


def vocabulary(tables: Tables) -> Vocabulary:
    """The bands of its table, whether the arc of a braced weapon holds a target, and the regions that count."""
    bands = (POINT_BLANK, *(row.band for row in tables.ranges))
    return Vocabulary(bands=bands, arcs=(INSIDE, OUTSIDE), air=AIR, ground=GROUND)
