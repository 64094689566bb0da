"""Text of a submission as a judge may see it: normalised, and kept inside its quotation.

Comments, docstrings and long strings of code are folded, names are bounded to a few words, and
paths stand as aliases (f1, f2 ...): what a student wrote should show the work, not speak. Exhibits
keep more than quotations in a sentence do, since code must stay readable, and keep their lines.
"""

# ruff: noqa: RUF001 -- quotation marks of every language
from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.exhibits.code_tokens import VALUE, is_statement, text_before, token_pattern
from courtroom.judges.sentences import without_sentences
from courtroom.models.evidence import Evidence
from courtroom.models.exhibit import Exhibit

QUOTE_CHARACTERS = 200
COMMIT_CHARACTERS, COMMIT_WORDS = 40, 5
# A longer name is a sentence: `add_conditional_edges` has three words, `is_five_of_five_here` five.
NAME_CHARACTERS, NAME_WORDS, KEPT_WORDS = 32, 4, 3
STRING_CHARACTERS, STRING_WORDS = 32, 4
# In exhibits code must stay readable.
EXHIBIT_NAME_CHARACTERS, EXHIBIT_NAME_WORDS = 60, 6
# A string of more words speaks: a name of a node or a key of a mapping has few.
EXHIBIT_STRING_CHARACTERS, EXHIBIT_STRING_WORDS = 80, 8
# Rows of our tables (courtroom/exhibits/tables.py).
COLUMN_GAP, COMMIT_COLUMNS, SUBJECT_CHARACTERS, NO_CHANGE = "  ", 5, 72, "+0 -0"
# Longer lines are data or minified code.
LINE_CHARACTERS = 600
PATH_CHARACTERS, PATH_SEGMENTS = 60, 3
# Format, surrogate, private-use and unassigned characters can hide text from a person (DESIGN 8).
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}

# Our own marks: quotations stand in “ ”, fences in <<< >>>, items of evidence are E-xxxx.
_OUR_MARKS = str.maketrans("“”„‟«»", '""""""')
_FENCE = re.compile(r"<{3,}|>{3,}")
_ITEM = re.compile(r"\bE-(?=[0-9a-f]{4})")
_LONG_WORD = re.compile(r"[^\s\"'()\[\]{},;=]{13,}")
_WORD_BREAK = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")
_UNUSUAL = re.compile(r"[^A-Za-z0-9_./-]+")
_UNUSUAL_IN_COMMIT = re.compile(r"[^A-Za-z0-9 _.,:()/+-]+")
_GRAPH_CALL = re.compile(r"\badd_(?:node|edge|conditional_edges)\([^()]*$")
_UNUSUAL_IN_SUBJECT = re.compile(r"[^A-Za-z0-9 _.,:;()/+#'&=@!?*-]+")
# Names in other scripts: their words cannot be counted.
_OTHER_SCRIPTS = re.compile(r"[^\x00-\u024f“”‘’…–—]+")
_COMMIT_LINE = re.compile(r"(\S+) (\S+) (.*?)(, \d+ Python lines? added)?", re.DOTALL)
_QUOTED = re.compile(r"'[^'\n]{2,400}'|\"[^\"\n]{2,400}\"|“[^”\n]{1,400}”")
_LINE_BREAKS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# A link that leads nowhere is Markdown's other comment.
_MARKUP = re.compile(r"<!--(?s:.*?)(?:-->|\Z)|(?m:^\[[^\]\n]{0,80}\]:[ \t]{0,9}(?:#|<>)[^\n]*)")
_CONFIGURATION = re.compile(
    r"\..*|(?:dockerfile|makefile|procfile|justfile|codeowners)\b.*|requirements[^.]*\.txt"
)


def quotation(text: str, characters: int = QUOTE_CHARACTERS) -> str:
    """Return the text normalised, visible and short, without the marks that prompts use."""
    bare = _unmarked(" ".join(_normal(text).split()))
    return bare if len(bare) <= characters else bare[: characters - 1].rstrip() + "…"


def _normal(text: str) -> str:
    # ASCII is normal already and has no invisible character; most lines of code are ASCII.
    if text.isascii():
        return text

    # NFKC would turn our mark of an omission into three full stops.
    normal = "…".join(unicodedata.normalize("NFKC", part) for part in text.split("…"))
    return "".join(c for c in normal if c == "\n" or unicodedata.category(c) not in INVISIBLE)


