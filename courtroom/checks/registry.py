"""Registry of the kinds of checks: one for each module of this package that defines a check model.

Detectives, survey, replay, the JSON Schema and the labels of the rubric editor are derived from it.
Importing it refuses a kind that is incomplete. An unknown kind, of a later version or made by hand,
is never in it: its checks are not established (`unknown_kind`), never "not met".
"""

from __future__ import annotations

import operator
import pkgutil
from collections.abc import Iterable, Mapping
from functools import reduce
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapSerializer,
    WrapValidator,
)

import courtroom.checks
from courtroom.checks.kind import CheckKind, IncompleteCheckKind, NeedsSubmission
from courtroom.checks.result import Finding, could_not_look
from courtroom.checks.subjects import Subjects
from courtroom.models.check import STORED, CheckBase, Concern, UnknownCheck
from courtroom.models.evidence import CheckOutcome, DetectiveName
from courtroom.models.statement import Statement, statement_of

if TYPE_CHECKING:
    from courtroom.replay.stored_report import StoredReport


def collect(modules: Iterable[ModuleType]) -> Mapping[str, CheckKind]:
    """The kinds of these modules by name, in their order. Raises IncompleteCheckKind."""
    kinds: dict[str, CheckKind] = {}
    for module in modules:
        declared = getattr(module, "KIND", None)
        if declared is None and not _models_of(module):
            continue  # a module that kinds share
        kind = _checked(module, declared)
        kinds[kind.name] = kind
    # The order of the schema and of the editor; kinds without an order come last, by name.
    return MappingProxyType(dict(sorted(kinds.items(), key=lambda item: (item[1].order, item[0]))))


def _checked(module: ModuleType, kind: object) -> CheckKind:
    name = module.__name__.rpartition(".")[2]
    if not isinstance(kind, CheckKind):
        raise IncompleteCheckKind(f"{name}.py defines a check model, but no KIND = CheckKind(...)")
    if kind.name != name:
        raise IncompleteCheckKind(
            f"{name}.py declares the kind {kind.name}: name it {kind.name}.py"
        )
    if _models_of(module) != [kind.model]:
        raise IncompleteCheckKind(f"{name}.py must define one check model, the one of its KIND")
    return kind


def _models_of(module: ModuleType) -> list[type[CheckBase]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, CheckBase)
        and value.__module__ == module.__name__
    ]


def _modules() -> list[ModuleType]:
    # Files are found, not listed: a new kind needs no second place.
    names = sorted(info.name for info in pkgutil.iter_modules(courtroom.checks.__path__))
    return [import_module(f"{courtroom.checks.__name__}.{name}") for name in names]


KINDS = collect(_modules())


def _keep_unknown(value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    # All but an object of an unknown kind gets the usual validation, with its messages.
    is_known = not isinstance(value, dict) or value.get("kind") in KINDS
    if is_known or info.context != STORED:
        return validate(value)
    return UnknownCheck.model_validate(value)


def _dump(check: CheckBase, dump: SerializerFunctionWrapHandler, info: SerializationInfo) -> Any:
    if not isinstance(check, UnknownCheck):
        return dump(check)
    return check.model_dump(mode=info.mode, exclude_none=info.exclude_none)


if TYPE_CHECKING:
    # mypy cannot follow a union that is made at run time; the base has all that callers use.
    Check = CheckBase
else:
    Check = Annotated[
        reduce(operator.or_, (kind.model for kind in KINDS.values())),
        Field(discriminator="kind"),
        WrapValidator(_keep_unknown),
        WrapSerializer(_dump),
    ]


def kind_of(check: CheckBase) -> CheckKind | None:
    """The kind of a check; null when this version does not know it."""
    kind = KINDS.get(getattr(check, "kind", ""))
    # An object made by hand may carry the name of a kind without being one.
    return kind if kind is not None and isinstance(check, kind.model) else None


def unknown_kind(check: CheckBase) -> Finding:
    name = getattr(check, "kind", type(check).__name__)
    return could_not_look(f"This version of the auditor does not know the check kind {name!r}.")


def fault_of(check: CheckBase, outcome: CheckOutcome | None = None) -> str:
    """The rubric's own sentence on what is wrong, else that of the outcome, else that of the kind.

    "" of an unknown kind.
    """
    if words := check.fault or (outcome.fault if outcome else ""):
        return words
    kind = kind_of(check)
    return kind.fault(check) if kind else ""


def statement_on(check: CheckBase, outcome: CheckOutcome) -> Statement:
    return statement_of(
        goal=check.goal,
        fault=fault_of(check, outcome),
        met=outcome.met,
        reason=outcome.reason,
        is_applicable=outcome.not_applicable is None,
    )


def subjects_of(check: CheckBase) -> Subjects:
    kind = kind_of(check)
    return kind.subjects(check) if kind else Subjects()


def detective_for(check: CheckBase) -> DetectiveName:
    """The detective that owes the answer. Of an unknown kind the RepoInvestigator says so."""
    kind = kind_of(check)
    return kind.detective if kind else "RepoInvestigator"


def replay(check: CheckBase, report: StoredReport) -> Finding | None:
    """The answer from a stored report; null where only the submission can answer."""
    kind = kind_of(check)
    if kind is None:
        return unknown_kind(check)
    return None if isinstance(kind.replay, NeedsSubmission) else kind.replay(check, report)


def concern_of(check: CheckBase) -> Concern:
    """The check's own concern; else risk where it looks for a flaw, else that of its kind."""
    if check.concern:
        return check.concern
    if not check.is_positive or "security" in check.tags:
        return "risk"
    kind = kind_of(check)
    return kind.concern if kind else "function"


def reads_peer_records(check: CheckBase) -> bool:
    kind = kind_of(check)
    return kind is not None and kind.reads_peer_records


def reads_report(check: CheckBase) -> bool:
    """A check about the student's PDF report, its text or its pictures."""
    return detective_for(check) != "RepoInvestigator"
