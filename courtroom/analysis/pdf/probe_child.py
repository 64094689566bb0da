"""Count the pages of a PDF in a confined child, while a student waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from courtroom.analysis.pdf.open_pdf import open_reader, too_many_pages


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the number of `pages` of `file`. Raises PdfRefused, also above `most_pages`."""
    return answer_content(request, Path(request["file"]).read_bytes())


def answer_content(request: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Return the number of `pages` of these bytes, as `answer` does."""
    most_pages = int(request["most_pages"])
    count = len(open_reader(content, most_pages).pages)
    if count > most_pages:
        raise too_many_pages(f"{count} pages", most_pages)
    return {"pages": count}
