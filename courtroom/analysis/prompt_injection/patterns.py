"""Patterns of prompt injection that have a form: orders, claimed offices, tokens of a chat, forged records.

Families of patterns match `obfuscation.view_of`; `grader_address` finds what is said in free words.
All repetitions are bounded or possessive, so matching takes linear time.
"""

# ruff: noqa: RUF001 -- the patterns contain other scripts
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from courtroom.analysis.prompt_injection.sentences import Kind, comment_in

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
    r"(?:5 ?/ ?5|(?:5|five) (?:out )?of (?:5|five)|10 ?/ ?10|100 ?/ ?100|100 ?%"
    r"|full (?:marks?|credit|points|scores?)\b)"
)
_WORK = r"(?:this|my|our) (?:report|submission|repositor(?:y|ies)|repo|project|work|code|criterion)"
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
    return Family(name, why, tuple(stems.split()), _alternatives(patterns), kinds)


def _alternatives(patterns: Iterable[str]) -> str:
    """Join patterns; neighbours that begin at the start of a word or line share one test of it.

    A third of the time: else each of them is tried at every character of a text.
    """
    groups = (
        (anchor, [pattern.removeprefix(anchor) for pattern in group])
        for anchor, group in groupby(patterns, key=_anchor_of)
    )
    return "|".join(
        f"{anchor}(?:{'|'.join(rest)})" if anchor else "|".join(rest) for anchor, rest in groups
    )


def _in_other_scripts(*patterns: str) -> str:
    """Join patterns that begin with a letter of another script than Latin, Greek and Cyrillic."""
    return rf"(?=[^\u0000-\u052f])(?:{'|'.join(patterns)})"


def _anchor_of(pattern: str) -> str:
    """Return the test of a place that each alternative of the pattern begins with."""
    return next((anchor for anchor in (r"\b", "^") if pattern.startswith(anchor)), "")


FORGED = "imitates a record of this system"
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
_TO_A_MODEL = (
    r"(?:attention|note|message|instructions?|dear)\W{1,3}+(?:(?:to|for)\W{1,2}+)?(?:the\W{1,2}+)?"
    r"(?:ai|llm|automated)\W{1,3}+"
    r"(?:graders?|judges?|evaluators?|auditors?|reviewers?|assistants?|models?)\W{1,4}+"
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
        "award give grant assign",
        rf"(?:\b(?:please|kindly|and|must|should|always|just) |(?:^|[.!?:;>\"'(]) ?)"
        rf"(?:award|give|grant|assign){_words(5)}{_TOP}{_UNLESS}",
        rf"\b(?:award|give|grant|assign){_GAP}{_WORK}{_words(4)}{_TOP}{_UNLESS}",
        kinds=("prose",),
    ),
    _family(
        "praise",
        "addresses the grading model",
        "attention note message instruction dear",
        rf"\b{_TO_A_MODEL}{_NEXT}{{0,8}}?(?:excellent|perfect|flawless|outstanding|exceptional|meets every"
        r"|meets all|fully compliant|complete)",
        kinds=("prose", "code", "data"),
    ),
    _family(
        "note",
        "addresses the grading model",
        "attention note message instruction dear",
        rf"\b{_TO_A_MODEL}{_NEXT}{{0,8}}?(?:give|award|grant|assign|score|rate|mark|grade)\b",
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
        "office",
        "claims that the grade is already decided",
        "marker examiner grader reader assessor moderat regrad mark board office panel staff team ci"
        " bot policy calibration regulation",
        rf"\b{_OFFICE}.{{0,80}}?\b{_FAVOUR}",
        rf"\b(?:verified|certified|confirmed|approved) by (?:the )?(?:course|staff|school|faculty)"
        rf".{{0,60}}?\b{_FAVOUR}",
        r"\b(?:expected|correct|right) (?:answer|score|mark|verdict) (?:is|=|:) ?(?:an? )?(?:5|five)\b",
        kinds=("prose",),
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
        FORGED,
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
        FORGED,
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
    _in_other_scripts(
        r"(?:忽略|无视|忽視|無視|忘记).{0,15}(?:指令|指示|说明|評分|评分|规则|提示)",
        r"(?:指示|ルール|評価基準|採点基準|命令).{0,10}(?:無視|忘れ)",
        r"(?:지시|명령|평가 기준|루브릭|채점).{0,10}(?:무시|잊)",
        r"(?:تجاهل|انس).{0,30}(?:التعليمات|المعايير|معايير|تعليمات)",
        r"(?:התעלמ?ו?|שכח).{0,30}(?:הוראות|ההוראות|המחוון)",
        r"(?:निर्देश|मानदंड|रूब्रिक).{0,30}(?:अनदेखा|भूल)",
        r"(?:መመሪያ|መስፈርት).{0,30}(?:ችላ|እርሳ|ተው)",
    ),
    r"\b(?:otorga\w*|asigna|donnez|attribuez|vergib|vergeben sie|geben sie|assegna|atribua"
    r"|поставь\w*)\b.{0,30}5 ?/ ?5",
    _in_other_scripts(r"(?:给|給予|打).{0,10}(?:5 ?/ ?5|满分|滿分)"),
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
    _in_other_scripts(
        r"(?:最高|满|滿|五)分",
        r"(?:评委|老师|教授|委员会).{0,12}(?:确认|决定|同意|批准)",
        r"(?:视|視|看作|算作).{0,10}(?:满足|滿足|完成|达到|通过)",
        r"(?:पूरे|पूर्ण|अधिकतम|सर्वोच्च) अंक",
        r"(?:शिक्षक|परीक्षक|समिति|प्रोफेसर).{0,30}(?:अंक|निर्णय|स्वीकृ)",
        r"(?:शर्त|मापदंड|आवश्यकता).{0,20}(?:पूरा|पूरी|पूर्ण).{0,10}मान",
        r"(?:ከፍተኛ\w{0,12}|ሙሉ) (?:ነጥብ|ውጤት)",
        r"(?:መምህር|ኮሚቴ|መርማሪ)\w{0,12}.{0,40}(?:ሰጥ|ወስን|ውሳኔ|አጽድቅ)\w*",
        r"(?:መስፈርት|ጥያቄ)\w{0,12}.{0,20}(?:ተሟል|እንደተሟል|እንደተሟላ)\w*",
    ),
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
    pattern_kind: Kind = kind if kind in {"code", "data"} else "prose"
    orders = [order for family in FAMILIES for order in _of_family(family, view, pattern_kind)]
    return sorted(orders, key=lambda order: order.start)


def foreign_orders_in(view: str) -> list[Order]:
    """Return the matches of other languages in a view of obfuscation.foreign_view_of."""
    return [
        order for family in (FOREIGN, FOREIGN_FAVOUR) for order in _of_family(family, view, "prose")
    ]


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
