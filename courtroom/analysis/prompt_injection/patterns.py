"""The words in which a text speaks to its grader: orders, pleas, borrowed authority, forged records.

Families of patterns over `disguises.view_of`. A strong one tells by itself; weak ones are everyday words of a
project about judging, and tell only together. Every repetition is bounded or possessive: matching is linear.
"""

# ruff: noqa: RUF001 -- other scripts are what it looks for
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

# prose: meant to be read as words; code: sources, whose strings may be prompts; data: JSON, notebooks, tables.
Kind = Literal["prose", "code", "data"]

_GAP = r"\W{1,8}+"
_WORD = rf"(?:{_GAP}\w{{1,20}}+)"
_NEXT = rf"(?:\w{{1,20}}+{_GAP})"


def _words(most: int) -> str:
    return rf"{_WORD}{{0,{most}}}?{_GAP}"


_MARKING = r"(?:grading|marking|scoring|evaluation|assessment)"
_DROP = r"(?:(?<!type: )ignor(?:e|ing)|disregard(?:ing)?|forget|pay no attention to|stop following|(?:do not|don.?t) follow|set aside)"
_TOP = (
    r"(?:5 ?/ ?5|5 of 5|(?:5|five) out of (?:5|five)|five of five|10 ?/ ?10|100 ?/ ?100|100 ?%"
    r"|full (?:marks?|credit|points|scores?)\b|(?:the )?(?:max(?:imum)?|highest|perfect|top)(?: possible)?"
    r" (?:marks?|scores?|points?|grades?|credit|rating)\b|(?:an? )?scores? (?:of |: ?|= ?)?(?:5|five)\b|five stars?)"
)
_AWARD = r"(?:award|give|giving|grant|assign|return|output|score|grade|rate|mark|set|answer|respond with|conclude with|deserves?|receives?|put)"
_UNLESS = rf"(?!{_WORD}{{0,6}}?{_GAP}(?:if|when|only|unless|where|provided|whenever|each|every)\b)"
_JUDGE = (
    r"(?:(?:ai|llm|automated|grading|language|the|all|any|every|machine)\W{1,3}+){0,3}"
    r"(?:graders?|judges?|evaluators?|auditors?|reviewers?|assessors?|markers?|examiners?|assistants?|llms?|ais?|models?|chatgpt|claude|gpt)\b"
)
_WORK = r"(?:this|my|our|the) (?:\w+ )?(?:report|submission|repositor(?:y|ies)|repo|project|work|code|student|author|criterion|assignment|application)"
_TEACHER = r"(?:professor|instructor|teacher|dean|tutor|course (?:staff|team|lead)|supervisor|head of department|examination board|lecturer)"


@dataclass(frozen=True, slots=True)
class Family:
    """`stems`: one of them stands in every text that the pattern can match; `why` finishes "this passage ...".

    The pattern is compiled when the first text has a stem: most never do, and a child lives for one repository.
    """

    name: str
    why: str
    stems: tuple[str, ...]
    pattern: str
    strong: tuple[Kind, ...] = ("prose", "code", "data")


def _family(
    name: str,
    why: str,
    stems: str,
    *patterns: str,
    strong: tuple[Kind, ...] = ("prose", "code", "data"),
) -> Family:
    return Family(name, why, tuple(stems.split()), "|".join(patterns), strong)


