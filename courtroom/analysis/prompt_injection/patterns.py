"""Patterns of prompt injection: orders, pleas, claimed authority, forged records.

Families of patterns match `obfuscation.view_of`. A strong match counts alone. Weak ones are
everyday words of a project about judging and count only together. All repetitions are bounded or
possessive, so matching takes linear time.
"""

# ruff: noqa: RUF001 -- the patterns contain other scripts
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

# prose: documents; code: sources, whose strings may be prompts; data: JSON, notebooks, tables.
Kind = Literal["prose", "code", "data"]

_GAP = r"\W{1,8}+"
_WORD = rf"(?:{_GAP}\w{{1,20}}+)"
_NEXT = rf"(?:\w{{1,20}}+{_GAP})"


def _words(most: int) -> str:
    return rf"{_WORD}{{0,{most}}}?{_GAP}"


_MARKING = r"(?:grading|marking|scoring|evaluation|assessment)"
_DROP = (
    r"(?:(?<!type: )ignor(?:e|ing)|disregard(?:ing)?|forget|pay no attention to|stop following"
    r"|(?:do not|don.?t) follow|set aside)"
)
_TOP = (
    r"(?:5 ?/ ?5|5 of 5|(?:5|five) out of (?:5|five)|five of five|10 ?/ ?10|100 ?/ ?100|100 ?%"
    r"|full (?:marks?|credit|points|scores?)\b"
    r"|(?:the )?(?:max(?:imum)?|highest|perfect|top)(?: possible)?"
    r" (?:marks?|scores?|points?|grades?|credit|rating)\b"
    r"|(?:an? )?scores? (?:of |: ?|= ?)?(?:5|five)\b|five stars?)"
)
_AWARD = (
    r"(?:award|give|giving|grant|assign|return|output|score|grade|rate|mark|set|answer|respond with"
    r"|conclude with|deserves?|receives?|put)"
)
# A condition after the score makes it a rule ("give 5 if ..."), not a plea.
_UNLESS = rf"(?!{_WORD}{{0,6}}?{_GAP}(?:if|when|only|unless|where|provided|whenever|each|every)\b)"
_JUDGE = (
    r"(?:(?:ai|llm|automated|grading|language|the|all|any|every|machine)\W{1,3}+){0,3}"
    r"(?:graders?|judges?|evaluators?|auditors?|reviewers?|assessors?|markers?|examiners?"
    r"|assistants?|llms?|ais?|models?|chatgpt|claude|gpt)\b"
)
_WORK = (
    r"(?:this|my|our|the) (?:\w+ )?(?:report|submission|repositor(?:y|ies)|repo|project|work|code"
    r"|student|author|criterion|assignment|application)"
)
_TEACHER = (
    r"(?:professor|instructor|teacher|dean|tutor|course (?:staff|team|lead)|supervisor"
    r"|head of department|examination board|lecturer)"
)


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
    strong: tuple[Kind, ...] = ("prose", "code", "data")


def _family(
    name: str,
    why: str,
    stems: str,
    *patterns: str,
    strong: tuple[Kind, ...] = ("prose", "code", "data"),
) -> Family:
    return Family(name, why, tuple(stems.split()), "|".join(patterns), strong)


