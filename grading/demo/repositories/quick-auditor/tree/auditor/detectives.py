from pypdf import PdfReader

from auditor.shell import clone, git, grep, settings_of_project
from auditor.state import AuditState, Evidence


def repo_investigator(state: AuditState) -> dict:
    clone(state["repo_url"])
    log, graph = git("log --oneline"), grep("StateGraph")
    return {
        "evidences": {
            "history": Evidence(goal="History", found=log.count("\n") > 3, content=log),
            "graph": Evidence(goal="Graph", found=bool(graph), content=graph),
            "settings": Evidence(goal="Settings", found=bool(settings_of_project())),
        }
    }


def doc_analyst(state: AuditState) -> dict:
    text = "".join(page.extract_text() for page in PdfReader(state["pdf_path"]).pages)
    return {"evidences": {"report": Evidence(goal="Report", found=len(text) > 1000, content=text[:500])}}


def evidence_aggregator(state: AuditState) -> dict:
    return {"evidences": {"count": Evidence(goal="Evidence", found=bool(state["evidences"]))}}
