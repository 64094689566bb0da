"""Type of a request whose user has signed in."""

from django.contrib.auth.models import User
from django.http import HttpRequest


class MemberRequest(HttpRequest):
    """Request of a signed-in user, ensured by TenantMiddleware or @login_required."""

    user: User