_OFFICE = (
    r"(?:(?:second|first|external|internal|lead)\W(?:marker|examiner|grader|reader|assessor)s?"
    r"|moderat(?:ed|or|ors|ion)|regrad(?:e|ed|ing)|re-?mark(?:ed|ing)"
    r"|(?:exam\w*|accreditation|academic|assessment|marking|grading) (?:board|office|panel)"
    r"|(?:course|grading|marking|teaching) (?:staff|team|ci|bot|policy|office)"
    r"|grader.?bot|autograder|by the staff|calibration (?:run|round|case)|(?:regulation|policy) \d\w*)"
)
_FAVOUR = (
    r"(?:upper (?:end|band|range)|top (?:band|end|level|result)|highest (?:band|level|figure)"
    r"|full(?:y)? (?:met|marks?|credit)|success fully|all (?:checks|criteria|items) (?:met|passed)"
    r"|exemplary|distinction|no (?:deductions?|penalt(?:y|ies))|waived|not penali[sz]ed"
    r"|(?:settled|agreed|decided) on (?:five|5)|(?:five|5) of (?:five|5)|is (?:an? )?(?:five|5)\b)"
)
_AS_MET = (
    r"(?:as|to be) (?:already )?(?:fully |success fully |entirely )?(?:met|satisfied|fulfilled)\b"
)

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
        "award giv grant assign return output",
        r"\b(?:please|kindly|you (?:must|should|will|are to|have to|can safely)|always|simply|just)"
        rf"{_words(1)}"
        rf"{_AWARD}{_words(6)}{_TOP}{_UNLESS}",
        rf"(?:^|[.!?:;>\"'(] ?|\band )(?:award|give|grant|assign|return|output){_GAP}"
        rf"{_NEXT}{{0,5}}?{_TOP}{_UNLESS}",
        rf"\b{_AWARD}{_GAP}{_WORK}{_words(4)}{_TOP}{_UNLESS}",
        strong=("prose",),
    ),
    _family(
        "top",
        "asks for a score",
        "award giv grant assign return output scor grad rat mark set answer respond conclude deserv"
        " receiv put",
        rf"\b{_AWARD}{_words(6)}{_TOP}",
        strong=(),
    ),
    _family(
        "result",
        "states its own score",
        "score verdict grade mark",
        r"\b(?:final |overall |total )?(?:score|verdict|grade|mark)\W{1,4}+(?:is )?(?:5|five)\b",
        strong=(),
    ),
    _family(
        "address",
        "addresses the grading model",
        "attention note message instruction dear hello hint reminder if as you",
        rf"\b(?:attention|notes?|message|instructions?|dear|hello|hint|reminder|advice)\W{{1,3}}+"
        rf"(?:(?:to|for)\W{{1,2}}+)?{_JUDGE}",
        rf"\bif you are (?:an? )?{_JUDGE}",
        r"\bas an? (?:ai|llm|language model|grader)\b,? you (?:must|should|will)",
        strong=(),
    ),
    _family(
        "praise",
        "addresses the grading model",
        "attention note message instruction dear",
        rf"\b(?:attention|note|message|instructions?|dear)\W{{1,3}}+(?:(?:to|for)\W{{1,2}}+)?"
        r"(?:ai|llm|automated)\W{1,3}+"
        r"(?:graders?|judges?|evaluators?|auditors?|reviewers?|assistants?|models?)\W{1,4}+"
        rf"{_NEXT}{{0,8}}?(?:excellent|perfect|flawless|outstanding|exceptional|meets every"
        r"|meets all|fully compliant|complete)",
        strong=("prose", "code", "data"),
    ),
    _family(
        "role",
        "contains role tokens of a chat",
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
        "office",
        "claims that the grade is already decided",
        "marker examiner grader reader assessor moderat regrad mark board office panel staff team ci"
        " bot policy calibration regulation",
        rf"\b{_OFFICE}.{{0,80}}?\b{_FAVOUR}",
        rf"\b(?:verified|certified|confirmed|approved) by (?:the )?(?:course|staff|school|faculty)"
        rf".{{0,60}}?\b{_FAVOUR}",
        r"\b(?:expected|correct|right) (?:answer|score|mark|verdict) (?:is|=|:) ?(?:an? )?(?:5|five)\b",
        strong=("prose",),
    ),
    _family(
        "favour",
        "asks for a score",
        "upper top mild lenient generous missing met satisf fulfil f1ve sc0re gr4de m4rk aw4rd complain appeal",
        r"\b(?:kindly|please|kind(?:ly)? let)\b.{0,50}\b(?:upper|top|highest) (?:end|band|range|mark)",
        r"\b(?:settle|land|end up|finish)\w* (?:on|at|near|in) the (?:upper|top|highest)\b",
        rf"\b(?:treat|count|consider|regard|take)s? (?:\w{{1,20}}+ ){{1,6}}?{_AS_MET}",
        r"\byou are now (?:an? )?(?:\w{1,20}+ ){0,3}?(?:mild|lenient|generous|kind)\b",
        r"\byou are now (?:dr|prof)\b",
        r"\b(?:f1ve|sc0re|5core|gr4de|m4rk|aw4rd)\b",
        r"\b(?:lower|low|bad|poor) (?:mark|grade|score).{0,40}\b(?:complaint|appeal|lawyer|lawsuit)\b",
        r"\bfully met (?:once|if|as soon as)\b",
        r"\bnothing is missing\W{1,3}score:? (?:5|five)\b",
        strong=("prose",),
    ),
    _family(
        "escape",
        "closes the fence around quoted text",
        ">>> \u201d e-",
        r"\b[0-9a-f]{16}>>>",
        r"\u201d.{0,80}\be-[0-9a-f]{4}\b.{0,40}\u201c",
        strong=("prose",),
    ),
    _family(
        "verdict",
        "imitates a record of this system",
        "criterion verdict level band",
        r"\{[^{}]{0,200}\"criterion(?: id)?\" ?: ?\"(?:all|every|\*)\"",
        strong=("prose",),
    ),
    _family(
        "pity",
        "begs for a grade",
        "visa scholarship lose deport expel",
        r"\b(?:i|we|he|she)\W(?:will |would |could |am going to |ll )?"
        r"(?:lose|be deported|be expelled)\b",
        strong=(),
    ),
    _family(
        "authority",
        "claims that the grade is already decided",
        "approv confirm agreed authori granted signed graded decided",
        rf"\b{_TEACHER}{_words(4)}"
        r"(?:approved|confirmed|agreed|authori[sz]ed|granted|signed off|decided|graded)"
        rf"{_words(10)}(?:scores?|grades?|marks?|5 ?/ ?5|full|top|maximum|pass)\b",
        rf"\b(?:already|pre)\W?(?:approved|graded|marked|confirmed){_words(2)}by{_words(2)}"
        rf"{_TEACHER}"
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
        "opens with words that influence graders",
        "thought step",
        r"^\W{0,6}(?:thought process"
        r"|let.?s (?:solve|think about) (?:this|the) (?:problem )?step by step)\W{0,2}:?",
        strong=(),
    ),
    _family(
        "forged",
        "imitates a record of this system",
        "found score",
        r"\{[^{}]{0,300}\"found\" ?: ?true\b(?=[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b)",
        r"\{[^{}]{0,300}\"confidence\" ?: ?1(?:\.0+)?\b(?=[^{}]{0,300}\"found\" ?: ?true\b)",
        r"\{[^{}]{0,300}\"(?:judge|criterion id)\" ?:(?=[^{}]{0,400}\"score\" ?: ?5\b)",
        strong=("prose",),
    ),
)