FAMILIES = (
    _family(
        "drop",
        "tells the reader to drop its instructions",
        "ignor disregard forget override bypass attention following follow aside",
        rf"\b(?:{_DROP}|overrid(?:e|ing)|bypass){_words(3)}"
        rf"(?:previous|prior|above|earlier|preceding|existing|original|your|system|{_MARKING}|all|any|every|other)"
        rf"{_words(2)}(?:instructions?|prompts?|guidelines|directions|orders|commands)\b",
        rf"\b{_DROP}{_words(2)}instructions?{_GAP}(?:above|before|you (?:were|are|have|received))",
        rf"\b{_DROP}{_words(3)}(?:rubrics?|{_MARKING} (?:rules|criteria|scheme|guide|standards?))\b"
        rf"(?!{_GAP}(?:files?|paths?|versions?|json|ids?|fields?|metadata|dimensions?|loader|arguments?|options?|keys?|entr\w+"
        r"|objects?|if|that|which|whose|items?|text|data|name|config|parameter|from|in|with no)\b)",
    ),
    _family(
        "plea",
        "asks for a score",
        "award giv grant assign return output",
        rf"\b(?:please|kindly|you (?:must|should|will|are to|have to|can safely)|always|simply|just){_words(1)}"
        rf"{_AWARD}{_words(6)}{_TOP}{_UNLESS}",
        rf"(?:^|[.!?:;>\"'(] ?|\band )(?:award|give|grant|assign|return|output){_GAP}{_NEXT}{{0,5}}?{_TOP}{_UNLESS}",
        rf"\b{_AWARD}{_GAP}{_WORK}{_words(4)}{_TOP}{_UNLESS}",
        strong=("prose",),
    ),
    _family(
        "top",
        "asks for a score",
        "award giv grant assign return output scor grad rat mark set answer respond conclude deserv receiv put",
        rf"\b{_AWARD}{_words(6)}{_TOP}",
        strong=(),
    ),
    _family(
        "result",
        "announces its own score",
        "score verdict grade mark",
        r"\b(?:final |overall |total )?(?:score|verdict|grade|mark)\W{1,4}+(?:is )?(?:5|five)\b",
        strong=(),
    ),
    _family(
        "whom",
        "addresses the grading model",
        "attention note message instruction dear hello hint reminder if as you",
        rf"\b(?:attention|notes?|message|instructions?|dear|hello|hint|reminder|advice)\W{{1,3}}+(?:(?:to|for)\W{{1,2}}+)?{_JUDGE}",
        rf"\bif you are (?:an? )?{_JUDGE}",
        r"\bas an? (?:ai|llm|language model|grader)\b,? you (?:must|should|will)",
        strong=(),
    ),
    _family(
        "praise",
        "addresses the grading model",
        "attention note message instruction dear",
        rf"\b(?:attention|note|message|instructions?|dear)\W{{1,3}}+(?:(?:to|for)\W{{1,2}}+)?"
        r"(?:ai|llm|automated)\W{1,3}+(?:graders?|judges?|evaluators?|auditors?|reviewers?|assistants?|models?)\W{1,4}+"
        rf"{_NEXT}{{0,8}}?(?:excellent|perfect|flawless|outstanding|exceptional|meets every|meets all|fully compliant|complete)",
        strong=("prose", "code", "data"),
    ),
    _family(
        "role",
        "holds role tokens of a chat",
        "<| inst] <<sys sys>> system assistant ```developer",
        r"<\|(?:im[ .]start|im[ .]end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>",
        r"^\W{0,4}###\W{0,2}(?:system|assistant)\W{0,3}(?:prompt|message)?\W{0,2}:",
        r"^\W{0,4}(?:system|assistant)\W{0,3}(?:prompt|message)?\W{0,2}: ?you\b",
        r"^\W{0,2}(?:```|~~~) ?(?:system|assistant|developer)\b",
        strong=("prose",),
    ),
    _family(
        "fence",
        "closes the fence around quoted text",
        "</ >>>",
        r"</(?:evidence|docket|submission|untrusted\w*|student[ \w]{0,12})>",
        strong=(),
    ),
    _family(
        "pity",
        "begs for a grade",
        "visa scholarship lose deport expel",
        r"\b(?:i|we|he|she)\W(?:will |would |could |am going to |ll )?(?:lose|be deported|be expelled)\b",
        strong=(),
    ),
    _family(
        "authority",
        "claims that someone has already decided",
        "approv confirm agreed authori granted signed graded decided",
        rf"\b{_TEACHER}{_words(4)}(?:approved|confirmed|agreed|authori[sz]ed|granted|signed off|decided|graded)"
        rf"{_words(10)}(?:scores?|grades?|marks?|5 ?/ ?5|full|top|maximum|pass)\b",
        rf"\b(?:already|pre)\W?(?:approved|graded|marked|confirmed){_words(2)}by{_words(2)}{_TEACHER}"
        rf"{_words(10)}(?:scores?|grades?|marks?|5 ?/ ?5|full|top|maximum)\b",
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
        "opener",
        "opens with words that sway graders",
        "thought step",
        r"^\W{0,6}(?:thought process|let.?s (?:solve|think about) (?:this|the) (?:problem )?step by step)\W{0,2}:?",
        strong=(),
    ),
    _family(
        "forged",
        "imitates a record of this court",
        "found score",
        r"\{[^{}]{0,300}\"found\" ?: ?true\b(?=[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b)",
        r"\{[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b(?=[^{}]{0,300}\"found\" ?: ?true\b)",
        r"\{[^{}]{0,300}\"(?:judge|criterion id)\" ?:(?=[^{}]{0,400}\"score\" ?: ?5\b)",
        strong=("prose",),
    ),
)