def item_quotation(
    item: Evidence, characters: int, aliases: Mapping[str, str], *, shows_strings: bool = False
) -> str:
    """Return the content of an item. `shows_strings`: its check is about prose or prompts."""
    content, place = _normal(item.content or ""), item.location
    if place.path and place.line_start:
        return quotation(folded(content, place.path, shows_strings=shows_strings), characters)
    if place.commit and not place.path:
        return quotation(_commit_words(content), characters)
    if place.page:
        return quotation(content, characters)
    return statement(content, characters, aliases)


def folded(text: str, path: str, *, shows_strings: bool = False) -> str:
    """Return lines of a file without comments and docstrings; long strings and names are cut."""
    if _is_prose(path):
        return _MARKUP.sub("…", text)

    def fold(match: re.Match[str]) -> str:
        if match.lastgroup == "comment":
            return "#…"
        is_short = match.lastgroup == "string" and _is_short(match[0])
        return match[0] if shows_strings or is_short else '"…"'

    bounded = _bounded_words(token_pattern(path).sub(fold, text))
    return bounded if shows_strings else without_sentences(bounded)


def _is_prose(path: str) -> bool:
    """Return whether the file is written for readers; of configuration only comments are."""
    is_configuration = _CONFIGURATION.fullmatch(PurePosixPath(path).name.lower())
    return kind_of(path) in {"prose", "assistant"} and not is_configuration


def exhibit_lines(exhibit: Exhibit, *, shows_strings: bool = False) -> list[str]:
    """Return the lines of an exhibit, as many as it has. A line that was folded away is empty."""
    lines = [_LINE_BREAKS.sub(" ", _normal(line)) for line in exhibit.text.split("\n")]
    path = exhibit.location.path
    if path:
        folded = _folded_exhibit(
            "\n".join(lines), path, opened_by=exhibit.opened_by, shows_strings=shows_strings
        )
        lines = folded.removeprefix(VALUE).split("\n")
    elif exhibit.kind in ROWS:
        lines = [ROWS[exhibit.kind](line) for line in lines]
    elif exhibit.kind == "diagrams":
        lines = without_sentences("\n".join(lines)).split("\n")
    return [_short_line(_unmarked(line)) for line in lines]


def _unmarked(text: str) -> str:
    """Return the text without the marks that prompts use."""
    return _ITEM.sub("E_", _FENCE.sub(lambda match: match[0][:2], text.translate(_OUR_MARKS)))


def _commit_row(row: str) -> str:
    """Return a row of the table of commits; its last column is the subject, a student's words."""
    *columns, subject = row.split(COLUMN_GAP, COMMIT_COLUMNS - 1)
    # A commit that changes no line shows nothing by what it says.
    if columns[-1:] == [NO_CHANGE]:
        return COLUMN_GAP.join([*columns, "…"])
    plain = _UNUSUAL_IN_SUBJECT.sub("…", subject)
    short = plain if len(plain) <= SUBJECT_CHARACTERS else f"{plain[:SUBJECT_CHARACTERS]}…"
    return COLUMN_GAP.join([*columns, short])


def path_of_row(row: str) -> str:
    """Return the path of a row of the tree; it may hold the gap of our columns itself."""
    return row.rpartition(COLUMN_GAP)[0]


def _tree_row(row: str) -> str:
    """Return a row of the tree: a path, and the size with the names that a module defines."""
    path, gap, rest = row.rpartition(COLUMN_GAP)
    clean = _UNUSUAL.sub("_", path)
    bounded = _bounded_words(f"{clean}{gap}{rest}", EXHIBIT_NAME_WORDS, EXHIBIT_NAME_CHARACTERS)
    return without_sentences(bounded)


ROWS: Mapping[str, Callable[[str], str]] = {"commits": _commit_row, "tree": _tree_row}


def _folded_exhibit(text: str, path: str, *, opened_by: str, shows_strings: bool) -> str:
    whole = opened_by + text
    if _is_prose(path):
        return _MARKUP.sub(lambda comment: _omission("…", comment), whole)
    parts, end = [], 0
    for token in token_pattern(path, runs=True).finditer(whole):
        # Of a string that opened before, the length is not known.
        is_short = token.start() >= len(opened_by) and _is_short_run(token)
        is_shown = is_short or (shows_strings and _is_prompt(token))
        sign = "#…" if token.lastgroup == "comment" else '"…"'
        parts += [whole[end : token.start()], token[0] if is_shown else _omission(sign, token)]
        end = token.end()
    parts.append(whole[end:])

    # Where strings stay, only what stands between them is code.
    if shows_strings:
        parts[::2] = map(without_sentences, parts[::2])
    bounded = _bounded_words("".join(parts), EXHIBIT_NAME_WORDS, EXHIBIT_NAME_CHARACTERS)
    return bounded if shows_strings else without_sentences(bounded)


