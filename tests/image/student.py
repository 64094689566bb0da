"""A student's browser at the site's own port, behind the TLS that a proxy would have ended."""

from __future__ import annotations

import re
from typing import Any

import httpx

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
REPORT_IS_COMPLETE = "HX-Refresh"


class Student:
    """Keeps its cookies by itself: they are for TLS alone, so that a client without it sends none."""

    def __init__(self, client: httpx.Client, host: str) -> None:
        self._client, self._host = client, host
        self._cookies: dict[str, str] = {}

    def get(self, path: str) -> httpx.Response:
        return self._request("GET", path)

    def post(self, path: str, **options: Any) -> httpx.Response:
        """Fill in the form of this page."""
        token = TOKEN.search(self.get(path).text)
        assert token is not None, path
        options["data"] = options.get("data", {}) | {"csrfmiddlewaretoken": token[1]}
        answer = self._request("POST", path, **options)
        assert answer.status_code == httpx.codes.FOUND, answer.text
        return answer

    def sign_in(self, email: str, password: str) -> None:
        self.post("/accounts/login/", data={"login": email, "password": password})

    def submit(self, assignment: str, repository: str, report: bytes) -> str:
        """Hand in a repository and its report; return the path of the audit."""
        answer = self.post(
            f"{assignment}submit/",
            data={"repo_url": repository},
            files={"pdf": ("report.pdf", report, "application/pdf")},
        )
        return answer.headers["Location"]

    def sees_the_report(self, audit: str) -> bool:
        """Ask as the page of a running audit does."""
        return REPORT_IS_COMPLETE in self.get(f"{audit}progress/").headers

    def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {
            "Host": self._host,
            "X-Forwarded-Proto": "https",
            "Referer": f"https://{self._host}{path}",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
        }
        answer = self._client.request(method, path, headers=headers, **options)
        assert answer.status_code < httpx.codes.BAD_REQUEST, (answer.status_code, answer.text)
        self._cookies |= dict(answer.cookies)
        return answer
