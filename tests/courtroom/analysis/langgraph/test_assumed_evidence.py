"""Evidence that detectives always report as found."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from courtroom.analysis.langgraph.assumed_evidence import always_found, found_in_any_clone
from tests.courtroom.sources import IMPORTS, layers_of, symbols_of

GRAPH = (
    "g = StateGraph(dict)\ng.add_node('repo_investigator', repo_investigator)\n"
    "g.add_edge(START, 'repo_investigator')\napp = g.compile()\n"
)
FOUND = "Evidence(goal='g', found=True, content=str(seen), location='x', confidence=0.9)"
WRITTEN = "Evidence(goal='g', found=True, content='Sandboxed.', location='x', confidence=1.0)"


def reported(body: str, more: str = "") -> tuple[list[int], str]:
    """Return the lines of assumed evidence in a detective with this body, and the gap."""
    head = "def repo_investigator(state):\n"
    code = f"{IMPORTS}{head}{indent(dedent(body), '    ')}\n{dedent(more)}\n{GRAPH}"
    call_graph, layers = layers_of(symbols_of(code))
    rows, gap = always_found(call_graph, layers)
    lines = [
        place["line"] - len(f"{IMPORTS}{head}".splitlines()) for r in rows for place in r["places"]
    ]
    return lines, gap


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (f"seen = look(state)\nreturn {WRITTEN}", 2),
        (f"with open('a') as f:\n    seen = f.read()\n    items = [{WRITTEN}]\nreturn items", 3),
        (f"seen = state.get('evidences')\nreturn {FOUND}", 2),
        (f"for dim in dimensions:\n    items.append({FOUND})", 2),
        (f"for task in tasks:\n    if task_criterion == 'git':\n        item = {FOUND}", 3),
        (f"try:\n    item = {WRITTEN}\nexcept OSError:\n    item = None", 2),
        ("return {'found': True, 'confidence': 0.9, 'content': seen}", 1),
        (f"return {FOUND.replace('0.9', '0.9 if token else 0.8')}", 1),
        ("items.append({'found': True, 'goal': 'g', 'rationale': 'It is as it should be.'})", 1),
    ],
)
def test_evidence_that_no_condition_leads_to_is_shown(body, line):
    assert reported(body) == ([line], "")


@pytest.mark.parametrize(
    "body",
    [
        f"if seen:\n    return {FOUND}",
        "return {'found': True, 'goal': 'g', 'rationale': f'There are {seen}.'}",
        "return {'found': True, 'path': 'a.py'}",
        f"seen = look(state)\nreturn {FOUND}",
        f"seen = [row for row in rows_of(state)]\nmore = seen[0]\nreturn {FOUND.replace('seen', 'more')}",
        f"if not seen:\n    return []\nreturn {FOUND}",
        f"for item in files:\n    items.append({FOUND})",
        f"for item in files:\n    if item:\n        return []\nreturn {FOUND}",
        f"try:\n    seen = clone(url)\n    item = {FOUND}\nexcept OSError:\n    item = None",
        f"return {FOUND} if seen else None",
        f"return [{FOUND} for seen in files]",
        f"return {FOUND.replace('True', 'bool(seen)')}",
        f"return {FOUND.replace('0.9', 'score(seen)')}",
        f"if state['kind'] == 'git':\n    return {FOUND}",
        f"def inner():\n    return {FOUND}\nreturn inner",
    ],
)
def test_evidence_that_something_decides_is_not(body):
    assert reported(body) == ([], "")


def test_evidence_of_a_function_that_is_always_called_is_shown():
    helper = f"def collect(seen):\n    return {FOUND}\n"
    assert len(reported("return collect(state)", helper)[0]) == 1
    assert reported("if state:\n    return collect(state)", helper) == ([], "")


PROTOCOLS = f"""
def run(protocol, seen):
    if protocol == "history":
        return look(seen)
    if protocol == "reference":
        return {FOUND}
    return None
def get_criterion_key(dim):
    return dim.get("protocol")
