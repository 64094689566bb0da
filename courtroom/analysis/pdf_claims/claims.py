"""Check a report's claims about the code against its facts: confirmed, contradicted or open.

Only plain claims count. A sentence about a plan, a gap, a peer, an earlier version, what a rubric
wants, or what the tool looks for in other repositories claims nothing about this code, nor does a
quoted denial or a quoted judge. Of a chapter on the past, what is so "now" counts. Sentences are
matched by patterns, not understood.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.claim_patterns import FEATURES, REDEFINED, CodeFacts, Feature
from courtroom.analysis.pdf_claims.claim_wording import as_claimed
from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath

Standing = Literal["confirmed", "contradicted", "open"]
# The feature of a claim about one file: no sentence's words say it.
FILE_CONTENT = "file_content"

_PASSAGE_CHARACTERS = 600
_FEW_WORDS = 5
_MAX_SENTENCE = 2000  # characters; a longer one is a table or a listing in one line
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])|\s(?=[●•○]\s)")
# Headings of sections that are not about the present code.
_OTHER_SUBJECT = re.compile(
    # "Evidence and Gaps" is about what is there, too.
    r"^(?:\d{1,2}[.)]? )?(?:references|bibliography)$"
    r"|\b(?:(?<!evidence and )(?<!strengths and )gaps?|plans?|planned|remediation|future|next steps"
    r"|roadmap|limitations?|known issues"
    r"|to-?do|peers?|reflection|feedback|findings|history|lessons|alternatives?|trade-?offs?"
    # "(RISK-1)" refers to a list elsewhere.
    r"|risks?(?!-\d)|problems?|challenges|bugs?|root causes?|priority \d|implementation steps"
    # The text of the rubric, and what is due in which week.
    r"|(?:grading|evaluation|scoring|full|complete) rubric|timelines?|schedule|milestones)\b",
    re.IGNORECASE,
)
# Those that tell how the code came to be as it is, and a sentence there on the present code.
_PAST = re.compile(
    r"\b(?:peers?|reflection|feedback|history|lessons|problems?|challenges|bugs?|root causes?)\b",
    re.IGNORECASE,
)
_OURS_NOW = re.compile(r"\b(?:my|our|we|i|the|each|every|all)\b[^.;:]{0,60}\bnow\b", re.IGNORECASE)
# The end of a line whose sentence goes on.
_CUT = re.compile(r"[\w,)]$")
# A path in front begins a row of a list of files.
_ROW = re.compile(r"(?:[\w.-]{1,80}/){1,8}[\w-]{1,80}\.[a-z]{2,5}\s")
# Words of sentences that are not about the present code.
_NOT_NOW = re.compile(
    r"\b(?:will|would|should|could|plan(?:ned|s)?|future|not yet|todo|to be (?:added|implemented)"
    r"|upcoming|next step|remediation|recommend\w*|missing|lack(?:s|ed|ing)?|gaps?"
    r"|opportunit(?:y|ies)"
    r"|absent|absence|shortcomings?"
    # "From initial setup to the graph" tells of the whole history.
    r"|previously|initial(?:ly)?(?! (?:set-?up|commits?)\b)|originally|formerly|earlier version"
    r"|used to|prototype|peer\w*"
    r"|classmate\w*|the (?:target|audited) (?:repo\w*|project)"
    r"|their (?:\w+ )?(?:repo\w*|code\w*|projects?|submissions?|work|pdfs?|agents?|auditors?"
    r"|implementations?|graphs?|judges|detectives)"
    r"|(?:an)?other (?:repo\w*|projects?|submissions?|students?|teams?)"
    # "routes failed nodes" tells what the code does.
    r"|failed(?! (?:nodes?|agents?|detectives?|judges?|clones?|calls?|steps?|branch(?:es)?|runs?)\b)"
    # "The test fails if" tells what a test does.
    r"|stub\w*|partial(?:ly)?|fails(?! (?:if|when|above)\b)|weak\w*)\b",
    re.IGNORECASE,
)
# An item of a list of changes to make: "(1) Add a retry", "P4 Add a retry".
_TO_CHANGE = re.compile(
    r"(?:[\W\d]|\bp(?=\d)){0,8}(?:action: )?(?:add|create|implement|introduce|extend|replace"
    r"|refactor|migrate"
    r"|integrate|enhance|improve|fix|update|expand|complete|finish|strengthen|upgrade|adopt"
    r"|harden|standardi[sz]e|re-?write)\s+\w"
)
# What a report calls a file that has no content yet.
_UNFILLED = re.compile(r"\b(?:empty|placeholders?|skeletons?|scaffold\w*|reserved|marker)\b")
# What a judge of an audit said: "Defense: praises the conditional edges".
_JUDGE_SAYS = re.compile(
    r"\W*(?:the )?(?:prosecutor|defen[cs]e|tech ?lead)\b(?: attorney)?(?: ?\([^()]{0,40}\))?:? +"
    r"(?:prais|argu|not(?:es|ed)\b|credit|highlight|acknowledg|flag|charg|points? (?:out|to)\b"
    r"|pointed|claim|award|reward|scored\b|scores? \d|gives?\b|gave\b|conced|critici"
    r"|complain|commend|agre|object"
    r"|the (?:chief|code|graph|implementation|synthesis|report|repo|work|history)\b"
    # The row of a table: "Prosecutor 3/5 Distinct prompts, but ...".
    r"|(?:[1-9]|10) ?/ ?\d)"
)
# What was done about a finding is there now: "Remediation: Added a retry".
_DONE = re.compile(
    r"^\W*(?:remediation|(?:critical )?fix|resolution|mitigation|action taken)s?: "
    r"(?=(?:we |i )?(?:added|implemented|introduced|enforced|integrated|wired|built|enabled)\b)"
)
# "Uses a temporary directory but lacks a container".
_BUT_LACKS = re.compile(r"\bbut (?:still |truly )?lacks?\b[^.;:]{0,120}")
# A condition of what the code does: "routes to the error handler if evidence is missing".
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|in case)\b(?>(?:\([^()]{0,200}+\)|[^.;,(]){0,200})"
)
# Words of a plan or a proposal; "will" alone also tells what a program does now.
_PLANS = re.compile(
    r"\b(?:plan(?:ned|s)?|propos(?:e[ds]?|als?|ing)|upcoming|next steps?|going to|envision\w*"
    r"|(?:we|i|team) (?:also |now )?(?:intend|aim|want|hope|wish|expect)s? to"
    r"|(?:goal|aim|idea|vision|intention) is to|(?:is|are) (?:intended|scheduled|slated) (?:to|for)"
    r"|(?:in|for|by) (?:the|a|our) (?:next|future|later) (?:version|iteration|release|phase|week|step))\b"
)
# A plan that goes on in a list, and sentences that go on with the one before them.
_ANNOUNCES = re.compile(r"(?::|\b(?:as follows|following|steps|changes|improvements))\W{0,3}$")
_CONTINUES = re.compile(
    r"\W{0,3}(?:this|these|that|it|they|then|there|afterwards?|next|finally|thereby"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|after that|with (?:this|it))\b"
)
_ITEM = re.compile(r"\s{0,4}(?:[•●○▪◦‣·*\u2013-]|\d{1,2}[.)]|[a-z][.)])(?:\s|$)")
# Words before the claim: the tool looks for the feature in a repository, a rubric wants it, or the
# author denies it. Dots inside a name, or in place of words, end no clause, nor does an example; the
# next item of a list in one line does.
_SAME_CLAUSE = r"(?:(?!\)? - )[^.;:]|\.(?=\w)|\.{3}){0,120}(?:\(e\.g\., ?)?$"
_EXAMINES = re.compile(
    # A detective is no "detects", nor is a foundation found.
    # "Verified in src/graph.py" tells where something is.
    r"\b(?:(?:detect(?!ives?\b)|verif(?!ied in [\w./-]{1,80}\.py\b)|check|scan|look|search|flag|penali[sz]"
    r"|determin(?!istic)|identif|reward|grade|assess"
    r"|find|found(?!ation)|grep|examin|seek|sought|if|whether|unless)\w*\b|\bconfirmation of\b"
    # "to detect:" begins a list; "Verified:" begins a claim.
    r"|to (?:detect|verify|check|look|search|identify|find|determine)(?: for)?:)" + _SAME_CLAUSE
)
# "As the rubric requires, ..." goes on with a claim.
_WANTS = re.compile(
    r"\b(?:rubric|task|assignment|challenge|course|specification)\b[^.;:]{0,40}"
    r"\b(?:favou?r|want|ask|requir|prefer|demand|expect|recommend|reward|mandat)\w*\b(?!,)"
    + _SAME_CLAUSE
)
_DENIES = re.compile(
    r"\b(?:no|not|never|without|n't|cannot|isn't|lack(?:s|ing)?|rather than|instead of)\W+"
    r"(?:\w+\W+){0,2}$"
)
# The same after the words: "with_structured_output() was replaced by our own parser". The issue with
# a feature is not the feature.
_GIVEN_UP = re.compile(
    r"\W{0,4}(?:(?!(?:when|where|if|for)\b)[\w-]+ ){0,2}(?:(?:issue|problem|bug|gap)s?\b"
    r"|(?:was|were|is|are|(?:has|have|had) been) (?:\w+ly )?"
    r"(?:replaced|removed|dropped|abandoned|disabled|bypassed|avoided|not (?:used|supported|available))\b)"
)
_MAX_QUOTE = 600  # characters, so that unpaired quotation marks are searched once
_QUOTE = re.compile(
    r"(?P<speaker>\b(?:prosecutor|defen[cs]e|tech ?lead|argument)\b[^:\"'“”\u2018\u2019]{0,60}:\s{0,3})?"
    rf"(?P<quote>“[^”]{{0,{_MAX_QUOTE}}}+”?|\"[^\"]{{0,{_MAX_QUOTE}}}+\""
    rf"|(?<!\w)['\u2018](?>(?:[^'\u2019]|['\u2019](?=\w)){{0,{_MAX_QUOTE}}})['\u2019])",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|not|never|without|cannot|lack(?:s|ing)?)\b|n['\u2019]t\b", re.IGNORECASE
)


# "Parallel detectives write without overwriting" tells of the state, not of the graph.
_WRITES = re.compile(
    r"\breducers?\b|\boverwrit|\bmerg(?:es?|ed|ing)\b|\bintegrity\b", re.IGNORECASE
)
# By the claim of a join: whom a sentence on it names, where it is no heading for all parallel parts.
_JOINED: Mapping[str, re.Pattern[str]] = {
    "opinion_join": re.compile(r"\bjudges?\b|\bopinions?\b|prosecutor", re.IGNORECASE),
    "evidence_join": re.compile(r"detectives?\b|\bevidences?\b|investigator", re.IGNORECASE),
}
# Of the sentences on a feature, the one that tells most of it.
_STANDINGS: tuple[Standing, ...] = ("contradicted", "confirmed", "open")
_EXPLAINED = ("variance_re_evaluation",)
_LAYERS = ("detectives_parallel", "judges_parallel", "parallel_graph")
# Features of which one fault of the code makes a sentence wrong in each.
_FAMILIES = (
    ("conditional_edges", "error_route"),
    ("reducers", "reducer_ior", "reducer_add"),
    ("sandboxed_clone", "temporary_directory", "mkdtemp"),
)


@dataclass(frozen=True, slots=True)
class FeatureClaim:
    """Feature and the first sentence that plainly claims it; `about` as in Feature.

    `file` is the path of a claim about one file, as the report writes it; `quote` the text that it
    quotes.
    """

    feature: str
    about: str
    page: int
    passage: str
    file: str = ""
    quote: str = ""

    @property
    def is_denial(self) -> bool:
        """Return whether the report says that the code lacks the feature."""
        return self.feature.startswith("lacks_")


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """Claim and its standing against the code's facts.

    `is_there`: the code has the feature of a contradicted claim, and not as its sentence says.
    """

    claim: FeatureClaim
    standing: Standing
    is_there: bool = False


def feature_claims(reading: PdfReading) -> tuple[FeatureClaim, ...]:
    """Return the features that the report plainly claims, in the order of FEATURES."""
    return tuple(claims[0] for claims in _claims_by_feature(reading))


def checked_claims(reading: PdfReading, code: CodeFacts) -> tuple[CheckedClaim, ...]:
    """Return the claims with their standing: open where no fact decides what they say.

    A later sentence may claim more of a feature: the first that the code contradicts stands for it,
    else the first that it bears out. Not where a sentence explains what the report means by the
    feature, for all the others.
    """
    return tuple(
        min(checked, key=lambda held: _STANDINGS.index(held.standing))
        if claims[0].feature not in _EXPLAINED
        else checked[0]
        for claims in _claims_by_feature(reading)
        for checked in [check_against_code(claims, code)]
    )


def one_fault_once(claims: Sequence[CheckedClaim]) -> tuple[CheckedClaim, ...]:
    """Return the claims with one of those that a single fault makes wrong in one sentence.

    What the code lacks stands for what it has, and not as the sentence says.
    """
    by_fault: dict[tuple[int, str, tuple[str, ...]], list[CheckedClaim]] = {}
    for held in claims:
        family = next((names for names in _FAMILIES if held.claim.feature in names), ())
        if family and held.standing == "contradicted":
            fault = (held.claim.page, held.claim.passage, family)
            by_fault.setdefault(fault, []).append(held)
    first = (
        min(group, key=lambda held: (held.is_there, family.index(held.claim.feature)))
        for (_, _, family), group in by_fault.items()
    )
    aside = {id(held) for group in by_fault.values() for held in group} - {*map(id, first)}
    return tuple(held for held in claims if id(held) not in aside)


def _claims_by_feature(reading: PdfReading) -> Iterator[list[FeatureClaim]]:
    """Yield the sentences on each feature, the clearest first, in the order of FEATURES."""
    claims: dict[str, list[FeatureClaim]] = {}
    redefined: set[str] = set()
    for page, sentence in plain_sentences(reading):
        lowered = _present_words(with_plain_hyphens(sentence).lower())
        redefined |= {name for name, words in REDEFINED.items() if words.search(lowered)}
        for feature in FEATURES:
            if _is_claimed(feature, lowered):
                passage = sentence[:_PASSAGE_CHARACTERS]
                claim = FeatureClaim(feature.id, feature.about, page, passage)
                claims.setdefault(feature.id, []).append(claim)
    for feature in FEATURES:
        if feature.id in claims and feature.id not in redefined:
            yield sorted(claims[feature.id], key=_vagueness)


def _vagueness(claim: FeatureClaim) -> tuple[bool, bool]:
    """Return what puts a sentence behind a clearer one on the same feature."""
    nodes = _JOINED.get(claim.feature)
    is_general = nodes is not None and not nodes.search(claim.passage)
    return _is_of_writes(claim), is_general


def _is_of_writes(claim: FeatureClaim) -> bool:
    return claim.feature in _LAYERS and _WRITES.search(claim.passage) is not None


def check_against_code(claims: Sequence[FeatureClaim], code: CodeFacts) -> tuple[CheckedClaim, ...]:
    """Return the claims with their standing: open where no fact decides what they say."""
    features = {feature.id: feature for feature in FEATURES}
    standings: dict[bool | None, Standing] = {
        True: "confirmed",
        False: "contradicted",
        None: "open",
    }
    checked = []
    for claim in claims:
        value = features[claim.feature].holds(code)
        standing = standings[as_claimed(claim.feature, claim.passage, code, value)]
        is_there = value is True and standing == "contradicted"
        checked.append(CheckedClaim(claim, standing, is_there=is_there))
    return tuple(checked)


def empty_file_claims(
    named: Iterable[ClaimedPath], tree: Iterable[str], empty: Collection[str]
) -> Iterator[CheckedClaim]:
    """Yield a contradicted claim of content for the first file that is there, but empty.

    Nothing is claimed by a passage on what is missing or planned, nor of a file that is usually
    empty, such as `__init__.py`.
    """
    if not empty:
        return
    paths = [path.lower() for path in tree]
    empty_ones = {path.lower() for path in empty}
    for claim in named:
        name = claim.path.removeprefix("./").lower()
        files = {path for path in paths if path == name or path.endswith(f"/{name}")}
        if files <= empty_ones and not _says_nothing_of_content(name, claim.passage.lower()):
            content = FeatureClaim(FILE_CONTENT, "", claim.page, claim.passage, claim.path)
            yield CheckedClaim(content, "contradicted")
            return


def _says_nothing_of_content(name: str, passage: str) -> bool:
    is_marker = PurePosixPath(name).name.startswith((".", "__init__")) or name.endswith("py.typed")
    return is_marker or bool(_NOT_NOW.search(passage) or _UNFILLED.search(passage))


def plain_sentences(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Yield page and text of the sentences that are about the present code."""
    section, is_plan, is_list = 0, False, False
    for sentence in _sentences(reading):
        lowered = with_plain_hyphens(sentence.text).lower()
        goes_on = is_plan and sentence.section == section
        section = sentence.section
        if _PLANS.search(lowered):
            is_plan, is_list = True, bool(_ANNOUNCES.search(lowered))
        elif is_list:
            is_plan = goes_on and (not sentence.begins_line or bool(_ITEM.match(lowered)))
        else:
            is_plan = goes_on and bool(_CONTINUES.match(lowered))
        is_list = is_list and is_plan
        is_other = (
            _JUDGE_SAYS.match(lowered)
            or _TO_CHANGE.match(lowered)
            or _NOT_NOW.search(_present_words(lowered))
        )
        if not is_plan and not is_other:
            yield sentence.page, sentence.text