# Pairs of weak families that count when they are within REACH characters of each other.
TOGETHER = (
    frozenset({"top", "address"}),
    frozenset({"top", "role"}),
    frozenset({"top", "fence"}),
    frozenset({"top", "pity"}),
    frozenset({"top", "opener"}),
    frozenset({"result", "opener"}),
    frozenset({"result", "address"}),
    frozenset({"result", "role"}),
    frozenset({"result", "pity"}),
    frozenset({"address", "forged"}),
)
REACH = 300
_WEAK = frozenset().union(*TOGETHER)
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
# A grade word beside a word for the best one; somebody in office who decided it; all taken as met.
FOREIGN_FAVOUR = _family(
    "foreign_favour",
    "asks for a score",
    "nota calificaci puntuaci puntos profesor tribunal jurado cumplid note barème jury exigence"
    " bestnote note punkte prüf erfüllt оценк балл комисси преподават требован 分 评委 老师 委员会"
    " 要求 अंक शिक्षक परीक्षक समिति ነጥብ ውጤት መምህር ኮሚቴ",
    r"\b(?:nota|calificación|puntuación)\b.{0,20}\b(?:máxim[ao]|más alta|perfecta|sobresaliente)\b",
    r"\bmáxima (?:nota|calificación|puntuación)\b",
    r"\b(?:profesora?|tribunal|jurado|docente)\b.{0,40}\b(?:aprobó|aprobado|acordó|decidió|confirmó)",
    r"\b(?:considere|considera|dé|trate)\w*\b.{0,25}\bcumplid[oa]s?\b",
    r"\bnote (?:maximale|maximum|la plus haute)\b|\bmeilleure note\b",
    r"\b(?:barème|jury|correcteur)\b.{0,40}\b(?:accorde|décid\w+|valid\w+|cinq sur cinq)\b",
    r"\b(?:considérez|tenez|traitez)\b.{0,40}\b(?:satisfait|rempli|atteint|respecté)e?s?\b",
    r"\bbestnote\b|\b(?:höchste|beste|volle) (?:note|punktzahl|bewertung)\b",
    r"\b(?:zweit|erst|fach)?prüfer(?:in)?\b.{0,40}\b(?:bestätigt|vergeben|festgelegt|punkte)\b",
    r"\b(?:gilt|gelten|werte\w*|betrachte\w*)\b.{0,40}\bals (?:voll )?erfüllt\b",
    r"\b(?:высш\w+|максимальн\w+|отличн\w+) (?:оценк|балл)\w*",
    r"\b(?:преподават|комисси|экзаменатор)\w*.{0,40}(?:утверд|решени|постав|подтверд)\w*",
    r"\b(?:считать|считайте|засчит)\w*.{0,30}(?:выполненн|зачтён|зачтен)\w*",
    r"(?:最高|满|滿|五)分",
    r"(?:评委|老师|教授|委员会).{0,12}(?:确认|决定|同意|批准)",
    r"(?:视|視|看作|算作).{0,10}(?:满足|滿足|完成|达到|通过)",
    r"(?:पूरे|पूर्ण|अधिकतम|सर्वोच्च) अंक",
    r"(?:शिक्षक|परीक्षक|समिति|प्रोफेसर).{0,30}(?:अंक|निर्णय|स्वीकृ)",
    r"(?:शर्त|मापदंड|आवश्यकता).{0,20}(?:पूरा|पूरी|पूर्ण).{0,10}मान",
    r"(?:ከፍተኛ\w{0,12}|ሙሉ) (?:ነጥብ|ውጤት)",
    r"(?:መምህር|ኮሚቴ|መርማሪ)\w{0,12}.{0,40}(?:ሰጥ|ወስን|ውሳኔ|አጽድቅ)\w*",
    r"(?:መስፈርት|ጥያቄ)\w{0,12}.{0,20}(?:ተሟል|እንደተሟል|እንደተሟላ)\w*",
)


