"""Count the pages of a PDF in a confined child, while a student waits.

It imports as little as that takes: most of its time is the start of Python and of pypdf.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the number of `pages` of `file`. Raises PdfRefused, also above `most_pages`."""
    file, most_pages = Path(request["file"]), int(request["most_pages"])
    if b"/Encrypt" not in file.read_bytes():
        # pypdf then does without it: a third of the whole import. A file that hides the word from
        # this line is refused as encrypted.
        sys.modules["cryptography"] = None  # type: ignore[assignment]  # -- "not to be imported"

    from courtroom.analysis.pdf.open_pdf import open_reader, too_many_pages

    count = len(open_reader(file, most_pages).pages)
    if count > most_pages:
        raise too_many_pages(f"{count} pages", most_pages)
    return {"pages": count}
