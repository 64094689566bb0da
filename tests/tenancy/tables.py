"""The tenants' tables, and raw SQL to ask them with."""

from typing import Any

from django.apps import apps
from django.db import connection

from grading.models.tenant import TenantModel

TENANT_MODELS = [model for model in apps.get_models() if issubclass(model, TenantModel)]
TABLES = sorted(model._meta.db_table for model in TENANT_MODELS)


def asked(sql: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def changed(sql: str) -> int:
    """Return the number of rows that the statement touched."""
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.rowcount


def organizations_in(table: str) -> set[int]:
    return {row[0] for row in asked(f"SELECT organization_id FROM {table}")}  # noqa: S608 -- a table of ours