"""


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("for d in state['dimensions']:\n    add(run(d['protocol'], state))", 1),
        (
            "for d in own_dimensions(state):\n    key = get_criterion_key(d)\n    add(run(key, state))",
            1,
        ),
        ("return run('reference', state)", 1),
        ("return run(look(state), state)", 0),
        ("for d in state['files']:\n    add(run(d['protocol'], state))", 0),
        ("for dim in state['dimensions']:\n    kind = look_at(dim)\n    add(run(kind, state))", 0),
    ],
)
def test_key_that_chooses_what_to_look_for_is_no_condition(body: str, count: int):
    assert len(reported(body, PROTOCOLS)[0]) == count


def test_value_that_is_compared_with_one_text_is_a_condition():
    one = PROTOCOLS.replace('if protocol == "history":\n        return look(seen)\n    ', "")
    assert reported("return run('reference', state)", one) == ([], "")


@pytest.mark.parametrize(("content", "count"), [("'Seen.'", 1), ("look(state)", 0)])
def test_evidence_of_a_table_of_lambdas_is_followed(content, count):
    found = WRITTEN.replace("'Sandboxed.'", content)
    table = f"TABLE = {{'git': lambda state: {found}, 'doc': look}}\n"
    assert len(reported("return TABLE[state['kind']](state)", table)[0]) == count


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Classified later: the model is unavailable.", [4]),
        ("The look is pending.", [4]),
        ("Three boxes in a row.", []),
    ],
)
def test_found_evidence_whose_text_says_that_nothing_was_looked_at_is_shown(text, lines):
    found = f"Evidence(found=True, content=f'{{page}}: {text}', confidence=rate(page))"
    assert reported(f"if model:\n    return look(model)\nelse:\n    return [{found}]") == (
        lines,
        "",
    )


def test_of_detectives_that_report_nothing_no_evidence_is_praised():
    assert reported("print('analysing')\nreturn {}") == ([], "the detectives report no evidence")


@pytest.mark.parametrize(("seen", "lines"), [("pictures_of(state)", []), ("state['seen']", [4])])
def test_text_that_counts_what_was_looked_at_is_no_text_without_a_look(seen, lines):
    found = "Evidence(found=True, content=f'{len(seen)} pictures, the rest is pending')"
    body = f"seen = {seen}\nif not seen:\n    return []\nreturn [{found}]"
    assert reported(body) == (lines, "")


def test_without_a_detective_nothing_is_known():
    call_graph, layers = layers_of(symbols_of("def work():\n    return 1\n"))
    assert always_found(call_graph, layers) == ([], "no node of a detective was found")


LISTED = (
    "images = extract(state)\nif not images:\n    return []\nrows = []\n"
    "for i, image in enumerate(images):\n    rows.append({'index': i, 'text': MEMBER})\n"
    "return Evidence(goal='g', found=True, content=rows, confidence=0.7)"
)


def test_list_of_placeholders_as_content_was_not_examined():
    assert reported(LISTED.replace("MEMBER", "'Analysis placeholder'")) == ([7], "")


@pytest.mark.parametrize(("filled", "lines"), [("str(path)", []), ("'a picture'", [8])])
def test_text_on_a_list_that_was_filled_with_what_was_seen_shows_it(filled, lines):
    body = (
        f"images = []\nfor path in folder.rglob('*'):\n    images.append({filled})\n"
        "if not images:\n    return []\nelse:\n"
        "    notes = [f'{i} (placeholder)' for i in images]\n"
        "    return Evidence(found=True, content=str(notes), rationale='placeholder')"
    )
    assert reported(body) == (lines, "")


def test_list_with_what_a_call_gave_is_no_list_of_placeholders():
    assert reported(LISTED.replace("MEMBER", "describe(image) or 'placeholder'")) == ([], "")
    assert reported(LISTED.replace("MEMBER", "'A diagram.'")) == ([], "")


@pytest.mark.parametrize(
    ("test", "target", "lines"),
    [
        ("items and not items[0].found", "items[0].found", [3]),
        ("not item['found']", "item['found']", [3]),
        ("not items[0].found", "items[1].found", []),
        ("not items", "items[0].found", []),
        ("not item.found or force", "item.found", []),
        ("not item.seen", "item.seen", []),
    ],
)
def test_evidence_that_was_not_found_and_is_set_to_found_is_shown(test, target, lines):
    body = f"items = evidence_of(state)\nif {test}:\n    {target} = True\nreturn items"
    assert reported(body) == (lines, "")


def test_evidence_of_detectives_for_pictures_is_apart():
    node = "def {name}(state):\n    return [{made}]\n"
    graph = GRAPH.replace(
        "app =",
        "g.add_node('vision_inspector', vision_inspector)\n"
        "g.add_edge(START, 'vision_inspector')\napp =",
    )
    names = ("repo_investigator", "vision_inspector")
    nodes = "".join(node.format(name=name, made=WRITTEN) for name in names)
    call_graph, layers = layers_of(symbols_of(f"{IMPORTS}{nodes}{graph}"))
    rows = [always_found(call_graph, layers, on_pictures=on)[0] for on in (False, True)]
    assert [[row["text"].split()[0] for row in each] for each in rows] == [[n] for n in names]


def test_helper_of_both_detectives_counts_once():
    code = (
        f"def made():\n    return {WRITTEN}\n"
        "def repo_investigator(state):\n    return [made()]\n"
        "def vision_inspector(state):\n    return [made()]\n"
    )
    graph = GRAPH.replace("app =", "g.add_node('vision_inspector', vision_inspector)\napp =")
    call_graph, layers = layers_of(symbols_of(f"{IMPORTS}{code}{graph}"))
    counts = [len(always_found(call_graph, layers, on_pictures=on)[0]) for on in (False, True)]
    assert counts == [1, 0]


LOOK = "Evidence(found=True, content=f'{len(images)} pictures', rationale=RATIONALE)"
FAILING = (
    "def classify(image):\n    try:\n        return model.invoke(image)\n"
    "    except Exception as error:\n        return f'[Classification skipped: {error}]'\n"
)


@pytest.mark.parametrize(
    ("rationale", "said"),
    [
        ("'Vision analysis pending.'", "whose own text says “Vision analysis pending.”"),
        ("f'{images} not yet analyzed'", "whose own text says “not yet analyzed”"),
        ("'The placeholder analysis was done.'", "whose own text says “The placeholder"),
        ("text", "also where classify() returns “Classification skipped”"),
        ("'A diagram in three rows.'", ""),
        ("'Analysis done; no picture is left.'", ""),
        ('f\'Text {"found" if images else "not analyzed"}\'', ""),
    ],
)
def test_pictures_that_were_counted_and_not_looked_at_are_shown(rationale, said):
    body = "images = extract(state)\nif not images:\n    return []\ntext = classify(images[0])\n"
    assert [said in text for text in pictures(body, rationale)] == [True] * bool(said)


def test_text_for_a_package_that_is_not_installed_comes_last():
    package = "    try:\n        import seer\n    except ImportError:\n"
    package += "        return 'Analysis skipped: install seer.'\n"
    failing = FAILING.replace("    try:\n", f"{package}    try:\n", 1)
    body = "images = extract(state)\nif not images:\n    return []\ntext = classify(images[0])\n"
    (text,) = pictures(body, "text", failing)
    assert "returns “Classification skipped”" in text


@pytest.mark.parametrize(
    ("look", "count"),
    [
        ("return picture.stat().st_size  # image_url", 1),
        ("return model.invoke([{'type': 'image_url'}])", 0),
        ("return ask(b64encode(picture))", 0),
        ("return client.files.upload(file=str(picture))", 0),
        ("return model.generate_content(['What is this?', picture])", 0),
    ],
)
def test_detective_for_pictures_at_which_no_code_looks_is_told(look: str, count: int):
    code = (
        f"{IMPORTS}def classify(picture):\n    {look}\n"
        "def vision_inspector(state):\n    return [classify(state['picture'])]\n"
    )
    graph = GRAPH.replace("repo_investigator", "vision_inspector")
    _, varied, _ = found_in_any_clone(*layers_of(symbols_of(f"{code}{graph}")))
    said = (
        "No code was recognised by which vision_inspector hands a picture to a model or reads what is"
        " on one."
    )
    assert [row["text"] for row in varied] == [said] * count


def test_failure_of_a_look_that_a_test_tells_apart_is_not():
    body = "text = classify(state)\nif text.startswith('[Classification'):\n    return []\n"
    assert pictures(body, "text") == []


def test_failure_of_a_look_may_stand_in_a_record_that_is_dumped():
    record = "{'kind': 'unknown', 'description': 'Analysis failed', 'error': str(error)}"
    failing = FAILING.replace("f'[Classification skipped: {error}]'", record)
    body = "images = extract(state)\nif not images:\n    return []\nread = classify(images[0])\n"

    (text,) = pictures(body, "json.dumps(read, indent=1)", failing)
    assert "also where classify() returns “Analysis failed”" in text
    assert (
        pictures(f"{body}if 'error' in read:\n    return []\n", "json.dumps(read)", failing) == []
    )


def test_failure_of_a_look_may_stand_in_a_list_that_is_joined():
    failing = FAILING.replace(
        "[Classification skipped: {error}]", "Analysis failed: none. Size {error}"
    )
    loop = "texts = []\nfor image in images:\n    text = classify(image)\n    texts.append(f'{text}')\n"
    body = f"images = extract(state)\nif not images:\n    return []\n{loop}"
    (text,) = pictures(body, "'\\n'.join(texts)", failing)
    assert text.endswith("found=True also where classify() returns “Analysis failed: none”.")


@pytest.mark.parametrize(
    ("value", "found", "is_shown"),
    [
        ("convert_from_path(path)", "len(self.images) > 0", True),
        ("convert_from_bytes(path)", "bool(self.images)", True),
        ("extract_images(path)", "len(self.images) > 0", False),
        ("convert_from_path(path) if path else extract(path)", "len(self.images) > 0", False),
        ("convert_from_path(path)", "len(self.images) > 0 and self.is_drawn", False),
    ],
)
def test_rendered_pages_that_pass_for_pictures_are_shown(value, found, is_shown):
    inside = (
        f"    def extract(self, path):\n        self.images = []\n        self.images = {value}\n"
        "    def look(self, state):\n        self.extract(state['path'])\n"
        f"        return [Evidence(found={found}, content=f'{{len(self.images)}}', rationale='a')]\n"
    )
    node = "def vision_inspector(state):\n    return Inspector().look(state)\n"
    graph = GRAPH.replace("repo_investigator", "vision_inspector")
    code = f"{IMPORTS}class Inspector:\n{inside}\n\n{node}{graph}"
    rows, _ = always_found(*layers_of(symbols_of(code)), on_pictures=True)
    sentence = (
        f"Inspector.look reports evidence with found={found}, where Inspector.extract() fills images"
        f" with every page, drawn by {value.partition('(')[0]}()."
    )
    assert [row["text"] for row in rows] == [sentence] * is_shown


def test_look_at_pictures_in_a_class_of_a_larger_node_is_followed():
    body = "images = extract(state)\nif not images:\n    return []\n"
    look = f"return [{LOOK.replace('RATIONALE', repr('Analysis pending'))}]"
    inside = indent(f"def collect(self, state):\n{indent(body + look, '    ')}", "    ")
    node = "def repo_investigator(state):\n    return VisionInspector().collect(state)\n"
    code = f"{IMPORTS}class VisionInspector:\n{inside}\n\n{node}{GRAPH}"
    rows, _ = always_found(*layers_of(symbols_of(code)), on_pictures=True)
    assert len(rows) == 1


def pictures(body, rationale, failing=FAILING):
    body += f"return [{LOOK.replace('RATIONALE', rationale)}]"
    node = f"def vision_inspector(state):\n{indent(body, '    ')}\n"
    graph = GRAPH.replace("repo_investigator", "vision_inspector")
    code = f"{IMPORTS}{failing}{node}{graph}"
    rows, _ = always_found(*layers_of(symbols_of(code)), on_pictures=True)
    return [row["text"] for row in rows]


CLONE = "repo_path = clone_repo(state['repo_url'])\n"


@pytest.mark.parametrize(
    "body",
    [
        f"{CLONE}if not repo_path:\n    return []\nreturn {WRITTEN}",
        f"try:\n    {CLONE}except CloneError:\n    return []\nreturn {WRITTEN}",
        f"if not state['repo_url']:\n    return []\nreturn {WRITTEN}",
        f"if not state.get('repo_url'):\n    return []\nreturn {WRITTEN}",
        f"{CLONE}if not dimensions:\n    return []\nif not repo_path:\n    return []\nreturn {WRITTEN}",
        f"{CLONE}for dim in dimensions:\n    if not repo_path:\n        continue\n    add({WRITTEN})",
        f"{CLONE}if dim_id == 'git' and repo_path:\n    return {WRITTEN}",
        f"with clone(url) as (path, error):\n    if error:\n        return []\n    return {WRITTEN}",
        f"{CLONE}if not Path(repo_path).is_dir():\n    return []\nreturn {WRITTEN}",
        f"chunks, err = ingest_pdf(pdf_path)\nif err:\n    return []\nreturn {WRITTEN}",
        f"chunks = ingest_pdf(pdf_path)\nif not chunks:\n    return []\nreturn {WRITTEN}",
        f"read = load_report(pdf_path)\nif read['error']:\n    return []\nreturn {WRITTEN}",
        f"try:\n    text = parse(report_path)\nexcept ReadError:\n    return []\nreturn {WRITTEN}",
        f"{CLONE}if repo_path:\n    seen = []\n    if not seen:\n        seen.append({WRITTEN})",
        f"{CLONE}return {WRITTEN.replace('found=True', 'found=repo_path is not None')}",
    ],
)
def test_evidence_that_hangs_on_the_clone_alone_is_shown_apart(body):
    assert reported(body)[0] == []
    assert len(guarded(body)) == 1


@pytest.mark.parametrize(
    "body",
    [
        f"return {WRITTEN}",
        f"{CLONE}if not repo_path:\n    return []\nreturn {WRITTEN.replace('Sandboxed', 'It was cloned')}",
        f"{CLONE}history = read(repo_path)\nif not history:\n    return []\nreturn {WRITTEN}",
        f"{CLONE}if not (repo_path / 'src/graph.py').exists():\n    return []\nreturn {WRITTEN}",
        f"try:\n    {CLONE}    look(repo_path)\nexcept OSError:\n    return []\nreturn {WRITTEN}",
        f"{CLONE}if not repo_path or not look(repo_path):\n    return []\nreturn {WRITTEN}",
        f"graph_path = find(state)\nif not graph_path:\n    return []\nreturn {WRITTEN}",
        f"history, err = read_log(repo_path)\nif err:\n    return []\nreturn {WRITTEN}",
        f"read = load_report(pdf_path)\nif read['diagrams']:\n    return []\nreturn {WRITTEN}",
        f"{CLONE}rows = []\nif not rows:\n    rows.append({WRITTEN.replace('Sand', 'No sand')})",
        f"if not load_report(pdf_path):\n    return []\nreturn {WRITTEN.replace('g', 'PDF ingest', 1)}",
        f"{CLONE}rows = []\nif not seen:\n    rows.append({WRITTEN})",
        f"{CLONE}return {WRITTEN.replace('found=True', 'found=repo_path is None')}",
    ],
)
def test_evidence_that_hangs_on_a_look_is_not(body):
    assert guarded(body) == []


VARIED = f"{CLONE}seen = history(repo_path)\nif not repo_path:\n    return []\nreturn {FOUND}"


def test_constants_beside_a_content_that_shows_what_was_read_are_apart():
    assert guarded(VARIED) == []
    (row,) = guarded(VARIED, "varied")
    assert row["text"] == (
        "repo_investigator reports evidence with found=True and confidence 0.9, both written in the"
        " code, beside content that comes from what was read."
    )
    assert guarded(VARIED.replace("if not repo_path", "if not seen"), "varied") == []


def test_found_evidence_whose_content_may_say_that_nothing_was_there_says_so():
    body = VARIED.replace("str(seen)", "', '.join(seen) if seen else 'No commits.'")
    (row,) = guarded(body, "varied")
    assert row["text"].endswith("written in the code, also where the content is “No commits.”.")


AFFIRMING = "Evidence(found=bool(seen), content=TEXT, confidence=0.9)"


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("'Detected two splits.'", True),
        ("'The AST scan confirmed two splits.'", True),
        ("'Looked for two splits.'", False),
        ("'Detected two splits.' if seen else 'None.'", False),
    ],
)
def test_text_that_affirms_what_was_not_found_is_shown(text: str, is_shown: bool):
    made = AFFIRMING.replace("TEXT", text)
    body = f"{CLONE}seen = history(repo_path)\n"
    said = "repo_investigator gives evidence the text “{}” also where `bool(seen)` is false."
    rows = [row["text"] for row in guarded(f"{body}return {made}", "varied")]
    assert rows == [said.format(text.strip("'"))] * is_shown
    assert guarded(f"{body}if bool(seen):\n    return {made}", "varied") == []


RECORDS = (
    "def rows_of(pictures):\n    rows = []\n    for picture in pictures:\n"
    "        text = classify(picture)\n        rows.append({{'page': 1, '{key}': text}})\n"
    "    return rows\n"
)
PARTS = "for row in rows_of(state['pictures']):\n    items.append({made})\nreturn items"


@pytest.mark.parametrize(("key", "is_shown"), [("kind", True), ("other", False)])
def test_part_of_a_record_that_may_say_that_no_picture_was_looked_at_is_shown(key, is_shown):
    body = PARTS.format(made=FOUND.replace("str(seen)", "row['kind']"))
    failing = FAILING.replace("[Classification skipped: {error}]", "Analysis skipped: {error}")
    rows = guarded(body, "varied", f"{RECORDS.format(key=key)}{failing}")
    end = "found=True also where classify() returns “Analysis skipped”."
    assert [row["text"].endswith(end) for row in rows] == [True] * is_shown


def test_length_that_is_at_least_zero_is_always_found():
    body = f"seen = []\nreturn {WRITTEN.replace('found=True', 'found=len(seen) >= 0')}"
    assert reported(body)[0] == [2]
    assert reported(body.replace(">= 0", "> 0"))[0] == []
    (row,) = guarded(VARIED.replace("found=True", "found=len(seen) >= 0"), "varied")
    assert row["text"].endswith("comes from what was read; no length is less than 0.")


QUERY = "def query(path):\n    hits = search(path)\n    return {given}\n"


@pytest.mark.parametrize(
    ("given", "denial"),
    [
        ("hits if hits else ['Nothing relevant.']", "Nothing relevant."),
        ("hits or ['Nothing relevant.']", "Nothing relevant."),
        ("hits", None),
        ("hits or []", None),
        ("other if hits else ['Nothing relevant.']", None),
    ],
)
@pytest.mark.parametrize("call", ["query(repo_path)", "query.invoke({'path': repo_path})"])
def test_result_that_is_never_empty_is_always_found(given: str, denial: str | None, call: str):
    body = VARIED.replace("history(repo_path)", call).replace("found=True", "found=bool(seen)")
    rows = guarded(body, "varied", QUERY.format(given=given))
    words = (
        "repo_investigator reports evidence with found=bool(seen) and confidence 0.9, which always"
        f" holds, also where the content is “{denial}”; query() never gives an empty result."
    )
    assert [row["text"] for row in rows] == ([words] if denial else [])


def test_criteria_of_the_own_rubric_show_nothing_of_the_work():
    made = FOUND.replace("str(seen)", "json.dumps([row['id'] for row in seen])")
    body = "rubric = load_rubric('rubric.json')\nseen = get_dimensions_for(rubric)\n"
    assert reported(f"{body}return {made}")[0] == [3]
    assert reported(f"{body}seen = look(seen)\nreturn {made}")[0] == []


def test_evidence_for_all_of_which_nothing_was_collected_says_so():
    (row,) = guarded(f"{CLONE}rows = []\nif not rows and repo_path:\n    pass\n" + REST)
    assert "both written in the code, where it collected nothing else; nothing" in row["text"]


REST = f"if not rows:\n    rows.append({WRITTEN})\nreturn rows"
PENDING = (
    "items.append(Evidence(goal='g', found=False, content='Analysis pending', confidence=0.5))"
)


def test_evidence_that_waits_for_every_work_is_shown():
    (row,) = guarded(f"{CLONE}{PENDING}")
    assert row["text"] == (
        "repo_investigator reports evidence with found=False whose own text says “pending”, for every"
        " work."
    )
    assert guarded(f"{CLONE}if not repo_path:\n    {PENDING}") == []
    assert guarded(f"{CLONE}if look(repo_path):\n    {PENDING}") == []


def guarded(body, kind="guarded", more=""):
    head = "def repo_investigator(state):\n"
    code = f"{IMPORTS}{more}{head}{indent(dedent(body), '    ')}\n{GRAPH}"
    rows, varied, _ = found_in_any_clone(*layers_of(symbols_of(code)))
    return varied if kind == "varied" else rows
