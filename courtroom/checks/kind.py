"""Definition of one kind of check: model, detective, detector, replay and label, or a refusal.

Every module of this package that defines a check model declares one `KIND = CheckKind(...)`.
docs/contributor.md tells how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from courtroom.checks.subjects import SubjectsOf, no_subject
from courtroom.models.check import CheckBase, Concern
from courtroom.models.evidence import DetectiveName

if TYPE_CHECKING:
    from courtroom.checks.result import Finding
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.models.evidence import CheckOutcome
    from courtroom.replay.stored_report import StoredReport

# The first argument is the kind's own model, so it is typed Any here.
Detector = Callable[[Any, "Sources"], "Finding | None"]
Replay = Callable[[Any, "StoredReport"], "Finding | None"]
Comparer = Callable[[Any, "Comparison"], "Finding | None"]
Reopener = Callable[[Any, "CheckOutcome", "Comparison"], bool]
# Sentence on what is wrong where a check of the kind is not met, made from its parameters.
FaultSentence = Callable[[Any], str]

LAST = 1000


class IncompleteCheckKind(TypeError):
    """A kind of check that lacks a part: it could be graded "not met" where nobody looked."""


@dataclass(frozen=True, slots=True)
class Label:
    """Words of the rubric editor for a kind. The mappings go by parameter, or by value for choices.

    A parameter without a label is called by its own name, and so is a choice. `exact` names the
    lists in whose lines the spaces at the ends count.
    """

    title: str
    about: str
    fields: Mapping[str, str] = field(default_factory=dict)
    help: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    exact: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NeedsSubmission:
    """Declaration that no stored report can answer this kind, with the reason."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckKind:
    """`detect` answers from the readings of one detective; null where report and code are needed.

    `compare` then answers from both, and `reopens` says which answers it may replace.
    `replay` answers from a stored report; null where these parameters need the submission.
    `fault` words what is wrong where the rubric has no sentence for it.
    `search` is "module:function", run inside the confined child that reads the sources. It is a
    text because a child imports no pydantic unless a kind needs it (0.2 s of every audit).
    `subjects`: without these things the check does not apply (checks/subjects.py).
    `reads_peer_records`: the answer depends on what a site knows of the rounds of peers.
    `concern` is that of a check whose rubric names none.
    `order` is the place among the kinds in the schema and in the editor.
    """

    model: type[CheckBase]
    detective: DetectiveName
    detect: Detector
    replay: Replay | NeedsSubmission
    fault: FaultSentence
    label: Label
    compare: Comparer | None = None
    reopens: Reopener | None = None
    search: str | None = None
    subjects: SubjectsOf = no_subject
    reads_peer_records: bool = False
    concern: Concern = "function"
    order: int = LAST

    def __post_init__(self) -> None:
        # All that is missing is named at once.
        missing = [part for part, is_complete in self._parts() if not is_complete]
        if missing:
            message = f"the check kind of {self.model!r} lacks: {', '.join(missing)}"
            raise IncompleteCheckKind(message)

    @property
    def name(self) -> str:
        """The `kind` of the model, which is also the name of the module."""
        return str(self.model.model_fields["kind"].default)

    def _parts(self) -> list[tuple[str, bool]]:
        replay = self.replay
        return [
            ("a model with a literal kind", _has_literal_kind(self.model)),
            ("a detective", self.detective in get_args(DetectiveName)),
            ("a detector", callable(self.detect)),
            (
                "a replay, or the reason why it needs the submission",
                bool(replay.reason) if isinstance(replay, NeedsSubmission) else callable(replay),
            ),
            ("a sentence for the fault", callable(self.fault)),
            (
                "a label",
                isinstance(self.label, Label) and bool(self.label.title and self.label.about),
            ),
            ("a search as module:function", self.search is None or self.search.count(":") == 1),
        ]


def _has_literal_kind(model: Any) -> bool:
    if not (isinstance(model, type) and issubclass(model, CheckBase)):
        return False
    field_info = model.model_fields.get("kind")
    # The union is told apart by this literal.
    return field_info is not None and get_args(field_info.annotation) == (field_info.default,)
