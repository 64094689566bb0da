"""What somebody may type, set or open is written down: the documents are compared with the program
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from django.apps import apps
from django.urls import URLPattern, URLResolver, get_resolver
from pydantic import BaseModel

from courtroom.checks.registry import Check
from courtroom.models.check import CheckBase
from courtroom.models.rubric import Criterion, JudicialLogic, Level, Rubric
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.rules import AnyRule, Constitution, GuardedRule

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "rubric" / "README.md"]
)
# What families of addresses lie below, and those that are one family; the most specific first.
PLACES = ("o/<org>/c/<cohort>/a/<assignment>/", "o/<org>/c/<cohort>/", "o/<org>/", "")
WHOLE = ("accounts/tokens/", "accounts/", "admin/", "api/v1/", "healthz", "metrics")
MOST_BYTES = 200_000
CHECKS = get_args(get_args(Check)[0])
RULES = get_args(get_args(AnyRule)[0])


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def rows_of(path: str, heading: str) -> list[str]:
    """Return the code in the first column of the tables under a heading."""
    section = text_of(path).partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


def test_every_management_command_is_documented() -> None:
    commands = (ROOT / "grading" / "management" / "commands").glob("[a-z]*.py")
    assert sorted(rows_of("docs/operator.md", "Every command")) == sorted(
        path.stem for path in commands
    )


def test_every_make_target_is_documented() -> None:
    targets = re.findall(r"^([a-z-]+):", text_of("Makefile"), re.MULTILINE)
    rows = rows_of("docs/contributor.md", "Every make target")
    assert sorted(rows) == sorted(f"make {target}" for target in targets)


def test_every_option_of_the_command_line_is_documented() -> None:
    section = text_of("docs/contributor.md").partition("## The command line\n")[2]
    sources = text_of("courtroom/cli.py") + text_of("courtroom/report_files.py")
    options = set(re.findall(r'"(--[a-z-]+)"', sources))
    assert [option for option in sorted(options) if f"`{option}`" not in section] == []


def routes(patterns: list[Any], before: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = before + re.sub(r"<\w+:(\w+)>", r"<\1>", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


def family_of(route: str) -> str:
    """`o/<org>/bulk/<bulk_id>/cancel/` is of the family `o/<org>/bulk/`."""
    for whole in WHOLE:
        if route.startswith(whole):
            return whole
    place = next(place for place in PLACES if route.startswith(place))
    return place + "".join(route.removeprefix(place).partition("/")[:2])


def documented_families() -> list[str]:
    """The addresses of the tables; `…/` stands for what is below the place that the heading names."""
    place = ""
    families: list[str] = []
    for line in text_of("docs/addresses.md").splitlines():
        if below := re.match(r"Below `([^`]+)`", line):
            place = below[1]
        if row := re.match(r"\| `([^`]+)` \|", line):
            families.append("" if row[1] == "/" else row[1].replace("…/", place))

    return families


def test_every_family_of_addresses_is_documented() -> None:
    families = {family_of(route) for route in routes(get_resolver().url_patterns)}
    assert sorted(documented_families()) == sorted(families)


def test_an_address_belongs_to_the_family_it_lies_below() -> None:
    assert family_of("o/<org>/c/<cohort>/a/<assignment>/grades/release/") == (
        "o/<org>/c/<cohort>/a/<assignment>/grades/"
    )
    assert family_of("healthz/live") == "healthz"
    assert family_of("o/<org>/") == "o/<org>/"


def words_on_pages() -> str:
    """All that templates and code may show, and what the administration calls the tables."""
    sources = (ROOT / folder for folder in ("templates", "grading"))
    texts = [
        path.read_text()
        for source in sources
        for path in source.rglob("*")
        if path.suffix in {".html", ".py"}
    ]
    tables = [str(model._meta.verbose_name_plural).capitalize() for model in apps.get_models()]
    return " ".join(" ".join([*texts, *tables]).split())


def test_what_people_are_told_to_press_is_on_a_page() -> None:
    page_words = words_on_pages()
    for document in ("student", "peer", "instructor"):
        pressed = re.findall(r"\*\*([^*]+)\*\*", " ".join(text_of(f"docs/{document}.md").split()))
        assert (document, [label for label in pressed if label not in page_words]) == (document, [])


def values_of(annotation: Any) -> set[str]:
    """The words that a field takes, wherever they stand in its type."""
    words = {value for value in get_args(annotation) if isinstance(value, str)}
    return words.union(*(values_of(value) for value in get_args(annotation)))


def words_of(model: type[BaseModel], *, without: set[str]) -> set[str]:
    fields = {name: field for name, field in model.model_fields.items() if name not in without}
    return set(fields).union(*(values_of(field.annotation) for field in fields.values()))


@pytest.mark.parametrize(
    "model", [*CHECKS, *RULES], ids=lambda model: model.model_fields["kind"].default
)
def test_every_kind_has_a_row_with_its_parameters_and_their_words(model: type[BaseModel]) -> None:
    kind = model.model_fields["kind"].default
    row = next(
        line
        for line in text_of("rubric/README.md").splitlines()
        if line.startswith(f"| `{kind}` |")
    )
    base = CheckBase if issubclass(model, CheckBase) else GuardedRule
    words = words_of(model, without={"kind", *base.model_fields})

    assert [word for word in sorted(words) if f"`{word}`" not in row] == []


@pytest.mark.parametrize(
    "model", [Rubric, Criterion, JudicialLogic, Level, CheckBase, Constitution, GuardedRule]
)
def test_every_key_of_a_rubric_is_documented(model: type[BaseModel]) -> None:
    guide = text_of("rubric/README.md")
    assert [
        word for word in sorted(words_of(model, without=set())) if f"`{word}`" not in guide
    ] == []


def test_every_preset_is_documented() -> None:
    assert sorted(rows_of("rubric/README.md", "Rules")) == sorted(
        [*PRESETS, *(rule.model_fields["kind"].default for rule in RULES)]
    )


def anchors_of(document: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        aim = (document.parent / path).resolve() if path else document
        is_valid = "://" in link or (aim.exists() and (not anchor or anchor in anchors_of(aim)))
        broken += [] if is_valid else [link]
    assert broken == []


def test_pictures_are_small() -> None:
    pictures = sorted((ROOT / "docs" / "pictures").iterdir())
    assert {picture.suffix for picture in pictures} <= {".png", ".webp"}
    assert [picture.name for picture in pictures if picture.stat().st_size > MOST_BYTES] == []
