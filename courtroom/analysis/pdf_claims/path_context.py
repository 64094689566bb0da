"""Words around a path that make it a plan, a program's output, an example, or another's file."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(r"[{}<>*$]")
# Words of a passage about a file that does not exist yet.
_PLANNED = re.compile(
    r"\b(?:will be (?:added|created|written|stored)|to be (?:added|created|written)"
    r"|should be (?:added|created)|planned|future|to-?do|not yet|upcoming|proposed)\b",
    re.IGNORECASE,
)
# Words just before the path: a file to create, or one that the program writes.
_TO_CREATE = re.compile(
    r"\b(?:(?:creat|add|introduc)\w*(?: an?| the)?(?: new)?(?: \w+)?|optional)\W*$"
    r"|\b(?:extract|move|split|rename|migrate)\b[^;]{0,120}\b(?:in)?to\b[^.;]{0,80}$",
    re.IGNORECASE,
)
_TO_WRITE = re.compile(
    r"\b(?:writ|sav|export|dump|stor|output|render|serializ|generat|produc|persist)\w*\b"
    r"[^.;]{0,60}$",
    re.IGNORECASE,
)
# A program that is started is no file that it writes.
_STARTED = re.compile(r"\b(?:python3?|uv run|bash|sh|node) $")
# A label just before the path, as in an item of a plan.
_LABELLED = re.compile(r"\b(?:file|module|path|location|where|target)s?: ?$", re.IGNORECASE)
# What an item of a plan says of a file as it is: one that is to come has no gaps yet.
_AS_IT_IS = re.compile(
    r"\b(?:gap|issue|problem|weakness|current(?:ly| (?:state|behaviou?r))?)s?: ?", re.IGNORECASE
)
# A plan begins with an action. A program's output is called so or lies in an output folder.
_TO_DO = re.compile(r"^[\W\d]*(?:Action:\s*)?(?:Add|Create|Introduce|Write|Build) ")
_AFTER = re.compile(
    r"^\W{0,2}\s*(?:generation|output|artifact|is (?:written|generated|produced|saved))\b"
    r"|^\s*\(?or (?:similar|another|equivalent|an? )"
    r"|^\s*[(\[](?:new|proposed|planned|to (?:be )?(?:add|creat))",
    re.IGNORECASE,
)
_OUTPUT = re.compile(r"^(?:outputs?|logs|runs)/.*\.(?:md|json|jsonl|txt|log|html)$")
# The name of an output of one run, and words just before it by which that run is cited.
_DATED = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_CITED = re.compile(
    r"\b(?:sources?(?: \w+)?|(?:self|peer)[- ]?(?:audit|review)(?: report)?|from|see|based on"
    r"|according to)\b\W*$",
    re.IGNORECASE,
)
# An argument of an example command: after a flag, or after the program that is started.
_ARGUMENT = re.compile(
    r"(?<!\S)(?:--?|\u2013)[a-zA-Z][\w-]*[ =][\"'“]?$"
    r"|(?<!\S)(?:python3?|uv run)(?: python3?)? (?:-m [\w.]+|\S+\.py)"
    r"(?>(?: [^\s:/-]*+[:/-]\S*+)*) [\"'“]?$"
)
# A message quoted as an example names a made-up file.
_EXAMPLE = re.compile(r"\be\.g\.,? [\"“'\u2018](?:[^\s\"”'\u2019]+ )+$", re.IGNORECASE)

# Words of a passage about a file that is there.
_THERE_BEFORE = re.compile(
    r"\b(?:in|at|inside|within|from|see|via|file|module|script|class|function|defined|implemented"
    r"|lives?|located|contains?|uses?)\b",
    re.IGNORECASE,
)
_THERE_AFTER = re.compile(
    r"^\W*(?:and \S+ )?(?:is|are|has|have|implements?|defines?|contains?|handles?|provides?|holds?"
    r"|builds?|uses?|exports?|includes?|wires?|runs?|calls?|reads?|writes?|returns?)\b",
    re.IGNORECASE,
)

# The passage itself says that the file is missing or belongs to somebody else.
_DISOWNED = re.compile(
    r"\b(?:no such file|do(?:es)? not exist|doesn[\u2019']t exist|did not exist|non-?exist\w+"
    r"|was (?:renamed|removed)|renamed|(?:a|any) repository[\u2019']s|hallucinat\w*|not found"
    r"|(?:is|was) (?:missing|misplaced|improperly|wrongly)|deleted|instead of|formerly"
    r"|(?:peer|classmate|colleague|other team)[\u2019']?s?[\u2019']?"
    r" (?:repo|repo_\w+|repository|code\w*|pdf|project|submission))\b",
    re.IGNORECASE,
)
# The file is there, and the passage says that something of it is not.
_UNDONE = re.compile(
    r"\b(?:commented[- ]out|disabled|unused|broken|bugs?|lacks?|missing|not (?:yet|implemented|used))\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:no|lacks?|without|missing)(?: an?)? $", re.IGNORECASE)
_POSSESSIVE = re.compile(
    r"\b(?:(?:peer|classmate|colleague)s?|(?:an?|any|another|each) (?:repo(?:sitory)?|project|submission))"
    r"[\u2019']s? $",
    re.IGNORECASE,
)


def around(path: str, passage: str) -> tuple[str, str]:
    """Return the passage before and after the path, where it is not the end of a longer one."""
    match = re.search(rf"(?<![\w./-]){re.escape(path)}", passage)
    return (passage[: match.start()], passage[match.end() :]) if match else (passage, "")


def is_planned(path: str, passage: str) -> bool:
    """Return whether the file is to come, is an output, or stands in an example."""
    before, after = around(path, passage)
    return bool(
        _PLANNED.search(passage)
        or _TO_DO.search(passage)
        or (not _STARTED.search(before) and _is_made(before))
        or _AFTER.search(after)
        or _EXAMPLE.search(before)
        or _ARGUMENT.search(before)
        or is_template(path)
        or _OUTPUT.search(path)
        or (_DATED.search(path) and not _CITED.search(before))
    )


def _is_made(before: str) -> bool:
    return bool(_TO_CREATE.search(before) or _TO_WRITE.search(before))


def is_labelled(path: str, passage: str) -> bool:
    """Return whether the path stands after a label such as "File:", and nothing is said of it."""
    before, after = around(path, passage)
    return _LABELLED.search(before) is not None and not _AS_IT_IS.search(after)


def is_template(path: str) -> bool:
    return bool(_TEMPLATE.search(path))


def is_disowned(path: str, passage: str) -> bool:
    """Return whether the passage says that the file is missing or belongs to somebody else."""
    if is_of_others(path, passage):
        return True
    return bool(_DISOWNED.search(passage) or _DENIED.search(around(path, passage)[0]))


def is_undone(passage: str) -> bool:
    """Return whether the passage says that something is missing or out of use."""
    return bool(_UNDONE.search(passage))


def is_asserted(path: str, passage: str) -> bool:
    """Return whether the passage says that something is in the file, or what the file does."""
    before, after = around(path, passage)
    return bool(_THERE_BEFORE.search(before) or _THERE_AFTER.search(after))


def is_of_others(path: str, passage: str) -> bool:
    """Return whether the path follows a possessive ("the peer's clone.py")."""
    return _POSSESSIVE.search(around(path, passage)[0]) is not None
