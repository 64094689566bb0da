"""Django's sessions in the database; loading one executes a compiled query."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from grading.core.compiled_queries import CompiledQuery


def _valid_session(key: str, now: datetime) -> QuerySet[Session, Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


VALID_SESSION = CompiledQuery(_valid_session, key=str, now=datetime)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Any:
        """Return the session's row; without a valid one, forget the key and return None."""
        rows = VALID_SESSION.rows(key=self.session_key or "", now=timezone.now())
        if not rows:
            self._session_key = None
        return next(iter(rows), None)
