"""The database backend: every connection takes the site's role, and every query runs inside the walls.

The role (auditor_site) owns nothing and is no superuser, so that row-level security binds it. Who asks is compared
with what the connection was last told before each query, and said again when it differs: a connection that is kept
for the next request never answers for the one before, and a rollback that takes the saying back is noticed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from grading.core.rls.rls_scope import Told, told

SITE_ROLE = "auditor_site"
TAKE_ROLE = """
SELECT set_config('role', rolname, false) FROM pg_roles
WHERE rolname = %s AND pg_has_role(current_user, oid, 'MEMBER')
"""
TELL = "SELECT set_config('auditor.organization', %s, false), set_config('auditor.person', %s, false), set_config('auditor.errand', %s, false)"

_as_owner: ContextVar[bool] = ContextVar("as_owner", default=False)


@contextmanager
def as_owner() -> Iterator[None]:
    """Connections made in here keep the role that logged in: for migrations, which make and own the tables."""
    token = _as_owner.set(True)
    try:
        yield
    finally:
        _as_owner.reset(token)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own, and the walls."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._told: Told | None = None
        self.execute_wrappers.append(self._inside_the_walls)

    def init_connection_state(self) -> None:
        super().init_connection_state()
        self._told = None
        # A connection to no database in particular makes and drops databases: the administrator's work.
        if self.settings_dict["NAME"] is not None and not _as_owner.get():
            self._say(TAKE_ROLE, [SITE_ROLE])

    def _inside_the_walls(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any
    ) -> Any:
        wanted = told()
        # After an error the server hears nothing but ROLLBACK: there is nothing to tell it, and nothing it shows.
        if (
            wanted != self._told
            and self.connection.info.transaction_status != TransactionStatus.INERROR
        ):
            self._say(TELL, wanted)
            self._told = wanted
        return execute(sql, params, many, context)

    def _say(self, sql: str, values: Any) -> None:
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute(sql, values)

    def _rollback(self) -> None:
        self._told = None
        super()._rollback()  # type: ignore[misc]  # -- the stubs leave it out

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # -- the stubs leave it out
        self._told = None
