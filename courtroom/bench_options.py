"""The bench as environment variables describe it, for the command line; the site reads the same names."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import ValidationError

from courtroom.case import BenchSettings
from courtroom.errors import InputRefused

MODEL_VARIABLES = {
    "Prosecutor": "PROSECUTOR_MODEL",
    "Defense": "DEFENSE_MODEL",
    "TechLead": "TECH_LEAD_MODEL",
}
# Each overrides one field of BenchSettings. A flag is true or false.
VARIABLES = {
    "vision_model": "VISION_MODEL",
    "api_key": "OPENAI_API_KEY",
    "base_url": "OPENAI_BASE_URL",
    "warm_up": "MODEL_CACHES_PREFIXES",
    "prices": "MODEL_PRICES",
    "concurrency": "JUDGES_CONCURRENCY",
    "deadline_seconds": "JUDGES_DEADLINE_SECONDS",
    "batch": "JUDGES_BATCH",
    "debate": "JUDGES_DEBATE",
    "budget_usd": "AUDIT_BUDGET_USD",
}


def bench_of(kind: str, environment: Mapping[str, str]) -> BenchSettings:
    """Raises InputRefused naming the variable that makes no sense."""
    chosen: dict[str, object] = {"kind": kind}
    if kind == "llm":
        chosen["models"] = {p: environment[v] for p, v in MODEL_VARIABLES.items() if environment.get(v)}
        chosen |= {field: environment[v] for field, v in VARIABLES.items() if environment.get(v)}
    if environment.get("EVIDENCE_SECRET"):
        chosen["fence_secret"] = environment["EVIDENCE_SECRET"]
    try:
        if "prices" in chosen:
            chosen["prices"] = json.loads(str(chosen["prices"]))
        return BenchSettings.model_validate(chosen)
    except json.JSONDecodeError as broken:
        raise InputRefused("bench_setting", f"MODEL_PRICES is not JSON: {broken}.") from broken
    except ValidationError as broken:
        first = broken.errors()[0]
        name = VARIABLES.get(str(first["loc"][0]), str(first["loc"][0]))
        raise InputRefused("bench_setting", f"{name}: {first['msg']}.") from broken
