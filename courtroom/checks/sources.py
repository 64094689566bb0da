"""Inputs of a detector: the readings of one detective, and report and repository together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from courtroom.analysis.diagrams.diagram_kind import DiagramResult
    from courtroom.analysis.git.history import History
    from courtroom.analysis.pdf.pdf_content import PdfReading
    from courtroom.analysis.pdf_claims.claimed_names import CheckedNames
    from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath
    from courtroom.analysis.pdf_claims.claims import CheckedClaim
    from courtroom.analysis.pdf_claims.path_standing import CheckedPaths
    from courtroom.analysis.survey import Survey
    from courtroom.detectives.detective_result import Claim
    from courtroom.models.errors import ExaminationFailed
    from courtroom.models.facts import DiagramFact
    from courtroom.models.project_facts import Deferral, ExchangeFact


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The readings of one detective; null for those of the others.

    An error stands where something could not be read. `exchange` is what a site knows of the
    student's part in rounds of peers, `claims` the paths that the report names.
    """

    history: History | ExaminationFailed | None = None
    survey: Survey | ExaminationFailed | None = None
    exchange: ExchangeFact | None = None
    report: PdfReading | None = None
    claims: Sequence[Claim | ClaimedPath] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """Report and repository together.

    `paths` and `names` are null where either side is missing, `claims` where the report's text is;
    `names` are as well where its text was recognised, not read.
    `code` holds the facts on the code, by the names of courtroom.models.facts.
    `deferrals` are the places where the report puts work off, `claimed_scores` those where it names
    an overall score, as fields of models.output_facts.ClaimedScore; `listed_scores` says which of
    those per criterion no committed self-audit has. `beside` names the Markdown
    reports of the repository, which are not judged; `origin` says what the report is where it is no
    account of the work today. `sentences` is the number of those that the
    report has on its present code.
    """

    pdf: PdfReading | ExaminationFailed | None
    code: Mapping[str, Any]
    paths: CheckedPaths | None
    names: CheckedNames | None
    claims: tuple[CheckedClaim, ...] | None
    diagram: DiagramResult | None
    diagrams: tuple[DiagramFact, ...] | None
    deferrals: tuple[Deferral, ...]
    claimed_scores: tuple[dict[str, Any], ...] = ()
    listed_scores: str = ""
    beside: str = ""
    origin: str = ""
    sentences: int = 0
