"""What the detectives use."""

import subprocess
import tempfile

from pypdf import PdfReader


def inspect_repository(repo_url: str) -> dict[str, int]:
    """Counts of a repository that is cloned into a temporary directory."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(["git", "clone", "-q", repo_url, folder], check=True, capture_output=True)
        except subprocess.CalledProcessError as error:
            raise ValueError(f"cannot clone {repo_url}: {error.stderr!r}") from error
        log = subprocess.run(["git", "-C", folder, "rev-list", "--count", "HEAD"], capture_output=True, text=True)
        files = subprocess.run(["git", "-C", folder, "ls-files", "*.py"], capture_output=True, text=True)
    return {"commits": int(log.stdout), "python_files": len(files.stdout.splitlines())}


def words_of_report(pdf_path: str) -> str:
    return " ".join(page.extract_text() or "" for page in PdfReader(pdf_path).pages).lower()
