"""Names of the zones that people choose from."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import Any
from zoneinfo import available_timezones

# Regions of the tz database in which every zone is a place; the rest are aliases and fixed offsets.
_PLACE = re.compile(
    r"(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/"
)


@cache
def zone_names() -> frozenset[str]:
    """Return UTC and the places of the tz database, such as Europe/Berlin."""
    return frozenset({"UTC", *filter(_PLACE.match, available_timezones())})


def zone_choices() -> list[tuple[str, Any]]:
    """Return the zones as choices of a select: UTC, then the places by region."""
    places = sorted(zone_names() - {"UTC"})
    regions = groupby(places, key=lambda name: name.split("/")[0])
    groups = [(region, [(name, _place_of(name)) for name in rows]) for region, rows in regions]
    return [("UTC", "UTC"), *groups]


def _place_of(name: str) -> str:
    """Return Buenos Aires (Argentina) for America/Argentina/Buenos_Aires."""
    _, *area, place = name.replace("_", " ").split("/")
    return f"{place} ({area[0]})" if area else place
