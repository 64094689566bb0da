"""Detectives: what is in the repository, what is in the report."""

import re
import subprocess
import tempfile

from pypdf import PdfReader

from src.schema import AgentState, Evidence

ADDRESS = re.compile(r"https://(github|gitlab)\.com/[\w.-]+/[\w.-]+")


def _subjects(repo_url: str) -> list[str]:
    if not ADDRESS.fullmatch(repo_url):
        raise ValueError("the address is not one of GitHub or GitLab")
    with tempfile.TemporaryDirectory() as folder:
        command = ["git", "clone", "--bare", "--", repo_url, folder]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=90)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise ValueError(f"the repository cannot be cloned: {error}") from error
        log = subprocess.run(["git", "-C", folder, "log", "--format=%s"], capture_output=True, text=True, timeout=20)
    return log.stdout.splitlines()


def start(state: AgentState) -> dict:
    return {"errors": []}


def repo_investigator(state: AgentState) -> dict:
    try:
        subjects = _subjects(state["repo_url"])
    except ValueError as error:
        return {"errors": [str(error)]}
    found = Evidence(key="history", goal="History", found=len(subjects) > 3, location="git log")
    return {"evidences": {"repository": [found]}}


def doc_analyst(state: AgentState) -> dict:
    pages = [page.extract_text() or "" for page in PdfReader(state["pdf_path"]).pages]
    explained = [number for number, text in enumerate(pages, 1) if "fan-in" in text.lower()]
    found = Evidence(key="fan-in", goal="Report", found=bool(explained), location=f"pages {explained}")
    return {"evidences": {"report": [found]}}


def vision_inspector(state: AgentState) -> dict:
    images = [image.name for page in PdfReader(state["pdf_path"]).pages for image in page.images]
    found = Evidence(key="diagram", goal="Diagram", found=bool(images), location=", ".join(images), confidence=0.5)
    return {"evidences": {"diagrams": [found]}}


def evidence_aggregator(state: AgentState) -> dict:
    missing = {"repository", "report", "diagrams"} - set(state.get("evidences", {}))
    return {"errors": [f"no evidence on: {name}" for name in sorted(missing)]}
