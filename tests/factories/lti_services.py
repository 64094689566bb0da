"""Roster and gradebook of a course on a learning platform, over real HTTP, with Moodle's answers.

Rules: Names and Roles 2.0, Assignment and Grade Services 2.0. `overridden` people got a score from a
teacher there, which this platform, as Moodle, answers with 400 and `[]`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.factories.lti_server import LtiServer, Request

LEARNER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"
TEACHER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"
AGS = "https://purl.imsglobal.org/spec/lti-ags/scope/"
ROSTER = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCOPES = [f"{AGS}lineitem", f"{AGS}score"]
SCORE = "application/vnd.ims.lis.v1.score+json"
Answer = tuple[int, Any] | tuple[int, Any, dict[str, str]]


def somebody(subject: str, **fields: Any) -> dict[str, Any]:
    person = {"user_id": subject, "roles": [LEARNER], "status": "Active"}
    return person | {"name": subject.title(), "email": f"{subject}@school.example"} | fields


def scopes_for(path: str) -> list[str]:
    if path.endswith("/members"):
        return [ROSTER]
    return [f"{AGS}score"] if path.endswith("/scores") else [f"{AGS}lineitem"]


@dataclass
class CourseThere:
    """Course at /course: `people` listed `page_size` at a time, `columns` by path, `book` by column
    and person. `scales` says whether a score is taken as part of its maximum, or as it is.
    """

    server: LtiServer
    people: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 50
    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    book: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    stamps: dict[tuple[str, str], datetime] = field(default_factory=dict)
    overridden: set[str] = field(default_factory=set)
    scales: bool = True
    refused_tokens: int = 0
    # Whether a token was given out for one of these scopes.
    is_token: Callable[[str, list[str]], bool] = lambda token, _: token.startswith("token-")

    @property
    def members_url(self) -> str:
        return f"{self.server.issuer}/course/members"

    @property
    def columns_url(self) -> str:
        return f"{self.server.issuer}/course/columns?type_id=1"

    def add_column(self, name: str, maximum: float = 100, **fields: Any) -> str:
        """Add a column with a query in its address, as Moodle's have."""
        path = f"/course/columns/{name}"
        url = f"{self.server.issuer}{path}?type_id=1"
        self.columns[path] = {"id": url, "label": name, "scoreMaximum": maximum} | fields
        return url

    def score_of(self, column: str, subject: str) -> float | None:
        """Return what a teacher sees in the book."""
        score = self.book.get((f"/course/columns/{column}", subject), {})
        if "scoreGiven" not in score:
            return None
        if not self.scales:
            given: float = score["scoreGiven"]
            return given
        maximum = self.columns[f"/course/columns/{column}"]["scoreMaximum"]
        return float(score["scoreGiven"] / score["scoreMaximum"] * maximum)

    def answer(self, request: Request) -> Answer | None:
        parts = urlsplit(request.path)
        if not parts.path.startswith("/course/"):
            return None
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not self.is_token(token, scopes_for(parts.path)):
            return 401, {"error": "no token"}
        if self.refused_tokens:
            self.refused_tokens -= 1
            return 401, {"error": "token expired"}
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/course/members":
            return self._members(int(query.get("page", "0")))
        assert query.pop("type_id") == "1"
        if parts.path == "/course/columns":
            return self._columns(request, query)
        if parts.path.endswith("/scores"):
            return self._score(parts.path.removesuffix("/scores"), request)
        column = self.columns.get(parts.path)
        return (200, column) if column else (404, {"error": "no such column"})

    def _members(self, page: int) -> Answer:
        begin, end = page * self.page_size, (page + 1) * self.page_size
        more = {"Link": f'<{self.members_url}?page={page + 1}>; rel="next"'}
        content = {"id": self.members_url, "members": self.people[begin:end]}
        return 200, content, more if end < len(self.people) else {}

    def _columns(self, request: Request, query: dict[str, str]) -> Answer:
        if request.method == "POST":
            name = f"made-{len(self.columns)}"
            self.add_column(name, **request.json)
            return 201, self.columns[f"/course/columns/{name}"]
        names = {"resource_link_id": "resourceLinkId", "resource_id": "resourceId", "tag": "tag"}
        wanted = {names[name]: value for name, value in query.items()}
        return 200, [row for row in self.columns.values() if wanted.items() <= row.items()]

    def _score(self, path: str, request: Request) -> Answer:
        score = request.json
        key = (path, score["userId"])
        at = datetime.fromisoformat(score["timestamp"])
        assert request.headers["Content-Type"] == SCORE
        assert {"activityProgress", "gradingProgress"} <= score.keys()
        if path not in self.columns:
            return 404, {"error": "no such column"}
        if score["userId"] not in {person["user_id"] for person in self.people}:
            return 400, {"error": "User not found in course"}
        if score["userId"] in self.overridden:
            return 400, []
        if key in self.stamps and at <= self.stamps[key]:
            return 409, {"error": "older than the last one"}
        self.book[key], self.stamps[key] = score, at
        return 200, b""
