"""Copy the rows of one course many times, within PostgreSQL, with keys and times of their own.

A row belongs to its institution, to a person (staff are the institution's), or to its cohort. Keys
are numbers that grow by a step for each copy, or digests of the first key; what refers to a row
follows. Times before the copying are stretched to a term, and moved into the past by the age of the
copy; times after it are moved alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, fields
from typing import Any

import psycopg
from allauth.account.models import EmailAddress
from django.apps import apps
from django.contrib.auth.models import User
from django.db.models import DateField, DateTimeField, Field, ForeignKey, Model, UUIDField
from psycopg import sql

from benchmarks.history.copies import TERM_DAYS, Copy
from grading.core.enums import Opened
from grading.models import (
    Activity,
    Appeal,
    BankedComment,
    Enrollment,
    FeedbackReport,
    Invitation,
    Membership,
    Opening,
    Organization,
    Rubric,
    RubricVersion,
    Submission,
    Webhook,
)

Connection = psycopg.Connection[Any]
TEMPLATE = "history_template"
OF_INSTITUTION = {Organization, Rubric, RubricVersion, Webhook, BankedComment, Invitation}
OF_PERSON = {User, EmailAddress, Membership}
# Greater than any key of a course.
STEP = 1_000_000
PERSON_STEP = 1_000
# Kinds of openings, and what `about` is a key of.
OPENED: dict[Any, type[Model]] = {
    Opened.REPORT: Submission,
    Opened.COMMENTS: Submission,
    Opened.APPEAL: Appeal,
    Opened.ANSWERS: FeedbackReport,
}
# Columns that are unique, or that hold keys in their JSON, by table and column.
SPECIAL = {
    ("grading_organization", "slug"): "t.slug || '-' || c.institution",
    ("grading_organization", "name"): "t.name || ' ' || c.institution",
    ("grading_cohort", "slug"): "t.slug || '-' || c.cohort",
    ("grading_cohort", "name"): "t.name || ' ' || c.cohort",
    ("grading_joinlink", "code"): "upper(substr(md5(c.cohort::text), 1, length(t.code)))",
    ("grading_grade", "released"): """
        CASE WHEN t.released IS NULL THEN NULL ELSE t.released || jsonb_build_object(
            'audit', md5((t.released ->> 'audit') || c.serial)::uuid,
            'submission', md5((t.released ->> 'submission') || c.serial)::uuid)
        END""",
    ("grading_roundidentities", "people"): f"""
        (SELECT jsonb_agg(jsonb_set(p, '{{student}}', to_jsonb((p ->> 'student')::bigint + {STEP} * c.serial)))
         FROM jsonb_array_elements(t.people) AS p)""",
    ("grading_blindsample", "submissions"): """
        (SELECT jsonb_agg(md5(s || c.serial)::uuid) FROM jsonb_array_elements_text(t.submissions) AS s)""",
}
ADDRESSES = {
    ("auth_user", "username"),
    ("auth_user", "email"),
    ("account_emailaddress", "email"),
    ("grading_membership", "email"),
    ("grading_enrollment", "email"),
}
# What waits for somebody does so in courses that run now, and deliveries are kept for 30 days.
ROWS = {
    "grading_appeal": "c.age = 0 OR t.state NOT IN ('open', 'escalated', 'rejudging')",
    "grading_webhookdelivery": "c.age = 0",
}


def keep_template(database: Connection) -> None:
    """Keep the course's rows beside the tables, and when they were made."""
    database.execute(f"CREATE SCHEMA {TEMPLATE}".encode())
    for model in _models():
        table = model._meta.db_table
        database.execute(f"CREATE TABLE {TEMPLATE}.{table} AS TABLE {table}".encode())
    database.execute(
        f"CREATE TABLE {TEMPLATE}.moments AS "
        "SELECT min(date_joined) AS began, clock_timestamp() AS ended FROM auth_user".encode()
    )


