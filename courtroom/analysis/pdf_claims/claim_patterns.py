"""Features that reports claim: the words of the claim, and the fact that confirms it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# Facts by name (courtroom.models.facts as JSON), and what the code of the clone says of its folder:
# claims are held against them.
CodeFacts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Feature:
    """Feature that a report can claim.

    `says` is searched in a sentence in lower case. `holds` returns None when the facts do not
    decide. `about` names the fact whose location shows the feature, or is empty. A denial ("never
    os.system") contains its own "no". A sentence with the words of `unless` claims something else.
    """

    id: str
    about: str
    says: re.Pattern[str]
    holds: Callable[[CodeFacts], bool | None]
    is_denial: bool = False
    unless: re.Pattern[str] | None = None


def _flag(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: code.get(name)


def _rule(name: str) -> Callable[[CodeFacts], bool | None]:
    def holds(code: CodeFacts) -> bool | None:
        rows = (*(code.get("idle_rules") or ()), *(code.get("unheld_rules") or ()))
        never_acts = any(row["rule"] == name for row in rows)
        return False if never_acts else (code.get("rules") or {}).get(name)

    return holds


def _some(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: None if code.get(name) is None else bool(code[name])


def _none(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: None if code.get(name) is None else not code[name]


def _reducer(name: str) -> Callable[[CodeFacts], bool | None]:
    def holds(code: CodeFacts) -> bool | None:
        reducers = code.get("reducers")
        if reducers is None:
            return None
        return any(r["reducer"].rsplit(".", 1)[-1] == name for r in reducers)

    return holds


def _kind(name: str) -> Callable[[CodeFacts], bool | None]:
    return lambda code: (
        None if code.get("state_class") is None else code["state_class"]["kind"] == name
    )


def _routes(code: CodeFacts) -> bool | None:
    return None if code.get("graph") is None else bool(code["graph"]["conditional"])


_BAD_ANSWERS = r"\bmalformed|\binvalid|\bpars(?:e|ing)\b|\bvalidation|\bschema|\bstructured output"
# What a retry that is for no answer is for.
_CALLS = (
    r"\b(?:api|network|rate[- ]limit\w*|transient|providers?|(?:llm|model) calls?|429"
    r"|clon(?:e|es|ing))\b"
)


def _retries(code: CodeFacts) -> bool | None:
    """Return true for a retry of answers, false where the code has no word for any retry."""
    return True if code.get("structured_output_retry") else code.get("has_call_retry")


# Prompts that share this much of their text share more than single words.
_SHARES_TEXT = 0.2


def _shares_nothing(code: CodeFacts) -> bool | None:
    """Prompts may share a few words by chance, so that none are known to share nothing."""
    return False if (code.get("persona_prompts_shared") or 0) >= _SHARES_TEXT else None


def _any_parallel(code: CodeFacts) -> bool | None:
    layers = (code.get("detectives_parallel"), code.get("judges_parallel"))
    return True if True in layers else None if None in layers else False


def _removes_clone(code: CodeFacts) -> bool | None:
    """Code that removes a folder somewhere may remove the clone."""
    if code.get("clone_temporary_directory"):
        return True
    has_clone = code.get("clone_function") is not None
    return False if has_clone and code.get("removes_folders") is False else None


def _near(first: str, second: str, gap: str = r"[^.;]{0,60}") -> str:
    """Return a pattern for both in either order, close together in one sentence."""
    return rf"(?:{first}){gap}(?:{second})|(?:{second}){gap}(?:{first})"


def _parallel_layer(layer: str, other_layer: str) -> str:
    """Return a pattern for a parallel layer, without the other layer's name in between."""
    # "The parallel graph and the judges" says nothing of the judges' order.
    # Nor does parallel-safe state.
    own = r"parallel\w*+(?! (?:graph|architecture|infrastructure|pipeline)|-(?:safe|write|flow))"
    parallel = rf"\b(?:in parallel|{own}|concurrent\w*+|simultaneous\w*+)"
    # A bracket and a comma end one member of a list: "detectives (parallel), judges (in a row)".
    return _near(layer, parallel, _without(other_layer + r"|\), "))


def _without(words: str) -> str:
    """Return a pattern for what may stand between two words, without these ones."""
    return rf"(?:(?!{words})[^.;]){{0,60}}"


_DETECTIVES = r"\bdetectives?\b|\brepo_?\s?investigator|\binvestigat(?:ors|ions)\b"
_JUDGES = r"\bjudges?\b|\bjudicial\b|\bprosecutor\b"
_JUSTICE = r"chief_?\s?justice"
_AGGREGATOR = r"aggregat(?:or|ion)\b"
_JOINS = r"\bbarrier|\bfan[- ]?in\b|\bconverge"
_AFTER_NO_AGGREGATOR = r"(?<!aggregator )(?<!aggregator \()(?<!aggregation )"
_SYNTHESIS = r"chief ?justice|synthesis|supreme court|verdicts?|conflict resolution"
_NEVER = r"\b(?:no|never|avoid\w*|without|zero|not)\b[^.;]{0,25}"
# "Not a simple average" and "no LLM averaging" deny less.
_NO_AVERAGES = (
    r"(?:\b(?:not|never|no|without)|n['\u2019]t)"
    r" (?:(?:achieved by|by|an|the|score) )?averag(?:e|es|ed|ing)\b"
    r"|\b(?:rather than|instead of) (?:score )?averaging\b"
    r"|\breject(?:s|ed|ing)? [\"“]?averag(?:e|es|ed|ing)\b"
    r"|\b(?:rather than|instead of) (?:opaque|blind(?:ly)?) averag(?:e|es|ed|ing)\b"
)
_CLONES = r"\bclon(?:e|es|ed|ing)\b"

# A test of how much the prompts may share.
TESTED_SHARE = (
    r"\btests?\b[^.;%]{0,120}\b(?:overlap|share[ds]?|similar(?:ity)?)\b[^.;%]{0,60}?\b(\d{1,2}) ?%"
)
# The head of a table that has the judges' scores.
_COLUMN_HEADS = re.compile(
    r"^(?=.{0,80}\bprosecutor\b)(?=.{0,80}\btech ?lead\b)[^.,;:]{1,100}\bdissent\b\W{0,3}$"
)

# Each row: id, the fact whose location shows it, words of the claim, and the check. An id that
# begins with "no_" is a denial.
_OWN_CODE: tuple[Feature, ...] = tuple(
    Feature(
        name,
        about,
        re.compile(says),
        holds,
        is_denial=name.startswith("no_"),
        unless=_COLUMN_HEADS if name == "dissent" else None,
    )
    for name, about, says, holds in (
        (
            "detectives_parallel",
            "graph",
            _parallel_layer(_DETECTIVES, _JUDGES),
            _flag("detectives_parallel"),
        ),
        (
            "judges_parallel",
            "graph",
            _parallel_layer(_JUDGES, _DETECTIVES),
            _flag("judges_parallel"),
        ),
        (
            "parallel_graph",
            "graph",
            r"\bparallel (?:\w+ )?(?:execution|orchestration|topology)|\bexplicitly parallel\b",
            _any_parallel,
        ),
        (
            "evidence_join",
            "graph",
            _near(_AGGREGATOR, _JOINS + r"|\bjoins?\b|\bwaits?\b", _without(_JUSTICE)),
            _flag("fan_in_before_judges"),
        ),
        (
            "opinion_join",
            "graph",
            # "EvidenceAggregator fan-in, judges, ChiefJustice" names the join of the evidence.
            _near(_JUSTICE, _AFTER_NO_AGGREGATOR + f"(?:{_JOINS})", _without(_AGGREGATOR)),
            _flag("fan_in_before_justice"),
        ),
        (
            "conditional_edges",
            "graph",
            r"\bconditional(?:ly)? (?:\w+ )?(?:edges?|routing|routes?)\b|add_conditional_edges",
            _routes,
        ),
        (
            "error_route",
            "graph",
            (
                r"\bconditional (?:error|failure)\b|\berror(?:_|-| )?handler (?:node|edges?)"
                r"|\broutes? (?:\w+ ){0,3}(?:errors?|failures?)"
            ),
            _flag("conditional_error_route"),
        ),
        ("reducer_ior", "reducers", r"\boperator\. ?ior\b", _reducer("ior")),
        ("reducer_add", "reducers", r"\boperator\. ?add\b", _reducer("add")),
        ("reducers", "state_class", r"\breducers?\b", _some("reducers")),
        (
            "typed_dict_state",
            "state_class",
            r"\bagentstate ?\( ?typeddict\b|\bagentstate (?:as|is) an? typeddict\b",
            _kind("TypedDict"),
        ),
        (
            "pydantic_state",
            "state_class",
            r"\bagentstate ?\( ?basemodel\b|\bagentstate (?:as|is) an? pydantic\b",
            _kind("BaseModel"),
        ),
        ("pydantic_models", "", r"\bpydantic\b", _some("pydantic_models")),
        (
            "sandboxed_clone",
            "clone_function",
            _near(_CLONES, r"\btemp(?:orary|file)?\b|\bsandbox\w*|\bisolated\b"),
            _flag("clone_in_tempdir"),
        ),
        (
            "temporary_directory",
            "clone_function",
            r"\b(?:tempfile\.)?temporary(?:directory\b| ?directory\()",
            _flag("clone_temporary_directory"),
        ),
        ("mkdtemp", "clone_function", r"\bmkdtemp\b", _flag("has_mkdtemp")),
        (
            "removed_clone",
            "clone_function",
            _near(
                _CLONES + r"|\b(?:temp|temporary|ephemeral) (?:path|dir\w*|folder)s?\b",
                r"\bpurged?\b|\bclean(?:s|ed)?[- ]up\b|\bdestroyed\b|\bdeleted\b|\bremoved\b",
            ),
            _removes_clone,
        ),
        (
            "clone_timeout",
            "clone_function",
            _near(_CLONES, r"\btime-?outs?\b"),
            _flag("clone_timeout"),
        ),
        (
            "url_validated",
            "clone_function",
            (
                r"\b(?:validat\w+|saniti[sz]\w+) (?:\w+ ){0,3}urls?\b"
                r"|\burls? (?:validation|saniti[sz]\w+|allow-?list\w*)\b"
            ),
            _flag("url_validated"),
        ),
        ("no_os_system", "os_system_calls", _NEVER + r"\bos\.system\b", _none("os_system_calls")),
        ("no_shell", "shell_true_calls", _NEVER + r"\bshell ?= ?true\b", _none("shell_true_calls")),
        (
            "structured_output",
            "structured_output_calls",
            (
                r"\bwith_structured_output\b|\bbind_tools\b"
                # Before a score, or in a list of them, it is the name of a criterion; what a model
                # defines is no call that binds it.
                r"|(?<!\bdefine )(?<!\bdefines )(?<!\bdefining )"
                r"\bstructured (?:\w+ )?outputs?\b(?! enforcement| \d|, judicial)"
            ),
            _some("structured_output_calls"),
        ),
        (
            "output_retry",
            "structured_output_calls",
            _near(
                r"\bretr(?:y|ies|ied|ying)\b",
                _BAD_ANSWERS,
            ),
            _flag("structured_output_retry"),
        ),
        (
            "deterministic_verdict",
            "",
            _near(
                _SYNTHESIS,
                r"\bdeterministic\w*|\bno llm\b|\bzero llm\b|\bpure python\b|\brule-based\b",
            ),
            _flag("justice_deterministic"),
        ),
        (
            "no_averages",
            "averaged_scores",
            _NO_AVERAGES,
            lambda code: False if code.get("averaged_scores") else None,
        ),
        (
            "distinct_personas",
            "",
            _near(r"\bdistinct\b", r"\bprompts?\b", r"[^.;]{0,30}")
            # "The prompts' shared text is below 50 %", the rubric's bound.
            + r"|\bprompts?\b[^.;]{0,90}\b(?:shared?|overlap)\b[^.;]{0,30}"
            r"(?:<|\b(?:less than|below|under)\b)(?: the)? ?50 ?%",
            _flag("persona_prompts_distinct"),
        ),
        (
            "no_shared_text",
            "",
            _near(
                r"\b(?:zero|no|without(?: any)?) shared (?:boilerplate|text|wording|instructions?)\b"
                r"|\bshares? (?:no|zero) (?:boilerplate|text|wording|instructions?)\b",
                r"\bprompts?\b|\bpersonas?\b",
            ),
            _shares_nothing,
        ),
        # The reading of the claim compares the number.
        ("tested_share", "", TESTED_SHARE, lambda _: None),
        (
            "ast_alone",
            "",
            (
                r"\b(?:all|every|each)\b[^.;]{0,50}\b(?:check(?:er)?s?|verifications?|analys[ei]s"
                r"|inspections?|detections?|extractions?)\b[^.;]{0,40}\bast\b"
            ),
            lambda code: False if code.get("tests_source_words") else None,
        ),
        (
            "security_override",
            "",
            r"\bsecurity (?:override|cap)\b|\brule of security\b",
            _rule("security_override"),
        ),
        ("fact_supremacy", "", r"\bfact supremacy\b|\brule of evidence\b", _rule("fact_supremacy")),
        (
            "functionality_weight",
            "",
            r"\bfunctionality weight\b|\brule of functionality\b",
            _rule("functionality_weight"),
        ),
        ("dissent", "", r"\bdissent\w*\b", _rule("dissent")),
        (
            "variance_re_evaluation",
            "",
            _near(
                r"\bvariance(?:\b|_)|\bspread\b",
                r"(?<![a-z])re[-_]?(?:evaluat|hear|examin|assess|quer)\w{0,40}+",
            ),
            _rule("variance_re_evaluation"),
        ),
        (
            "markdown_report",
            "",
            _near(r"\bmarkdown\b(?! (?:files|documents)\b)", r"\breports?\b", r"[^.;]{0,30}"),
            _flag("markdown_report"),
        ),
        (
            "json_report",
            "",
            _near(
                r"\bmarkdown ?(?:and|or|&|\+|/) ?json\b|\bjson ?(?:and|or|&|\+|/) ?markdown\b",
                r"\breports?\b",
                r"[^.;]{0,30}",
            ),
            _flag("writes_json"),
        ),
    )
)

_RETRIES = r"\bretr(?:y|ies|ied|ying)\b|\bexponential back-?off\b"
# What a program does against a slow, busy or failing service: words of the claim, the word of the
# sources that bears on it (source_words), and the words of a sentence on something else.
_SAFEGUARDS: tuple[Feature, ...] = tuple(
    Feature(name, "", re.compile(says), _flag(f"has_{name}"), unless=re.compile(unless))
    for name, says, unless in (
        (
            "rate_limit",
            r"\brate[- ]limit(?:ing|ers?)\b|\bthrottl(?:es|ing|ers?)\b|\btoken bucket",
            (
                r"\b(?:429|errors?|issues?|avoid\w*|prevent\w*|due to|hit\w*|quotas?|exceed\w*|trip\w*"
                r"|provider|overwhelm\w*|without)\b"
            ),
        ),
        (
            "call_retry",
            _near(
                _RETRIES,
                _CALLS,
                r"[^.;]{0,40}",
            ),
            r"\bnot\b|\bpars|\bmalformed|\bvalidation|\bschema",
        ),
        (
            "model_fallback",
            _near(
                r"\bfall(?:s|ing)? ?back\b|\bfallbacks?\b",
                r"\b(?:models?|providers?|llms?|gemini|groq|ollama|openai|openrouter|claude)\b",
                r"[^.;]{0,40}",
            ),
            (
                r"\b(?:pars\w*|schema|json|regex|heuristics?|defaults?|opinions?|deterministic\w*|rules?"
                r"|texts?|pdf|scores?|reports?|fails?|errors?)\b"
            ),
        ),
        (
            "call_timeout",
            _near(
                r"\btime-?outs?\b",
                r"\b(?:llm|models?|api|network|requests?|subprocess\w*|commands?|global)\b",
                r"[^.;]{0,30}",
            ),
            r"\b(?:clon\w+|fail\w*|errors?|exceed\w*|caught|occur\w*|suffer\w*|risk\w*|prevent\w*)\b",
        ),
        (
            "cache",
            r"\bcach(?:es|ed|ing)\b|\b(?:evidence|responses?|results?|disk|ast|redis|semantic) cache\b",
            r"\b(?:suggest\w*|strateg\w*|prompts?|tokens?|ignored?|pip|uv|docker|builds?|pytest)\b",
        ),
    )
)

# A library beside these words is one of several that a report compares.
_COMPARES = re.compile(
    r"\b(?:over|instead|rather|than|versus|vs|unlike|compared|consider\w*|alternativ\w*|replac\w*"
    r"|switch\w*|migrat\w*|options?|optional\w*|such as|e\.g|like|or|fallback)\b"
)


def _library(name: str, says: str) -> Feature:
    word = f"uses_{name}"
    return Feature(word, "", re.compile(rf"\b{says}\b"), _flag(word), unless=_COMPARES)


_LIBRARIES = {
    "tree_sitter": r"tree[- _]?sitter",
    "docling": "docling",
    "gitpython": "gitpython",
    "pymupdf": "pymupdf",
    "pdfplumber": "pdfplumber",
    "pypdf": "pypdf",
    "pypdf2": "pypdf2",
    "tenacity": "tenacity",
}
_MODELS = {"gpt": r"gpt-?[345]\w{0,6}", "gemini": "gemini", "claude": "claude"}
# A sentence that does not say what is tried again.
_RETRY_LOGIC = Feature(
    "retry_logic",
    "",
    re.compile(r"\bretry logic\b"),
    _retries,
    unless=re.compile(rf"{_BAD_ANSWERS}|{_CALLS}"),
)
FEATURES: tuple[Feature, ...] = (
    *_OWN_CODE,
    _RETRY_LOGIC,
    *_SAFEGUARDS,
    *(_library(*row) for row in (*_LIBRARIES.items(), *_MODELS.items())),
)

# By feature: words anywhere in the report that give its name another meaning. A spread on which the
# Tech Lead decides is heard no second time; "Why not docling?" begins a comparison; a rule that ends
# in an average says what "no average" leaves open.
REDEFINED: Mapping[str, re.Pattern[str]] = {
    "no_averages": re.compile(
        r"\b(?:then|otherwise|else)\b[^.;]{0,20}? (?:the |an? )?(?:\w+ )?(?:average|mean)\b"
    ),
    "variance_re_evaluation": re.compile(
        # In a list of rules the words of one say nothing of the next.
        _near(
            r"\bvariance\b|\bspread\b", r"\btech ?lead\b|\btie-?break", _without(r"\), (?:and )?")
        )
    ),
    **{
        f"uses_{name}": re.compile(rf"\bwhy not\b[^.?!]{{0,80}}\b{says}\b")
        for name, says in (*_LIBRARIES.items(), *_MODELS.items())
    },
}
