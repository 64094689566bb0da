"""Submit, wait, read, answer. Usage: AUDITOR=https://... TOKEN=aa_... python api_client.py o/c/a REPO."""

import json
import os
import sys
import time
import uuid
from typing import Any
from urllib.request import Request, urlopen

SITE, TOKEN = os.environ["AUDITOR"], os.environ["TOKEN"]


def call(path: str, body: dict[str, Any] | None = None, **headers: str) -> Any:
    """Return the JSON answer. Raises HTTPError, whose body names the field at fault."""
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    url = path if path.startswith("http") else f"{SITE}/api/v1/{path}"
    with urlopen(Request(url, json.dumps(body).encode() if body else None, headers)) as response:
        return json.load(response)


def main(path: str, repository: str) -> None:
    organization, cohort, assignment = path.split("/")
    base = f"o/{organization}/cohorts/{cohort}/assignments/{assignment}"
    key = {"Idempotency-Key": str(uuid.uuid4())}  # a retry with it submits nothing twice
    submission = call(f"{base}/submissions/", {"repo_url": repository}, **key)
    while (audit := call(f"o/{organization}/audits/{submission['audit']}/"))["finished_at"] is None:
        print(audit["state"], audit["stage"], "place", audit["position"], file=sys.stderr)
        time.sleep(2)
    print(audit["state"], audit["overall_score"], audit["failure_message"])
    if audit["report"]:
        for criterion in call(audit["report"])["criteria"]:
            print(f"{criterion['name']}: {criterion['final_score']}")
    for finding in call(f"{base}/findings/?group=new")["results"]:
        print(f"{finding['place']}:{finding['lines']} {finding['action']}")
        call(f"o/{organization}/findings/{finding['id']}/answers/", {"kind": "will_fix"})


if __name__ == "__main__":
    main(*sys.argv[1:])
