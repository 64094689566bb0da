"""Patterns of prompt injection that have a form: orders, tokens of a chat, forged records.

Families of patterns match `obfuscation.view_of`; `grader_address` finds what is said in free words.
All repetitions are bounded or possessive, so matching takes linear time.
"""

# ruff: noqa: RUF001 -- the patterns contain other scripts
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from courtroom.analysis.prompt_injection.sentences import Kind, comment_in

_GAP = r"\W{1,8}+"
_WORD = rf"(?:{_GAP}\w{{1,20}}+)"


def _words(most: int) -> str:
    return rf"{_WORD}{{0,{most}}}?{_GAP}"


_MARKING = r"(?:grading|marking|scoring|evaluation|assessment)"
_DROP = (
    r"(?:(?<!type: )ignor(?:e|ing)|disregard(?:ing)?|forget|pay no attention to|stop following"
    r"|(?:do not|don.?t) follow|set aside)"
)


_TOP = (
    r"(?:5 ?/ ?5|(?:5|five) (?:out )?of (?:5|five)|10 ?/ ?10|100 ?/ ?100|100 ?%"
    r"|full (?:marks?|credit|points|scores?)\b)"
)
# A condition after the score makes it a rule ("give 5 if ..."), not a plea.
_UNLESS = rf"(?!{_WORD}{{0,6}}?{_GAP}(?:if|when|only|unless|where|provided|whenever|each|every)\b)"


@dataclass(frozen=True, slots=True)
class Family:
    """Family of patterns; `why` completes "this passage ...".

    Every text that the pattern can match contains one of the `stems`. The pattern is compiled for
    the first text with a stem: most texts have none, and a child serves one repository.
    """

    name: str
    why: str
    stems: tuple[str, ...]
    pattern: str
    kinds: tuple[Kind, ...] = ("prose", "code", "data")


def _family(
    name: str,
    why: str,
    stems: str,
    *patterns: str,
    kinds: tuple[Kind, ...] = ("prose", "code", "data"),
) -> Family:
    return Family(name, why, tuple(stems.split()), "|".join(patterns), kinds)


FAMILIES = (
    _family(
        "drop",
        "tells the reader to ignore its instructions",
        "ignor disregard forget override bypass attention following follow aside",
        rf"\b(?:{_DROP}|overrid(?:e|ing)|bypass){_words(3)}"
        rf"(?:previous|prior|above|earlier|preceding|existing|original|your|system|{_MARKING}"
        rf"|all|any|every|other){_words(2)}"
        r"(?:instructions?|prompts?|guidelines|directions|orders|commands)\b",
        rf"\b{_DROP}{_words(2)}instructions?{_GAP}(?:above|before|you (?:were|are|have|received))",
        # "ignore the rubric file" and the like is about a program's input.
        rf"\b{_DROP}{_words(3)}(?:rubrics?|{_MARKING} (?:rules|criteria|scheme|guide|standards?))\b"
        rf"(?!{_GAP}(?:files?|paths?|versions?|json|ids?|fields?|metadata|dimensions?|loader"
        r"|arguments?|options?|keys?|entr\w+|objects?|if|that|which|whose|items?|text|data|name"
        r"|config|parameter|from|in|with no)\b)",
    ),
    _family(
        "plea",
        "asks for a score",
        "award give grant assign",
        rf"(?:\b(?:please|kindly|and|must|should|always|just) |(?:^|[.!?:;>\"'(]) ?)"
        rf"(?:award|give|grant|assign){_words(5)}{_TOP}{_UNLESS}",
        kinds=("prose",),
    ),
    _family(
        "role",
        "contains role tokens of a chat",
        "<| inst] <<sys sys>> system assistant ```developer",
        r"<\|(?:im[ .]start|im[ .]end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>",
        r"^\W{0,4}###\W{0,2}(?:system|assistant)\W{0,3}(?:prompt|message)?\W{0,2}:",
        r"^\W{0,4}(?:system|assistant)\W{0,3}(?:prompt|message)?\W{0,2}: ?you\b",
        r"^\W{0,2}(?:```|~~~) ?(?:system|assistant|developer)\b",
        kinds=("prose",),
    ),
    _family(
        "opener",
        "opens with words that influence graders",
        "thought",
        r"^\W{0,6}thought process\W{0,2}:.{0,80}\b(?:score|verdict|grade|mark|met)\b",
        kinds=("prose",),
    ),
    _family(
        "escape",
        "closes the fence around quoted text",
        ">>> \u201d e-",
        r"\b[0-9a-f]{16}>>>",
        r"\u201d.{0,80}\be-[0-9a-f]{4}\b.{0,40}\u201c",
        kinds=("prose",),
    ),
    _family(
        "verdict",
        "imitates a record of this system",
        "criterion verdict level band",
        r"\{[^{}]{0,200}\"criterion(?: id)?\" ?: ?\"(?:all|every|\*)\"",
        kinds=("prose",),
    ),
    _family(
        "quiet",
        "tells one judge to keep silent",
        "silent quiet nothing objection",
        rf"\b(?:prosecutors?|defen[sc]e|tech ?lead|judges?|graders?|auditors?){_words(3)}"
        r"(?:stay|remain|keep|be) (?:silent|quiet)\b",
        r"\bprosecutors?\W{1,3}+(?:say nothing|raise no objections?|do not object|stand down)",
    ),
    _family(
        "forged",
        "imitates a record of this system",
        "found score",
        r"\{[^{}]{0,300}\"found\" ?: ?true\b(?=[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b)",
        r"\{[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b(?=[^{}]{0,300}\"found\" ?: ?true\b)",
        r"\{[^{}]{0,300}\"(?:judge|criterion id)\" ?:(?=[^{}]{0,400}\"score\" ?: ?5\b)",
        kinds=("prose",),
    ),
)

