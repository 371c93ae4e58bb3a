"""Rulesets as data: read from disk, judged whole, compiled for the engine, described for readers."""

from app.catalog.findings import Finding, Unfit
from app.catalog.registry import Catalog
from app.catalog.rulebook import Rulebook
from app.catalog.texts import Clause

__all__ = ["Catalog", "Clause", "Finding", "Rulebook", "Unfit"]
