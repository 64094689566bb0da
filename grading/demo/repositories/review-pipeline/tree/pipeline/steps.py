"""The detectives, one after the other."""

from pypdf import PdfReader

from pipeline.cloning import commit_subjects
from pipeline.models import Evidence, PipelineState


def repo_investigator(state: PipelineState) -> dict:
    try:
        subjects = commit_subjects(state.repo_url)
    except ValueError as error:
        return {"evidence": [Evidence(goal="History", found=False, location=str(error))]}
    return {"evidence": [Evidence(goal="History", found=len(subjects) > 3, location=f"{len(subjects)} commits")]}


def doc_analyst(state: PipelineState) -> dict:
    pages = [page.extract_text() or "" for page in PdfReader(state.pdf_path).pages]
    found = any("synthesis" in page.lower() for page in pages)
    return {"evidence": [*state.evidence, Evidence(goal="Report", found=found, location=f"{len(pages)} pages")]}


def vision_inspector(state: PipelineState) -> dict:
    images = sum(len(page.images) for page in PdfReader(state.pdf_path).pages)
    return {"evidence": [*state.evidence, Evidence(goal="Diagrams", found=images > 0, location=f"{images} images")]}