def has_template(database: Connection) -> bool:
    row = database.execute("SELECT to_regnamespace(%s) IS NOT NULL", [TEMPLATE]).fetchone()
    return bool(row and row[0])


def copy_course(database: Connection, copies: Iterable[Copy]) -> None:
    """Replace all rows by these copies of the course, in one transaction.

    Indexes and constraints are made anew at the end, so every reference is checked.
    """
    models = _models()
    tables = [model._meta.db_table for model in models]
    with database.transaction():
        _create_copies(database, copies)
        # No trigger: the log is append-only. Tables that are new to this transaction write no log.
        database.execute("SET LOCAL session_replication_role = replica")
        database.execute("SET LOCAL maintenance_work_mem = '1GB'")
        database.execute(_run(f"TRUNCATE {', '.join(tables)} CASCADE"))
        dropped = _drop_indexes(database, tables)
        for model in models:
            database.execute(_run(_insertion(model)))
        for statement in dropped:
            database.execute(_run(statement))
        for model in models:
            _set_sequence(database, model)
    database.execute(_run(f"VACUUM ANALYZE {', '.join(tables)}"))


def _run(text: str) -> sql.SQL:
    # Made of our own names alone.
    return sql.SQL(text)


def _models() -> list[type[Model]]:
    return [User, EmailAddress, *apps.get_app_config("grading").get_models()]


def _create_copies(database: Connection, copies: Iterable[Copy]) -> None:
    database.execute(
        "CREATE TEMPORARY TABLE copies (cohort int, institution int, class_ int, age int, "
        "opens_institution bool, opens_class bool, serial int) ON COMMIT DROP"
    )
    names = ", ".join(field.name for field in fields(Copy))
    with database.cursor().copy(_run(f"COPY copies ({names}) FROM STDIN")) as rows:
        for copy in copies:
            rows.write_row(astuple(copy))
    database.execute("ANALYZE copies")


def _drop_indexes(database: Connection, tables: list[str]) -> list[str]:
    """Drop references, then keys, then other indexes; return what makes them again."""
    dropped: list[str] = []
    for kinds in ("f", "pu"):
        constraints = database.execute(
            "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) "
            "FROM pg_constraint WHERE contype = ANY(%s) AND conrelid::regclass::text = ANY(%s)",
            [list(kinds), tables],
        ).fetchall()
        made = [f"ALTER TABLE {t} ADD CONSTRAINT {n} {text}" for t, n, text in constraints]
        dropped = [*made, *dropped]
        for table, name, _ in constraints:
            database.execute(_run(f"ALTER TABLE {table} DROP CONSTRAINT {name} CASCADE"))
    indexes = database.execute(
        "SELECT quote_ident(indexname), indexdef FROM pg_indexes "
        "WHERE schemaname = 'public' AND tablename = ANY(%s)",
        [tables],
    ).fetchall()
    for name, _ in indexes:
        database.execute(_run(f"DROP INDEX {name}"))
    return [text for _, text in indexes] + dropped


def _insertion(model: type[Model]) -> str:
    table = model._meta.db_table
    columns = list(model._meta.local_concrete_fields)
    names = ", ".join(f'"{field.column}"' for field in columns)
    values = ", ".join(_value(model, field) for field in columns)
    rows = " AND ".join(f"({condition})" for condition in _conditions(model))
    return (
        f"INSERT INTO {table} ({names}) SELECT {values} FROM {TEMPLATE}.moments AS m, copies AS c "
        f"CROSS JOIN {TEMPLATE}.{table} AS t WHERE {rows} ORDER BY c.serial"
    )


def _conditions(model: type[Model]) -> list[str]:
    """Return which rows are copied for a copy."""
    table = model._meta.db_table
    conditions = [ROWS[table]] if table in ROWS else ["true"]
    if model in OF_INSTITUTION:
        conditions.append("c.opens_institution")
    if model in OF_PERSON:
        staff = _is_staff(model, "t.id")
        conditions.append(f"CASE WHEN {staff} THEN c.opens_institution ELSE c.opens_class END")
    if model is Activity:
        conditions.append("t.cohort_id IS NOT NULL OR c.opens_institution")
    return conditions