def _is_prompt(token: re.Match[str]) -> bool:
    """Return whether a string is used, and names no node of a graph: a name is no prompt."""
    line = text_before(token).rpartition("\n")[2]
    is_used = token.lastgroup != "comment" and not is_statement(token)
    return is_used and not _GRAPH_CALL.search(line)


def _is_short_run(token: re.Match[str]) -> bool:
    literals = token[0]
    is_brief = len(" ".join(literals.split())) <= EXHIBIT_STRING_CHARACTERS + 2
    words = [word for word in _WORD_BREAK.split(literals) if word]
    is_short = literals.isascii() and is_brief and len(words) <= EXHIBIT_STRING_WORDS
    return token.lastgroup == "string" and is_short


def _omission(sign: str, token: re.Match[str]) -> str:
    """Return what stands for a token: the sign, on as many lines."""
    return sign + "\n" * token[0].count("\n")


def _short_line(line: str) -> str:
    bare = line.expandtabs(4).rstrip()
    return bare if len(bare) <= LINE_CHARACTERS else f"{bare[: LINE_CHARACTERS - 1].rstrip()}…"


def statement(text: str, characters: int, aliases: Mapping[str, str]) -> str:
    """Return a sentence of ours that may hold a student's names: paths as aliases, names cut."""
    # A file named `no` must not take that word from our sentence; one word says little.
    paths = (path for path in aliases if path in text and not path.isalpha())
    for path in sorted(paths, key=len, reverse=True):
        text = text.replace(path, aliases[path])
    return quotation(_bounded_words(_QUOTED.sub(_cut_quoted, _normal(text))), characters)


def aliases_of(paths: Sequence[str]) -> dict[str, str]:
    return {path: f"f{number}" for number, path in enumerate(paths, start=1)}


def clean_path(path: str) -> str:
    """Return the path as a legend shows it: plain characters, few words in each part, cut short."""
    parts = [_clean_part(part) for part in path.split("/")]
    last = (["…"] if len(parts) > PATH_SEGMENTS else []) + parts[-PATH_SEGMENTS:]
    short = without_sentences("/".join(last))
    return short if len(short) <= PATH_CHARACTERS else "…" + short[1 - PATH_CHARACTERS :]


def _clean_part(part: str) -> str:
    stem, dot, suffix = _UNUSUAL.sub("_", part).rpartition(".")
    return f"{_bounded_name(stem or suffix)}{dot + suffix[:8] if stem else ''}"


def _bounded_words(
    text: str, most_words: int = NAME_WORDS, characters: int = NAME_CHARACTERS
) -> str:
    bounded = _LONG_WORD.sub(lambda match: _bounded_chain(match[0], most_words, characters), text)
    return _OTHER_SCRIPTS.sub("…", bounded)


def _bounded_chain(chain: str, most_words: int, characters: int) -> str:
    """Return a chain such as `module.function` with each of its names bounded."""
    return "".join(
        part if part in "./:" else _bounded_name(part, most_words, characters)
        for part in re.split(r"([./:])", chain)
    )


def _bounded_name(
    name: str, most_words: int = NAME_WORDS, characters: int = NAME_CHARACTERS
) -> str:
    words = [word for word in _WORD_BREAK.split(name) if word]
    if len(words) <= most_words and len(name) <= characters and name.isascii():
        return name
    kept = "_".join(words[:KEPT_WORDS]).encode("ascii", "ignore").decode()
    return f"{kept[:NAME_CHARACTERS]}…"


def _is_short(literal: str) -> bool:
    return (
        literal.isascii()
        and len(literal) <= STRING_CHARACTERS
        and len([word for word in _WORD_BREAK.split(literal) if word]) <= STRING_WORDS
    )


def _cut_quoted(match: re.Match[str]) -> str:
    return match[0] if _is_short(match[0]) else f"{match[0][0]}…{match[0][-1]}"


def _commit_words(text: str) -> str:
    """Return a statement on a commit (`SHA TIME SUBJECT, ...`) with the start of its subject."""
    match = _COMMIT_LINE.fullmatch(text)
    sha, time, subject, lines = match.groups() if match else ("", "", text, None)
    plain = _UNUSUAL_IN_COMMIT.sub("…", subject)
    first = " ".join(plain.split()[:COMMIT_WORDS])[:COMMIT_CHARACTERS]
    short = first if first == plain else f"{first}…"
    return f"{sha[:10]} {time[:10]} {short}{lines or ''}".strip()
