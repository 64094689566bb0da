"""Database backend that applies row-level security to every query.

Each connection takes the site's role (auditor_site), which owns nothing and is no superuser, so
that row-level security binds it. Before each query the settings of the entered scope are compared
with those that the connection has, and set again if they differ. So a kept connection never answers
for an earlier request, and a rollback that reverts the settings is noticed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from grading.core.rls.rls_scope import SessionSettings, current_settings

SITE_ROLE = "auditor_site"
SET_ROLE = """
SELECT set_config('role', rolname, false) FROM pg_roles
WHERE rolname = %s AND pg_has_role(current_user, oid, 'MEMBER')
"""
SET_SETTINGS = """
SELECT set_config('auditor.organization', %s, false), set_config('auditor.person', %s, false),
    set_config('auditor.errand', %s, false)
"""

_as_owner: ContextVar[bool] = ContextVar("as_owner", default=False)


@contextmanager
def as_owner() -> Iterator[None]:
    """Keep the login role on new connections: for migrations, which create and own the tables."""
    token = _as_owner.set(True)
    try:
        yield
    finally:
        _as_owner.reset(token)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's PostgreSQL wrapper with row-level security."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._settings: SessionSettings | None = None
        self.execute_wrappers.append(self._with_settings)

    def init_connection_state(self) -> None:
        super().init_connection_state()
        self._settings = None
        # A connection without a database creates and drops databases: the administrator's work.
        if self.settings_dict["NAME"] is not None and not _as_owner.get():
            self._execute(SET_ROLE, [SITE_ROLE])

    def _with_settings(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        wanted = current_settings()
        # After an error the server accepts only ROLLBACK, and shows no rows.
        if (
            wanted != self._settings
            and self.connection.info.transaction_status != TransactionStatus.INERROR
        ):
            self._execute(SET_SETTINGS, wanted)
            self._settings = wanted
        return execute(sql, params, many, context)

    def _execute(self, sql: str, values: Any) -> None:
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute(sql, values)

    def _rollback(self) -> None:
        # The server reverts the settings with the transaction.
        self._settings = None
        super()._rollback()  # type: ignore[misc]  # -- the stubs leave it out

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # -- the stubs leave it out
        self._settings = None
