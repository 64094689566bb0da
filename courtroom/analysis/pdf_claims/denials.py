"""Statements of a report that the code lacks something, compared with what the code has.

A report that was written before the code was finished says that parts are missing which are there
by now, and misleads a reader as much as one that promises too much. Only plain denials of the
present code count: no quotation, no finding of an audit, nothing about a peer, an earlier version
or an interim state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim, own_words
from courtroom.analysis.pdf_claims.part_edges import NODES


@dataclass(frozen=True, slots=True)
class Part:
    """Part of the work that a report can deny.

    `about` names the fact whose location shows it; `is_there` is null where no fact decides. `says`
    is a pattern of sentences that deny it by what they affirm.
    """

    id: str
    about: str
    words: str
    is_there: Callable[[CodeFacts], bool | None]
    says: str = ""


def _nodes(part: str) -> Callable[[CodeFacts], bool | None]:
    """Return whether an edge of the graph leads to a node of this part."""

    def is_there(code: CodeFacts) -> bool | None:
        reached = _reached(code)
        return None if reached is None else any(map(NODES[part], reached))

    return is_there


def _reached(code: CodeFacts) -> set[str] | None:
    graph = code.get("graph")
    if not graph:
        return None
    routes = (name for route in graph["conditional"] for name in route["to"])
    return {*(target for _, target in graph["edges"]), *routes}.intersection(graph["nodes"])


def _routes(code: CodeFacts) -> bool | None:
    graph = code.get("graph")
    return bool(graph["conditional"]) if graph else None


def _flag(*names: str) -> Callable[[CodeFacts], bool | None]:
    def is_there(code: CodeFacts) -> bool | None:
        values = [code.get(name) for name in names]
        return None if None in values else all(values)

    return is_there


def _rule(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: (code.get("rules") or {}).get(name)


def _repeats_clone(code: CodeFacts) -> bool | None:
    clone = code.get("clone_function")
    return bool(clone.get("is_repeated")) if clone else None


def _without(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: None if code.get(name) is None else not code[name]


_JUDGES = (
    r"(?:judges?|judge nodes?|judicial (?:and synthesis )?(?:layers?|nodes?|bench|panel|personas?)"
    r"|prosecutor)"
)
_JUSTICE = r"(?:chief ?justice(?: ?node)?|synthesis (?:engine|node|layers?)|supreme court)"
_EDGES = r"conditional (?:routing |error )?(?:edges?|routing|routes?)"
_ANSWERS = (
    r"(?:[\w-]+ ){0,3}(?:malformed|invalid|free-?form|unparse?able|parse|parsing|validation|schema"
    r"|structured)\b"
)
# "No security override triggered" tells of a verdict.
_AS_RULE = (
    r"(?=\W*$|[.,:;(]| (?:rule|logic|mechanism|in|is|are|yet|implement\w+)\b| current(?:ly)?:)"
)
# A route for missing evidence need not be one for a failed clone.
_ON_FAILURE = (
    r"(?:for|to handle|on|to catch) (?:(?!clon|pdf|vision|judge|llm|api\b)[^.;]){0,40}?"
    r"(?:fail|error|missing)\w*"
)
# "They run in parallel, each over the criteria in sequence" tells of no chain.
_IN_TURN = (
    r"\b(?:are|is|runs?|executes?)\b(?:(?!parallel|concurren|each|criteri|dimension)[^.;:]){0,60}"
    r"\b(?:in sequence|sequentially|one after (?:the |an)other"
    r"|(?:in|inside|within) (?:one|a single|the same) (?:graph )?node)\b"
)
_RETRIES = r"retr(?:y|ies)(?: logic| loops?| mechanism)?"
_CLONES = r"(?:git |repo(?:sitory)? )?clon(?:e|es|ing)"
PARTS: tuple[Part, ...] = (
    Part("lacks_judges", "graph", _JUDGES, _nodes("lacks_judges")),
    Part("lacks_chief_justice", "graph", _JUSTICE, _nodes("lacks_chief_justice")),
    Part(
        "lacks_vision_inspector",
        "graph",
        r"vision ?inspector(?: ?node)?",
        _nodes("lacks_vision_inspector"),
    ),
    Part(
        "lacks_error_route", "graph", rf"{_EDGES} {_ON_FAILURE}", _flag("conditional_error_route")
    ),
    Part(
        "lacks_conditional_edges",
        "graph",
        rf"{_EDGES}(?! (?:for|to|on|that|which|from)\b)",
        _routes,
    ),
    Part(
        "lacks_parallel_judges",
        "graph",
        rf"(?:true )?parallel (?:execution|run|deliberation) of (?:the )?{_JUDGES}",
        _flag("judges_parallel"),
        rf"\b{_JUDGES} {_IN_TURN}",
    ),
    Part(
        "lacks_parallel_detectives",
        "graph",
        r"(?:true )?parallel (?:execution|run) of (?:the )?detectives",
        _flag("detectives_parallel"),
        rf"\bdetectives? {_IN_TURN}",
    ),
    Part(
        "lacks_parallel_nodes",
        "graph",
        r"(?:true )?parallel (?:fan-?out|execution|branches|orchestration|nodes)(?! of\b)",
        _flag("detectives_parallel", "judges_parallel"),
    ),
    Part("lacks_reducers", "state_class", r"(?:state )?reducers?", _flag("reducers")),
    Part(
        "lacks_pydantic_models",
        "",
        r"pydantic(?:/basemodel)?(?: models?| usage| validation| state)?",
        _flag("pydantic_models"),
    ),
    Part(
        "lacks_structured_output",
        "structured_output_calls",
        r"(?:\.?with_structured_output|structured outputs?)",
        _flag("structured_output_calls"),
    ),
    Part(
        "lacks_output_retry",
        # The call is not the loop that repeats it.
        "",
        r"retr(?:y|ies)(?: logic| loops?| mechanism)? (?:on|for|of|after|when|around) " + _ANSWERS,
        _flag("structured_output_retry"),
    ),
    Part(
        "lacks_security_override",
        "",
        r"(?:rule of security|security (?:override|cap))" + _AS_RULE,
        _rule("security_override"),
    ),
    Part(
        "lacks_fact_supremacy",
        "",
        r"(?:rule of evidence|fact supremacy)" + _AS_RULE,
        _rule("fact_supremacy"),
    ),
    Part(
        "lacks_markdown_report",
        "",
        r"markdown (?:report|output)(?: generat(?:ion|or))?",
        _flag("markdown_report"),
    ),
    Part(
        "lacks_clone_timeout",
        "clone_function",
        r"(?:clone|git) time-?outs?",
        _flag("clone_timeout"),
    ),
    Part(
        "lacks_clone_retry",
        "clone_function",
        rf"{_RETRIES} (?:on|for|of|when|around) (?:the )?{_CLONES}",
        _repeats_clone,
        rf"\b{_RETRIES}\b(?: \w+){{1,4}},? (?:but )?not for (?:the )?{_CLONES}",
    ),
    Part(
        "uses_os_system",
        "",
        r"(?:calls|processes) without (?:a )?shell",
        _without("os_system_calls"),
        r"\b(?:operations?|investigator|repository|implementation|code|tools?|functions?|nodes?)"
        r"(?: currently| still| directly)? uses? (?:raw |unsafe |direct )?os\.system\b"
        # "Replace any os.system()" says of none that it is there.
        r"|\breplace (?:the |raw |unsafe )?os\.system(?:\(\))? (?:calls? )?with [\w.()]{1,40}"
        r" in (?:[\w-]{1,40}/){0,6}[\w-]{1,40}\.py\b",
    ),
)
_PASSAGE_CHARACTERS, _MAX_SENTENCE = 400, 1000
# Characters after a denial that may say that it is about something else.
_AFTER = 40
# What stands in brackets stays with its sentence.
_SENTENCE = re.compile(
    r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])(?![^()]{0,200}\))|;\s(?![^()]{0,200}\))|\s(?=[●•○]\s)"
)
# Chapters on peers, other times, and the rubric.
_OTHER_SUBJECT = re.compile(
    r"\b(?:peers?|reflections?|feedback|findings|history|lessons|alternatives?|trade-?offs?|rubric"
    r"|opinions?|verdicts?|minmax|received|bugs?|fixed|resolved"
    r"|changes|debug\w*|prompts?|root causes?|interim|before|protocols?|brief|appendix)\b",
    re.IGNORECASE,
)
_OTHER_TIME = re.compile(
    r"\b(?:interim|initial\w*|previous\w*|original\w*|formerly|earlier|used to|was|were|had|did|been"
    r"|peers?\w*|their|they|if|when\w*|unless|without|checks?|flag\w*|detect(?!ives?\b)\w*|search\w*|scans?"
    r"|look\w*|verif\w*|ensure\w*|so that|because|prosecutor:|defense:|tech ?lead:|rubric|score\w*"
    r"|penal\w*|would|could|should|charg\w+|argu\w+|found|claims?|evidence|e\.g|example|now"
    r"|agents?|students?|submissions?|auditor\w*|repositor\w+|target|audited|criteri\w+|points?"
    r"|violation|at that time|fallback|caught|identified|noted|needed|required|necessary)\b|[\"“”?{}\[\]→]|->"
)
# A line on a gap that is closed by now, or of a rubric.
_NOT_NOW = re.compile(
    r"\b(?:(?:pre|post)-?fix|fixed|resolved|closed|(?:failure|success)[_ ]pattern|avoid: )",
    re.IGNORECASE,
)
# A part that is there and does not work yet: its denial is true of what it does.
_HOLLOW = re.compile(r"\b(?:cannot|can['\u2019]?t|placeholders?|stub\w*|scaffold\w*|mock\w*)\b")
_GAP = r"(?:[\w/-]+ )?"
_ABSENT = (
    r"(?:not (?:yet )?(?:been )?(?:implemented|added|integrated|wired|present|built|connected"
    r"|registered|started|in place|there)|absent|unimplemented|commented[- ]out"
    r"|(?:remains? |yet )?to be (?:implemented|added|integrated|wired|built|connected)"
    # "The Prosecutor cited missing types": something else is missing.
    r"|missing(?=\W*$|[.,:)]|\s(?:in|from|at|and|as|for|entirely|altogether|completely)\b))"
)
# "No judge can change it" denies what judges do.
_DOES = r"(?! (?:(?:or|nor|and) [\w ]{1,30} )?(?:can|may|must|ever|needs?|sees?|reads?|shares?|knows?)\b)"
# Headings of lists of what is not there, and the items of such a list.
_ABSENT_HEADING = (
    r"[\d.\s]{0,8}(?:(?:not (?:yet )?implemented|unimplemented|still missing)(?: yet)?"
    r"|missing (?:features|parts|components))\W{0,3}"
)
_LISTS_ABSENT = re.compile(_ABSENT_HEADING, re.IGNORECASE)
# The title of a report and the lines below it.
_BEGINNING = 600
_INTERIM = re.compile(r"\binterim\b", re.IGNORECASE)
_FINAL = re.compile(r"\bfinal (?:report|submission)\b", re.IGNORECASE)
_BULLET = re.compile(r"(?:^|\s)[•●○▪◦‣\uf0b7\uf0a7-]\s")
_ITEM_WORDS = 8
_START = r"^\W*(?:\d{1,2}[.)] )?(?:(?:gap|missing|limitation)s?(?: \d{1,2}| ?/ ?risks?)?: ?)?"


def is_interim_report(reading: PdfReading) -> bool:
    """Return whether the report calls itself interim at its beginning, and not final."""
    beginning = (reading.pages or ("",))[0][:_BEGINNING]
    return bool(_INTERIM.search(beginning) and not _FINAL.search(beginning))


def stale_denials(reading: PdfReading, code: CodeFacts) -> Iterator[CheckedClaim]:
    """Yield the first plain denial of each part that the code has, as a contradicted claim.

    A sentence that denies several parts misleads once.
    """
    stale: set[tuple[int, str]] = set()
    for part, page, sentence in _denials(reading):
        if part.is_there(code) is True and (page, sentence) not in stale:
            stale.add((page, sentence))
            claim = FeatureClaim(part.id, part.about, page, sentence[:_PASSAGE_CHARACTERS])
            yield CheckedClaim(claim, "contradicted")


def _denials(reading: PdfReading) -> Iterator[tuple[Part, int, str]]:
    """Yield each part with page and text of the first sentence that says it is not there."""
    denied: set[str] = set()
    for page, sentence in _sentences(reading):
        lowered = with_plain_hyphens(sentence).lower()
        for part, patterns in _PATTERNS:
            if part.id not in denied and any(_denies(lowered, pattern) for pattern in patterns):
                denied.add(part.id)
                yield part, page, sentence


def _denies(sentence: str, pattern: re.Pattern[str]) -> bool:
    match = pattern.search(sentence)
    if match is None or _HOLLOW.search(sentence):
        return False
    # " - " begins a reason or a consequence.
    after = sentence[match.end() : match.end() + _AFTER].partition(" - ")[0]
    return not _OTHER_TIME.search(sentence[: match.end()] + after)


def _patterns(words: str, says: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        map(
            re.compile,
            (
                *filter(None, [says]),
                rf"{_START}no {_GAP}{words}\b{_DOES}",
                rf"\b(?:there (?:is|are)|has|have|contains?) (?:currently |still )?no {_GAP}{words}\b",
                rf"\blacks? (?:an? |any )?{_GAP}{words}\b",
                # What stands in brackets behind an item is what is not there.
                rf"^{_ABSENT_HEADING} {_GAP}{words}\b(?! of\b| \()",
                rf"\b{words}(?: (?!is\b|are\b)[\w/-]+){{0,2}}(?: is| are|:)?(?: currently| still)? \(?{_ABSENT}\b",
            ),
        )
    )


_PATTERNS = tuple((part, _patterns(part.words, part.says)) for part in PARTS)


def _sentences(reading: PdfReading) -> Iterator[tuple[int, str]]:
    skipped: str | None = None
    heading = ""
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                skipped = skipped_chapter(line, _OTHER_SUBJECT, skipped)
                heading = line
            elif skipped is None and not _NOT_NOW.search(line):
                if _LISTS_ABSENT.fullmatch(heading):
                    yield from ((page, f"{heading} {item}") for item in _items(line))
                for words in own_words(line):
                    parts = (part for part in _SENTENCE.split(words) if len(part) <= _MAX_SENTENCE)
                    yield from ((page, part) for part in parts)


def _items(line: str) -> Iterator[str]:
    """Yield the short items of a list."""
    items = (item.strip() for item in _BULLET.split(line)[1:])
    return (item for item in items if 0 < len(item.split()) <= _ITEM_WORDS)
