"""Words of a security rule that the tools write where all is well."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.tripping_texts import tripping_texts
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import symbols_of

RULE = """
def is_flawed(evidences):
    for ev in evidences:
        text = ev.rationale or ""
        if {test}:
            return True
    return False
def look(folder):
    has_folder, has_shell = scan(folder)
    return Evidence(goal="safe", found={found}, rationale="{text}")
"""
DENIED = "It ran. No call of os.system was seen. It ended."
SEARCH = '"os.system" in text'


def sentences(test: str, found: str = "has_folder and not has_shell", text: str = DENIED):
    symbols = symbols_of({"src/work.py": RULE.format(test=test, found=found, text=text)})
    rule, tool = (
        FunctionRef(*symbols.functions_by_name[name][0]) for name in ("is_flawed", "look")
    )
    return [row.sentence for row in tripping_texts([rule], [rule, tool])]


def test_rule_that_the_word_in_a_denial_meets_is_named():
    (sentence,) = sentences(f"not ev.found and ({SEARCH} or 'eval' in text)")
    assert sentence == (
        "is_flawed() looks for `os.system` in evidence, and look() writes “No call of os.system was"
        " seen” there: the rule matches a word, and no flaw"
    )


@pytest.mark.parametrize(
    ("test", "found", "text", "is_met"),
    [
        (SEARCH, "True", DENIED, True),
        (SEARCH, "True", "os.system was not found.", True),
        (SEARCH, "True", "There are calls of os.system.", False),
        (SEARCH, "True", "No tests are there. There are calls of os.system.", False),
        ('"OS.SYSTEM" in text', "True", DENIED, False),
        (f"ev.found and {SEARCH}", "not has_shell", DENIED, True),
        (f"not ev.found and {SEARCH}", "not has_shell", DENIED, False),
        (f"not ev.found and {SEARCH}", "True", DENIED, False),
        ('"graph" in text', "True", "No graph of os.system is there.", False),
        ('"os.system" in ev.argument', "True", DENIED, False),
    ],
)
def test_rule_is_named_where_the_evidence_of_the_denial_meets_all_of_it(test, found, text, is_met):
    assert bool(sentences(test, found, text)) is is_met


@pytest.mark.parametrize(
    ("found", "test", "is_constant"),
    [
        ("True", "criterion_id == 'safe' and repo_path", True),
        ("True", "has_folder", False),
        ("not has_shell", "criterion_id == 'safe'", False),
    ],
)
def test_rule_that_a_text_of_every_run_sets_off_applies_to_every_work(found, test, is_constant):
    head, call = RULE.rsplit("    return", 1)
    code = f"{head}    if {{when}}:\n        return{call}"
    symbols = symbols_of(
        {"src/work.py": code.format(test=SEARCH, found=found, text=DENIED, when=test)}
    )
    rule, tool = (
        FunctionRef(*symbols.functions_by_name[name][0]) for name in ("is_flawed", "look")
    )
    (row,) = tripping_texts([rule], [rule, tool])
    assert row.is_constant is is_constant
    assert row.sentence.endswith("and applies to every work") is is_constant


ALL_CLEAR = """
WORDS = ("os.system", "shell injection")
def is_found(ev):
    return ev.get("found") is True
def text_of(ev):
    return " ".join([ev["goal"], ev["rationale"]]).lower()
def is_flawed(evidences):
    terms = ("os.system", "unsafe")
    for ev in evidences:
        {guard}
        text = text_of(ev)
        {search}
            return True
    return False
def look(source):
    has_shell = "os.system(" in source
    return Evidence(goal="{goal}", found={found}, content="os.system() NOT found")
"""
PASSED = "if not is_found(ev):\n            continue"
LISTED = "if any(term in text for term in terms):"


def all_clears(guard=PASSED, search=LISTED, found="not has_shell", goal="no call of os.system"):
    code = ALL_CLEAR.format(guard=guard, search=search, found=found, goal=goal)
    symbols = symbols_of({"src/work.py": code})
    names = ("is_found", "text_of", "is_flawed", "look")
    functions = [FunctionRef(*symbols.functions_by_name[name][0]) for name in names]
    return [row.sentence for row in tripping_texts(functions[:3], functions)]


@pytest.mark.parametrize(
    "search", [LISTED, "if any(word in text for word in WORDS):", "if 'os.system' in text:"]
)
def test_listed_word_of_a_text_that_a_helper_makes_is_met_by_an_all_clear(search):
    (sentence,) = all_clears(search=search)
    assert sentence.startswith("is_flawed() looks for `os.system` in evidence, and look() writes")


@pytest.mark.parametrize(
    ("guard", "has_shell", "is_reversed"),
    [
        (PASSED, '"os.system(" in source', True),
        (PASSED, "scan(source)", False),
        ("", '"os.system(" in source', False),
    ],
)
def test_rule_that_asks_for_what_is_found_where_the_word_is_absent_is_reversed(
    guard, has_shell, is_reversed
):
    code = ALL_CLEAR.replace('"os.system(" in source', has_shell)
    code = code.format(
        guard=guard, search=LISTED, found="not has_shell", goal="no call of os.system"
    )
    symbols = symbols_of({"src/work.py": code})
    names = ("is_found", "text_of", "is_flawed", "look")
    functions = [FunctionRef(*symbols.functions_by_name[name][0]) for name in names]
    end = ", and by this evidence it applies where `os.system` is absent, not where it is there"
    rows = [row.sentence.endswith(end) for row in tripping_texts(functions[:3], functions)]
    assert rows == [is_reversed]


def test_evidence_that_a_rule_passes_over_sets_it_off_by_no_word():
    assert not all_clears(guard="if is_found(ev):\n            continue", found="has_shell")
    assert not all_clears(found="has_shell")
    assert not all_clears(found="False")


def test_goal_counts_only_where_a_rule_reads_it():
    by_rationale = "{test}".format(test="'os.system' in ev.rationale")
    goal = 'Evidence(goal="No call of os.system is there", found={found}, rationale="{text}")'
    assert not sentences(by_rationale, "True", "All is well.")
    code = RULE.replace('Evidence(goal="safe", found={found}, rationale="{text}")', goal).format(
        test=by_rationale, found="True", text="All is well."
    )
    symbols = symbols_of({"src/work.py": code})
    rule, tool = (
        FunctionRef(*symbols.functions_by_name[name][0]) for name in ("is_flawed", "look")
    )
    assert not list(tripping_texts([rule], [rule, tool]))
