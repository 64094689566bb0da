"""Django's and allauth's ways to sign in, which load a user together with their zone."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import User
from django.db.models import QuerySet

from grading.core.compiled_queries import CompiledQuery


def _user_with_calendar(key: int) -> QuerySet[User, User]:
    return User.objects.select_related("calendar").filter(pk=key)


USER_WITH_CALENDAR = CompiledQuery(_user_with_calendar, key=int)


class _WithCalendar(ModelBackend):
    def get_user(self, user_id: Any) -> User | None:
        """Return a session's user, with the `calendar` that each page reads in the same query."""
        user = next(iter(USER_WITH_CALENDAR.rows(key=user_id)), None)
        return user if user and self.user_can_authenticate(user) else None


class PasswordBackend(_WithCalendar, ModelBackend):
    pass


class AccountBackend(_WithCalendar, AuthenticationBackend):
    pass
