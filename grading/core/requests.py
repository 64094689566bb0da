"""A request whose user has signed in, as the pages behind login see it."""

from django.contrib.auth.models import User
from django.http import HttpRequest


class MemberRequest(HttpRequest):
    """Under /o/<org>/ TenantMiddleware lets nobody else through; elsewhere @login_required does."""

    user: User
