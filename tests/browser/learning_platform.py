"""Pages of a learning platform, as a browser meets them: a course with links, frames, and what returns.

Its messages and the checks of ours are by lti1p3platform; our keys are read over HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from grading.lti.claims import GRADES, ROSTER
from grading.models import LtiRegistration
from tests.factories.lti import private_pem, public_pem
from tests.factories.lti_server import LtiServer, Request
from tests.factories.lti_services import SCOPES, CourseThere, somebody
from tests.lti.traveller import LEARNER, TEACHER, Traveller

PEOPLE = {
    "eve": ("Eve Teacher", "eve@school.example", TEACHER),
    "bob": ("Bob Student", "bob@school.example", LEARNER),
}
CLOSING = "<script>addEventListener('message', e => { document.title = e.data.subject; });</script>"


@dataclass
class PlatformPages:
    """`registration` is ours for it, once there is one; `items` are the links that it was given."""

    server: LtiServer
    registration: LtiRegistration | None = None
    setup_link: str = ""
    items: list[dict[str, Any]] = field(default_factory=list)
    course: CourseThere = field(init=False)

    def __post_init__(self) -> None:
        people = [
            somebody(key, name=name, email=email, roles=[role])
            for key, (name, email, role) in PEOPLE.items()
        ]
        self.course = CourseThere(self.server, people=people)
        # The library checks the tokens that it gave.
        self.course.is_token = lambda token, scopes: self._conf().validate_token(token, scopes)

    def answer(self, request: Request) -> tuple[int, Any] | None:
        """Answer a page's address; None for what programs ask for."""
        parts = urlsplit(request.path)
        query = dict(parse_qsl(parts.query))
        match parts.path:
            case "/favicon.ico":
                return 204, b""
            case "/install":
                frame = f"{self.setup_link}?{urlencode(self._configuration())}"
                return 200, _page(f'<iframe src="{escape(frame)}"></iframe>{CLOSING}')
            case "/open":
                return 200, _page(self._form(query, target="_blank"))
            case "/choose":
                form = self._form(query, target="choice")
                return 200, _page(f'{form}<iframe name="choice" width="900" height="500"></iframe>')
            case "/auth":
                return 200, self._message(query)
            case "/token" if request.method == "POST":
                return 200, self._conf().get_access_token(request.form)
            case "/return":
                return 200, self._returned(request)
        return None

    def _configuration(self) -> dict[str, str]:
        return {
            "openid_configuration": f"{self.server.issuer}/configuration",
            "registration_token": "theirs",
        }

    def _traveller(self, person: str, link: str) -> Traveller:
        assert self.registration is not None
        name, email, role = PEOPLE[person]
        custom = self.items[-1]["custom"] if link == "made" else {}
        return Traveller(
            self.registration,
            self.server,
            subject=person,
            name=name,
            email=email,
            roles=[role],
            deployment="3",
            link=link,
            custom=custom,
        )

    def _form(self, query: dict[str, str], *, target: str) -> str:
        """Return the button that begins a launch, as Moodle and Canvas do: by a form."""
        person, link = query["as"], query.get("link", "plain")
        traveller = self._traveller(person, link)
        fields = {
            "iss": self.server.issuer,
            "login_hint": person,
            "target_link_uri": traveller.launch_url,
            "client_id": traveller.registration.client_id,
            "lti_message_hint": "choose" if target == "choice" else link,
            "lti_deployment_id": "3",
        }
        inputs = "".join(
            f'<input type="hidden" name="{name}" value="{escape(value)}">'
            for name, value in fields.items()
        )
        login = traveller.launch_url.replace("/launch/", "/login/")
        return (
            f'<form method="post" action="{login}" target="{target}">{inputs}'
            "<button>Open</button></form>"
        )

    def _message(self, query: dict[str, str]) -> bytes:
        hint = query["lti_message_hint"]
        traveller = self._traveller(query["login_hint"], hint)
        claims = traveller.claims(query, deep_linking=hint == "choose")
        claims |= self._services(hint)
        message = self.server.signed(claims)
        return _page(
            f'<form method="post" action="{escape(query["redirect_uri"])}">'
            f'<input type="hidden" name="state" value="{escape(query["state"])}">'
            f'<input type="hidden" name="id_token" value="{message}"></form>'
            "<script>document.forms[0].submit()</script>"
        )

    def _services(self, link: str) -> dict[str, Any]:
        """Return the claims of roster and gradebook; a link that was made has a column."""
        gradebook: dict[str, Any] = {"scope": SCOPES, "lineitems": self.course.columns_url}
        columns = [row for row in self.course.columns.values() if row["resourceLinkId"] == link]
        if columns:
            gradebook["lineitem"] = columns[0]["id"]
        return {GRADES: gradebook, ROSTER: {"context_memberships_url": self.course.members_url}}

    def _returned(self, request: Request) -> bytes:
        """Check our answer with our keys, as published at this moment."""
        self.items += self._conf().validate_deeplinking_resp(request.form)
        column = self.items[-1]["lineItem"]
        self.course.add_column(
            "made", column["scoreMaximum"], resourceId=column["resourceId"], resourceLinkId="made"
        )
        return _page("<p>The link was made.</p>")

    def _conf(self) -> Any:
        """Return lti1p3platform's own platform, which reads our keys where we publish them."""
        traveller = self._traveller("eve", "plain")
        conf = traveller.conf()
        there = conf.get_registration()
        there.set_tool_key_set_url(traveller.launch_url.replace("/launch/", "/keys.json"))
        there.set_platform_private_key(private_pem())
        there.set_platform_public_key(public_pem())
        return conf


def _page(body: str) -> bytes:
    return f"<!doctype html><html lang=en><title>Course</title><body>{body}</body></html>".encode()