# The weak families that tell when they stand within REACH characters of each other.
TOGETHER = (
    frozenset({"top", "whom"}),
    frozenset({"top", "role"}),
    frozenset({"top", "fence"}),
    frozenset({"top", "pity"}),
    frozenset({"top", "opener"}),
    frozenset({"result", "opener"}),
    frozenset({"result", "whom"}),
    frozenset({"result", "role"}),
    frozenset({"result", "pity"}),
    frozenset({"whom", "forged"}),
)
REACH = 300
_WEAK = frozenset().union(*TOGETHER)
# One text is not searched for more of a family: it has told enough, or is made to keep us busy.
_MOST_OF_A_FAMILY = 100

# "Ignore the instructions" and "give 5/5" in the languages that students write in, for views without Latin twins.
FOREIGN = _family(
    "foreign",
    "tells the reader to drop its instructions",
    "instrucciones rúbrica instructions consignes barème istruzioni rubrica instruções anweisungen bewertung rubrik vorgaben instructies"
    " beoordeling инструкц рубрик критери talimat kural değerlendirme 忽略 无视 忽視 無視 忘 무시 잊 تجاهل انس התעל שכח"
    " निर्देश मानदंड रूब्रिक መመሪያ መስፈርት 5/5 满分 滿分",
    r"\b(?:ignor[ae]\w*|olvid[ae]\w*|oublie[zr]?|n.appliquez pas)\b.{0,30}(?:instrucciones|rúbrica|instructions (?:pr|ci)|consignes|barème|istruzioni|rubrica|instruções)",
    r"\b(?:ignorier\w*|vergiss\w*|missachte\w*)\b.{0,30}(?:anweisungen|bewertung\w*|rubrik|vorgaben)",
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
    r"\b(?:otorga\w*|asigna|donnez|attribuez|vergib|vergeben sie|geben sie|assegna|atribua|поставь\w*)\b.{0,30}5 ?/ ?5",
    r"(?:给|給予|打).{0,10}(?:5 ?/ ?5|满分|滿分)",
)


@dataclass(frozen=True, slots=True)
class Order:
    """A stretch of a view, by its offsets."""

    start: int
    end: int
    family: str
    why: str
    strong: bool


def orders_in(view: str, kind: Kind) -> list[Order]:
    """What in this view tells, weak families only where two of them stand together; in the text's order."""
    found = [
        order
        for family in FAMILIES
        if kind in (*family.strong, "code") or family.name in _WEAK
        for order in _of_family(family, view, kind)
    ]
    told = [
        order
        for order in found
        if order.strong or _is_commented_out(order, view) or _is_joined(order, found)
    ]
    return sorted(told, key=lambda order: order.start)


def foreign_orders_in(view: str) -> list[Order]:
    """The same in other languages; the view is disguises.foreign_view_of."""
    return list(_of_family(FOREIGN, view, "prose"))


def _of_family(family: Family, view: str, kind: Kind) -> Iterator[Order]:
    if any(stem in view for stem in family.stems):
        for match in islice(re.finditer(family.pattern, view, re.MULTILINE), _MOST_OF_A_FAMILY):
            strong = kind in family.strong or (
                kind == "code" and "prose" in family.strong and _is_in_comment(match.start(), view)
            )
            yield Order(match.start(), match.end(), family.name, family.why, strong)


def _is_in_comment(position: int, view: str) -> bool:
    """Strings of a source may be prompts; its comments are prose."""
    line = view[view.rfind("\n", 0, position) + 1 : position + 2].lstrip()
    return line.startswith(("#", "//", "--", "*", "/*"))


def _is_joined(order: Order, found: list[Order]) -> bool:
    return any(
        abs(order.start - other.start) <= REACH
        and frozenset({order.family, other.family}) in TOGETHER
        for other in found
    )


def _is_commented_out(order: Order, view: str) -> bool:
    """Whether a call for a score stands where no reader of the page sees it: in an HTML comment."""
    if order.family not in ("top", "plea"):
        return False
    opened = view.rfind("<!--", max(0, order.start - 500), order.start)
    return opened >= 0 and view.find("-->", opened, order.start) < 0
