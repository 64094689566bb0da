"""Database backend that applies row-level security to every query.

A transaction takes the site's role (auditor_site), which owns nothing and is no superuser, so that
row-level security binds it, and the settings of the entered scope (cursors). The server forgets
both when the transaction ends. So neither a kept connection nor one that a pooler shares answers
for an earlier request.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from django.db.backends.postgresql import base

from grading.core import clock
from grading.core.rls.cursors import ScopedCursor, TransactionScope

SITE_ROLE = "auditor_site"
ROLE_AND_TIME = """
SELECT (
    SELECT rolname FROM pg_roles WHERE rolname = %s AND pg_has_role(session_user, oid, 'MEMBER')
), clock_timestamp(), pg_backend_pid()
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
        self._scope = TransactionScope()

    def get_connection_params(self) -> dict[str, Any]:
        params = super().get_connection_params()
        # A connection without a database creates and drops databases: the administrator's work.
        if self.settings_dict["NAME"] is not None:
            params["cursor_factory"] = partial(ScopedCursor, scope=self._scope)
        return params

    def init_connection_state(self) -> None:
        self._scope.role = self._scope.prepared = None
        self._scope.forget()
        super().init_connection_state()
        if self.settings_dict["NAME"] is None:
            return
        with self.cursor() as cursor:
            cursor.execute(ROLE_AND_TIME, [SITE_ROLE])
            ((role, moment, process),) = cursor.fetchall()
        clock.set_by(moment)
        # A pooler answers with a process of its own. It gives this session to others, who would
        # find in it what was prepared here.
        self._scope.prepared = set() if process == self.connection.info.backend_pid else None
        # Without the role the site works as the tables' owner, whom the policies bind too.
        self._scope.role = None if _as_owner.get() else role

    def create_cursor(self, name: str | None = None) -> Any:
        if name is not None:
            with self.connection.cursor() as cursor:
                cursor.begin()
        return super().create_cursor(name)

    def chunked_cursor(self) -> Any:
        """Open a cursor on the server in a transaction; outside, a pooler would give it away."""
        if not self.in_atomic_block:
            return self.cursor()
        return super().chunked_cursor()

    def _commit(self) -> None:
        self._scope.forget()
        super()._commit()  # type: ignore[misc]  # -- the stubs leave it out

    def _rollback(self) -> None:
        self._scope.forget()
        super()._rollback()  # type: ignore[misc]  # -- the stubs leave it out

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # -- the stubs leave it out
        self._scope.forget()
