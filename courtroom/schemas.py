"""Write the published JSON Schemas of the models to rubric/: `python -m courtroom.schemas`."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode

from courtroom.models.audit_report import AuditReport
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.shipped_rubrics import FOLDER

PUBLISHED: dict[str, type[BaseModel]] = {"schema.json": Rubric, "report.schema.json": AuditReport}


def schema_text(model: type[BaseModel]) -> str:
    """Return the schema as it is committed.

    A rubric is described as it is written, a report as it is read.
    """
    mode: JsonSchemaMode = "validation" if model is Rubric else "serialization"
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(mode=mode),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def publish(folder: Path = FOLDER) -> None:
    for name, model in PUBLISHED.items():
        (folder / name).write_text(schema_text(model), encoding="utf-8")


if __name__ == "__main__":
    publish()