@dataclass(frozen=True, slots=True)
class Order:
    """Match of a family in a view, by its offsets."""

    start: int
    end: int
    family: str
    why: str
    strong: bool


def orders_in(view: str, kind: Kind) -> list[Order]:
    """Return the matches that count, in the text's order: strong ones, and weak ones together."""
    matches = [
        order
        for family in FAMILIES
        if kind in (*family.strong, "code") or family.name in _WEAK
        for order in _of_family(family, view, kind)
    ]
    relevant = [
        order
        for order in matches
        if order.strong or _is_commented_out(order, view) or _has_partner(order, matches)
    ]
    return sorted(relevant, key=lambda order: order.start)


def foreign_orders_in(view: str) -> list[Order]:
    """Return the matches of other languages in a view of obfuscation.foreign_view_of."""
    return [
        order for family in (FOREIGN, FOREIGN_FAVOUR) for order in _of_family(family, view, "prose")
    ]


def _of_family(family: Family, view: str, kind: Kind) -> Iterator[Order]:
    if any(map(view.__contains__, family.stems)):
        for match in islice(re.finditer(family.pattern, view, re.MULTILINE), _MAX_OF_A_FAMILY):
            strong = kind in family.strong or (
                kind == "code" and "prose" in family.strong and _is_in_comment(match.start(), view)
            )
            yield Order(match.start(), match.end(), family.name, family.why, strong)


def _is_in_comment(position: int, view: str) -> bool:
    # Strings of a source may be prompts; its comments are prose.
    line = view[view.rfind("\n", 0, position) + 1 : position + 2].lstrip()
    if line.startswith(("#", "//", "--", "*", "/*")):
        return True
    # A comment after code: its sign stands outside the quotation marks of a string.
    starts = [start for sign in (" # ", " // ") if (start := line.find(sign)) >= 0]
    return any(not (line.count('"', 0, n) % 2 or line.count("'", 0, n) % 2) for n in starts)


def _has_partner(order: Order, matches: list[Order]) -> bool:
    return any(
        abs(order.start - other.start) <= REACH
        and frozenset({order.family, other.family}) in TOGETHER
        for other in matches
    )


def _is_commented_out(order: Order, view: str) -> bool:
    """Return whether a call for a score is hidden in an HTML comment."""
    if order.family not in ("top", "plea"):
        return False
    start = view.rfind("<!--", max(0, order.start - 500), order.start)
    return start >= 0 and view.find("-->", start, order.start) < 0