def sentences_on_code(reading: PdfReading) -> int:
    """Return the number of sentences on the present code, without labels and rows of a few words."""
    return sum(len(text.split()) >= _FEW_WORDS for _, text in plain_sentences(reading))


def _present_words(sentence: str) -> str:
    """Return the sentence without conditions that have words of another time or subject, and
    without what it says it lacks after what it has.
    """
    done = _BUT_LACKS.sub("", _DONE.sub("", sentence))
    return _CONDITION.sub(lambda match: " " if _NOT_NOW.search(match[0]) else match[0], done)


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Sentence of a report; `section` is the number of headings before it."""

    page: int
    text: str
    section: int
    begins_line: bool


def _sentences(reading: PdfReading) -> Iterator[_Sentence]:
    """Yield the sentences without the sections about other subjects."""
    skipped: str | None = None
    section, is_past = 0, False
    for page, line in _paragraphs(reading):
        if (page, line) in reading.headings:
            section += 1
            skipped = skipped_chapter(line, _OTHER_SUBJECT, skipped)
            if _OTHER_SUBJECT.search(line):
                is_past = _PAST.search(line) is not None
        elif skipped is None or is_past:
            parts = [part for own in own_words(line) for part in _SENTENCE.split(own) if part]
            for place, part in enumerate(parts):
                is_read = skipped is None or _OURS_NOW.search(part)
                if is_read and len(part) <= _MAX_SENTENCE:
                    yield _Sentence(page, part, section, begins_line=place == 0)


def _paragraphs(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Yield page and text of the lines; one that goes on in lower case stands with the one before.

    So does a first line of a page that goes on in brackets. Of two lines that begin with a path,
    each is a row.
    """
    pending, begun, latest = "", 0, 0
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            goes_on = line[0].islower() or (page > latest and line[0] == "(")
            is_cut = bool(pending and goes_on and _CUT.search(pending))
            is_row = _ROW.match(line) and (page > latest or _ROW.match(pending))
            is_cut = is_cut and not is_row
            latest = page
            if is_cut and not reading.headings & {(begun, pending), (page, line)}:
                pending += f" {line}"
                continue
            if pending:
                yield begun, pending
            pending, begun = line, page
    if pending:
        yield begun, pending


def own_words(line: str) -> Iterator[str]:
    """Yield the parts of a line around what it quotes from a judge, and around quoted denials."""
    start = 0
    for match in _QUOTE.finditer(line):
        if match["speaker"] or _NEGATION.search(match["quote"]):
            yield line[start : match.start()]
            start = match.end()
    yield line[start:]


def _is_claimed(feature: Feature, sentence: str) -> bool:
    match = feature.says.search(sentence)
    if match is None or (feature.unless and feature.unless.search(sentence)):
        return False
    before = sentence[: match.start()]
    if _EXAMINES.search(before) or _WANTS.search(before):
        return False
    is_denied = _DENIES.search(before) or _GIVEN_UP.match(sentence[match.end() :])
    return feature.is_denial or not is_denied
