"""Check runs of GitHub, made by the site's App with a token for one repository.

GitHub adds the annotations of each request to those before. So a run that has ended is never
changed: a later answer makes another run of the same name, which GitHub shows in its place.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from grading.core.errors import AnswerRefused, GithubFailed
from grading.core.github_app import call, installation_token, permission_of
from grading.models import Push, RepositoryAccess
from grading.submissions.pushes.answer_texts import CommitAnswer

PERMISSIONS = {"checks": "write", "metadata": "read"}
MAY_WRITE = {"admin", "write"}
# As GitHub limits a request.
ANNOTATIONS_AT_ONCE = 50
LONGEST_TITLE, LONGEST_MESSAGE = 255, 60_000
LEVELS = {"error": "failure", "warning": "warning", "note": "notice"}
PASSING = "github_unavailable"
NO_RIGHT = (
    "GitHub lets our App not answer on this repository: its owner has to accept that the App may "
    "write checks, or the App was removed from it."
)
NOT_A_WRITER = "We answer only for people who may push to the repository."


def send_check_run(push: Push, access: RepositoryAccess, answer: CommitAnswer) -> int:
    """Send an answer; return the id of its check run, 0 for one that has ended.

    Raises AnswerRefused.
    """
    try:
        token, name = _opened(access)
        return _send(push, answer, token, f"/repos/{quote(name)}/check-runs")
    except GithubFailed as failure:
        is_final = failure.code != PASSING
        sentence = NO_RIGHT if is_final else failure.sentence
        raise AnswerRefused(failure.code, sentence, is_final=is_final) from None


def _opened(access: RepositoryAccess) -> tuple[str, str]:
    """Return a token for this repository alone, and the name of the repository today."""
    # Constraints of the table say that both are there.
    installation, repository = access.installation_id or 0, access.repository_id or 0
    token = installation_token(installation, repositories=[repository], permissions=PERMISSIONS)
    name = token.repositories.get(repository, access.path)
    right, person = permission_of(token.token, name, access.account_login)
    if right not in MAY_WRITE or person != access.account_id:
        raise AnswerRefused("answer_not_a_writer", NOT_A_WRITER, is_final=True)
    return token.token, name


def _send(push: Push, answer: CommitAnswer, token: str, path: str) -> int:
    batches = _batches(answer)
    body = _body(push, answer) | {"output": _output(answer, batches[0])}
    if push.answer_id:
        run: int = call("PATCH", f"{path}/{push.answer_id}", token=token, json=body)["id"]
    else:
        head = {"head_sha": push.commit, "external_id": f"push-{push.pk}"}
        run = call("POST", path, token=token, json=body | head)["id"]
    for batch in batches[1:]:
        call("PATCH", f"{path}/{run}", token=token, json={"output": _output(answer, batch)})
    return 0 if answer.status == "completed" else run


def _body(push: Push, answer: CommitAnswer) -> dict[str, Any]:
    body = {
        "name": f"Automaton Auditor: {push.link.assignment.slug}",
        "details_url": answer.url,
        "status": answer.status,
    }
    return body | ({"conclusion": answer.conclusion} if answer.conclusion else {})


def _batches(answer: CommitAnswer) -> list[list[dict[str, Any]]]:
    rows = [
        {
            "path": row.path,
            "start_line": row.start,
            "end_line": row.end,
            "annotation_level": LEVELS[row.level],
            "title": row.title[:LONGEST_TITLE],
            "message": row.message[:LONGEST_MESSAGE] or row.title,
        }
        for row in answer.annotations
    ]
    starts = range(0, max(len(rows), 1), ANNOTATIONS_AT_ONCE)
    return [rows[start : start + ANNOTATIONS_AT_ONCE] for start in starts]


def _output(answer: CommitAnswer, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    output: dict[str, Any] = {
        "title": answer.title,
        "summary": answer.summary[:LONGEST_MESSAGE],
    }
    return output | ({"annotations": annotations} if annotations else {})
