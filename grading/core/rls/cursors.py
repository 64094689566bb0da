"""Cursors that send the role and the scope of a transaction together with its first statement.

Both are local to the transaction (SET LOCAL), so a pooler may give the server's connection to
somebody else after it. A statement outside a transaction is sent with them in one message, which
PostgreSQL runs as one transaction: no round trip is added, and none runs without its scope.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Self

from django.conf import settings
from django.db.backends.postgresql import base
from psycopg import ClientCursor, NotSupportedError, ProgrammingError, sql
from psycopg.pq import TransactionStatus

from grading.core.rls.repeated_queries import RepeatedQuery
from grading.core.rls.rls_scope import SessionSettings, current_settings


class TransactionScope:
    """Role and settings of one connection's transactions.

    `role` None keeps the login's own: that of the tables' owner, for migrations.
    """

    def __init__(self) -> None:
        self.role: str | None = None
        # Names of what this session has prepared; None where a pooler may give it to others.
        self.prepared: set[str] | None = None
        self._applied: tuple[str | None, SessionSettings] | None = None

    def forget(self) -> None:
        """Send everything again: the server has reverted it with a transaction or savepoint."""
        self._applied = None

    def statements(self, status: TransactionStatus, *, autocommit: bool) -> tuple[str, ...]:
        """Return what must be sent before the next statement."""
        # After an error the server accepts only ROLLBACK, and shows no rows.
        if status == TransactionStatus.INERROR:
            return ()
        wanted = self.role, current_settings()
        if status != TransactionStatus.IDLE and wanted == self._applied:
            return ()
        # A statement outside a transaction takes them along when it ends.
        ends_at_once = status == TransactionStatus.IDLE and autocommit
        if not ends_at_once:
            self._applied = wanted
            return (*_statements(*wanted), *_limits(self.role))
        self._applied = None
        # What PostgreSQL runs only outside a transaction, such as CREATE INDEX CONCURRENTLY.
        return () if wanted == (None, SessionSettings()) else _statements(*wanted)


@lru_cache
def _statements(role: str | None, scope: SessionSettings) -> tuple[str, ...]:
    """Return a statement for the role and for each setting, also for the empty ones.

    A server's connection that a pooler shares may carry settings of somebody else's session.
    """
    return (
        f"SET LOCAL ROLE {sql.Identifier(role).as_string() if role else 'NONE'}",
        *(
            f"SET LOCAL auditor.{name} = {sql.Literal(value).as_string()}"
            for name, value in scope._asdict().items()
        ),
    )


def _limits(role: str | None) -> tuple[str, ...]:
    """Return the limit of a transaction in which nothing happens; the owner's may copy files."""
    if role is None:
        return ()
    seconds = settings.IDLE_TRANSACTION_SECONDS
    return (f"SET LOCAL idle_in_transaction_session_timeout = '{seconds:d}s'",)


class ScopedCursor(base.CursorMixin, ClientCursor[Any]):
    """Django's cursor; each of its statements carries role and scope."""

    def __init__(self, *args: Any, scope: TransactionScope, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._scope = scope

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        is_alone = self._is_alone
        before = self._statements()
        if is_alone and isinstance(query, RepeatedQuery) and self._scope.prepared is not None:
            try:
                return self._send(before, *self._prepared(query, params, self._scope.prepared))
            except (ProgrammingError, NotSupportedError):
                # The plan is lost, by DISCARD or a change of the tables: nothing was executed.
                self._scope.prepared = None
        if not before:
            return super().execute(query, params, **options)
        return self._send(before, self.mogrify(query, params), **options)

    def _send(self, before: Sequence[str], *statements: str, **options: Any) -> Self:
        """Send all in one message, and show the result of the last statement."""
        message = "; ".join((*before, *statements))
        super().execute(message.encode(), **options)
        return self.set_result(len(before) + len(statements) - 1)

    def _prepared(self, query: RepeatedQuery, params: Any, names: set[str]) -> tuple[str, ...]:
        """Return the statements that execute the query by its plan, made here the first time."""
        executing = query.executing(params, self)
        if query.name in names:
            return (executing,)
        names.add(query.name)
        return query.preparing(params, self), executing

    def executemany(self, query: Any, params_seq: Iterable[Any], **options: Any) -> None:
        self.begin()
        super().executemany(query, params_seq, **options)

    def copy(self, *args: Any, **options: Any) -> Any:
        self.begin()
        return super().copy(*args, **options)

    def stream(self, *args: Any, **options: Any) -> Iterator[Any]:
        self.begin()
        return super().stream(*args, **options)

    def _statements(self) -> tuple[str, ...]:
        connection = self.connection
        return self._scope.statements(
            connection.info.transaction_status, autocommit=connection.autocommit
        )

    @property
    def _is_alone(self) -> bool:
        """True where the next statement is a transaction by itself."""
        is_idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return is_idle and self.connection.autocommit

    def begin(self) -> None:
        """Send role and scope alone, before what is sent otherwise than by `execute`."""
        if self._is_alone:
            raise ProgrammingError("This needs a transaction, which carries role and scope.")
        if before := self._statements():
            super().execute("; ".join(before).encode())