# More matches of a family tell nothing new, or are meant to slow us down.
_MAX_OF_A_FAMILY = 100

# "Ignore the instructions" and "give 5/5" in the languages of students, for `foreign_view_of`.
FOREIGN = _family(
    "foreign",
    "tells the reader to ignore its instructions",
    "instrucciones rúbrica instructions consignes barème istruzioni rubrica instruções anweisungen"
    " bewertung rubrik vorgaben instructies beoordeling инструкц рубрик критери talimat kural"
    " değerlendirme 忽略 无视 忽視 無視 忘 무시 잊 تجاهل انس התעל שכח"
    " निर्देश मानदंड रूब्रिक መመሪያ መስፈርት 5/5 满分 滿分",
    r"\b(?:ignor[ae]\w*|olvid[ae]\w*|oublie[zr]?|n.appliquez pas)\b.{0,30}"
    r"(?:instrucciones|rúbrica|instructions (?:pr|ci)|consignes|barème|istruzioni|rubrica"
    r"|instruções)",
    r"\b(?:ignorier\w*|vergiss\w*|missachte\w*)\b.{0,30}"
    r"(?:anweisungen|bewertung\w*|rubrik|vorgaben)",
    r"\bnegeer\b.{0,30}(?:instructies|rubriek|beoordeling\w*)",
    r"\b(?:игнорир\w+|проигнорир\w+|забудь\w*)\b.{0,30}(?:инструкц\w+|рубрик\w+|критери\w+)",
    r"\b(?:talimat\w*|kural\w*|değerlendirme\w*)\b.{0,30}(?:yok say|görmezden gel|unut)",
    r"(?:忽略|无视|忽視|無視|忘记).{0,15}(?:指令|指示|说明|評分|评分|规则|提示)",
    r"(?:指示|ルール|評価基準|採点基準|命令).{0,10}(?:無視|忘れ)",
    r"(?:지시|명령|평가 기준|루브릭|채점).{0,10}(?:무시|잊)",
    r"(?:تجاهل|انس).{0,30}(?:التعليمات|المعايير|معايير|تعليمات)",
    r"(?:התעלמ?ו?|שכח).{0,30}(?:הוראות|ההוראות|המחוון)",
    r"(?:निर्देश|मानदंड|रूब्रिक).{0,30}(?:अनदेखा|भूल)",
    r"(?:መመሪያ|መስፈርት).{0,30}(?:ችላ|እርሳ|ተው)",
    r"\b(?:otorga\w*|asigna|donnez|attribuez|vergib|vergeben sie|geben sie|assegna|atribua"
    r"|поставь\w*)\b.{0,30}5 ?/ ?5",
    r"(?:给|給予|打).{0,10}(?:5 ?/ ?5|满分|滿分)",
)


@dataclass(frozen=True, slots=True)
class Order:
    """Match of a family in a view, by its offsets."""

    start: int
    end: int
    family: str
    why: str


def orders_in(view: str, kind: Kind) -> list[Order]:
    """Return the matches of the families in the text's order."""
    orders = [order for family in FAMILIES for order in _of_family(family, view, kind)]
    return sorted(orders, key=lambda order: order.start)


def foreign_orders_in(view: str) -> list[Order]:
    """Return the matches of other languages in a view of obfuscation.foreign_view_of."""
    return list(_of_family(FOREIGN, view, "prose"))


def _of_family(family: Family, view: str, kind: Kind) -> Iterator[Order]:
    counts_in_comments = kind == "code" and "prose" in family.kinds
    is_searched = kind in family.kinds or counts_in_comments
    if is_searched and any(map(view.__contains__, family.stems)):
        for match in islice(re.finditer(family.pattern, view, re.MULTILINE), _MAX_OF_A_FAMILY):
            if kind in family.kinds or _is_in_comment(match.start(), view):
                yield Order(match.start(), match.end(), family.name, family.why)


def _is_in_comment(position: int, view: str) -> bool:
    # Strings of a source may be prompts; its comments are prose.
    start = view.rfind("\n", 0, position) + 1
    return bool(comment_in(view[start : position + 2]))
