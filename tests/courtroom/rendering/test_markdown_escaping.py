"""Words of a submission stand in Markdown as they were written."""

from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.rendering.markdown_escaping import (
    CODE,
    code_block,
    code_span,
    escape_prose,
    escape_sentence,
)
from tests.courtroom.rendering.markdown_blocks import blocks


def test_version_number_stays_readable_and_list_marker_is_escaped():
    assert (escape_prose("1.0.0"), escape_prose("1. x"), escape_prose("state_of_it")) == (
        "1.0.0",
        "1\\. x",
        "state_of_it",
    )


def rendered_text(markdown):
    tokens = blocks(markdown)
    return "".join(child.content for token in tokens for child in token.children or ())


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="`~#*_[]()<>!|&;\\-+=.:/ ab1", max_size=30))
def test_prose_and_code_render_as_written(words):
    line = " ".join(words.split())
    assert rendered_text(escape_prose(words)) == line
    assert rendered_text(escape_sentence(words)) == CODE.sub(r"\1", line)
    assert rendered_text(f"x {code_span(words)}").removeprefix("x ").strip() == line


def test_name_with_outer_underscores_is_code_unless_a_tick_is_left_over():
    words = "_clone() in (src/__init__.py:3) fails; state_of_it stays. See _x, **/*_y*."
    escaped = "`_clone()` in (`src/__init__.py`:3) fails; state_of_it stays. See `_x`, `**/*_y*`."
    assert escape_sentence(words) == escaped
    assert escape_sentence("A ` and _x") == "A \\` and \\_x"
    assert escape_sentence("a | b \\| c") == "a | b \\\\| c"


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="`~ab\n\t>#", max_size=30))
def test_code_block_holds_its_text_verbatim(words):
    (block,) = blocks(code_block(words, "py"))
    assert (block.content, block.info) == (f"{words}\n", "py")


def test_invalid_language_is_left_out_and_unseen_characters_are_replaced():
    assert code_block("a\u202eb\x1b", "p y`") == "```\na�b�\n```"
    assert escape_prose("a\u202eb") == "a�b"