def _value(model: type[Model], field: Field[Any, Any]) -> str:
    name, column = (model._meta.db_table, str(field.column)), f't."{field.column}"'
    if name in SPECIAL:
        return SPECIAL[name]
    if name in ADDRESSES:
        return _address(model, column)
    if model is Activity and field.column == "object_id":
        return _by_kind("t.object_type", column, _logged_models())
    if model is Opening and field.column == "about":
        return _by_kind("t.kind", column, OPENED)
    if field.primary_key:
        return _key(model, column)
    if isinstance(field, ForeignKey):
        return _key(field.related_model, column)
    if isinstance(field, DateField):
        return _moved(field, column)
    return column


def _key(model: type[Model], column: str) -> str:
    """Return the SQL of the key that the copy has for this key of a row of the course."""
    if isinstance(model._meta.pk, UUIDField):
        return f"md5({column}::text || c.serial)::uuid"
    if model in OF_PERSON:
        person = f"CASE WHEN {_is_staff(model, column)} THEN c.institution ELSE c.class_ END"
        return f"{column} + {PERSON_STEP} * ({person})"
    return f"{column} + {STEP} * c.{'institution' if model in OF_INSTITUTION else 'serial'}"


def _is_staff(model: type[Model], key: str) -> str:
    """Return the SQL of whether this key, of an account or what belongs to one, is of staff."""
    staff = f"SELECT id FROM {TEMPLATE}.auth_user WHERE is_staff"
    if model is not User:
        staff = f"SELECT id FROM {TEMPLATE}.{model._meta.db_table} WHERE user_id IN ({staff})"
    return f"{key} IN ({staff})"


def _address(model: type[Model], column: str) -> str:
    """Return the SQL of an address; those of the first course stay, for they are redacted."""
    staff = _numbered("i", "c.institution", column)
    student = _numbered("c", "c.class_", column)
    if model is Enrollment:
        return student
    return f"CASE WHEN {_is_staff(model, 't.id')} THEN {staff} ELSE {student} END"


def _numbered(letter: str, number: str, column: str) -> str:
    return (
        f"CASE WHEN {number} = 0 THEN {column} ELSE '{letter}' || {number} || '-' || {column} END"
    )


def _logged_models() -> dict[str, type[Model]]:
    return {str(model._meta.model_name): model for model in _models() if model is not Membership}


def _by_kind(kind: str, column: str, models: dict[Any, type[Model]]) -> str:
    """Return the SQL of a key that is stored as text, of the model that the row's kind names."""
    cases = " ".join(
        f"WHEN '{name}' THEN ({_key(model, f'{column}::{_type(model)}')})::text"
        for name, model in models.items()
        if model is not EmailAddress
    )
    return f"CASE {kind} {cases} ELSE {column} END"


def _type(model: type[Model]) -> str:
    return "uuid" if isinstance(model._meta.pk, UUIDField) else "bigint"


def _moved(field: Field[Any, Any], column: str) -> str:
    """Return the SQL of a time or a day of the copy."""
    if not isinstance(field, DateTimeField):
        return f"{column} + (current_date - m.ended::date) - {TERM_DAYS} * c.age"
    term = f"interval '{TERM_DAYS} days'"
    share = f"extract(epoch FROM {column} - m.ended) / extract(epoch FROM m.ended - m.began)"
    stretched = (
        f"CASE WHEN {column} < m.ended THEN ({share})::float8 * {term} ELSE {column} - m.ended END"
    )
    return f"now() + {stretched} - c.age * {term}"


def _set_sequence(database: Connection, model: type[Model]) -> None:
    key = model._meta.pk
    if key is None or isinstance(key, UUIDField):
        return
    table = model._meta.db_table
    database.execute(
        _run(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{key.column}'), "
            f"coalesce(max({key.column}), 1)) FROM {table}"
        )
    )
