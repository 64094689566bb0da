"""Hand in, wait, read, answer: `AUDITOR=https://audits.example TOKEN=aa_... python docs/api_client.py o/c/a REPOSITORY`."""

import json
import os
import sys
import time
import uuid
from typing import Any
from urllib.request import Request, urlopen

SITE, TOKEN = os.environ["AUDITOR"], os.environ["TOKEN"]


def call(path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    """What the API answers; an HTTP error is raised, and its body says what was wrong with which field."""
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    address = path if path.startswith("http") else f"{SITE}/api/v1/{path}"
    with urlopen(Request(address, json.dumps(body).encode() if body else None, headers)) as answer:
        return json.load(answer)


def main(place: str, repository: str) -> None:
    organization, cohort, assignment = place.split("/")
    here = f"o/{organization}/cohorts/{cohort}/assignments/{assignment}"
    key = {"Idempotency-Key": str(uuid.uuid4())}  # asked again with it, nothing is handed in twice
    handed_in = call(f"{here}/submissions/", {"repo_url": repository}, **key)
    while (audit := call(f"o/{organization}/audits/{handed_in['audit']}/"))["finished_at"] is None:
        print(audit["state"], audit["stage"], "place", audit["position"], file=sys.stderr)
        time.sleep(2)
    print(audit["state"], audit["overall_score"], audit["failure_message"])
    if audit["report"]:
        print(
            *(f"{c['name']}: {c['final_score']}" for c in call(audit["report"])["criteria"]),
            sep="\n",
        )
    for finding in call(f"{here}/findings/?group=new")["results"]:
        print(f"{finding['place']}:{finding['lines']} {finding['action']}")
        call(f"o/{organization}/findings/{finding['id']}/answers/", {"kind": "will_fix"})


if __name__ == "__main__":
    main(*sys.argv[1:])
