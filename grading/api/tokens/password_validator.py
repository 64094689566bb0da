"""Validator that refuses no password, but revokes API tokens when one is changed."""

from __future__ import annotations

from django.contrib.auth.models import User

from grading.api.tokens.actions import revoke_all_tokens


class TokenRevokingValidator:
    """Entry of AUTH_PASSWORD_VALIDATORS: Django tells its validators of every new password.

    That is the account page, a reset, the administration and `manage.py changepassword`, but not a
    stored hash that is upgraded.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        return "If you have API tokens, a new password revokes them."

    def password_changed(self, password: str, user: User) -> None:
        revoke_all_tokens(user=user)
