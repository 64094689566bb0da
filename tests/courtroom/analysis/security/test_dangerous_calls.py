"""Dangerous calls of every kind with the origin of their value, and their safe forms."""

from __future__ import annotations

import pytest

from courtroom.analysis.security.dangerous_calls import find_hazards
from tests.courtroom.sources import symbols_of

HEAD = """
    import os, pickle, sqlite3, ssl, subprocess, sys, tarfile, yaml, zipfile
    import httpx, numpy as np, requests, torch
    from flask import request
    from pathlib import Path
    from pickle import loads as thaw
    from werkzeug.utils import secure_filename
    cursor = sqlite3.connect("x").cursor()
"""


def hazards_in(code: str, path: str = "src/tool.py") -> list[tuple[str, object]]:
    """(kind, whether the value comes from outside) of each hazard."""
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    return [
        (hazard.kind, hazard.as_fact["from_outside"])
        for hazard in find_hazards(symbols_of({path: HEAD + indented}))
    ]


SAFE = [
    "yaml.safe_load(text)",
    "yaml.load(text, Loader=yaml.SafeLoader)",
    "torch.load(f, weights_only=True)",
    "np.load('a.npy')",
    "cursor.execute('SELECT * FROM t WHERE a = ?', (a,))",
    "cursor.execute('SELECT * FROM t WHERE ' + 'a = 1')",
    "cursor.execute(f'PRAGMA user_version')",
    "llm.invoke(f'Select the best evidence from {x}')",
    "tarfile.open(p).extractall(d, filter='data')",
    "open(os.path.join(base, os.path.basename(request.args['f'])))",
    "open(sys.argv[1])",
    "UPLOAD_DIR / 'report.md'",
    "UPLOAD_DIR / secure_filename(request.args['f'])",
    "UPLOAD_DIR / str(int(request.args['n']))",
    "share = total / request.args.get('n', type=int)",
    "share = total / request.content_length",
    "def f():\n    name = os.path.basename(request.args['f'])\n    return UPLOAD_DIR / name",
    (
        "def f():\n"
        "    at = (BASE / request.args['f']).resolve()\n"
        "    if not at.is_relative_to(BASE):\n"
        "        raise ValueError\n"
        "    return at"
    ),
    "TEXT = 'UPLOAD_DIR / request.args'",
    (
        "def f():\n"
        "    url = request.form['url']\n"
        "    report = run_audit(url)\n"
        "    return Path(report).name"
    ),
    "requests.get(u, verify='/etc/ca.pem')",
    "x = 'pickle.loads(data)'",
]


@pytest.mark.parametrize("code", SAFE)
def test_the_safe_form_of_a_call_is_no_hazard(code):
    assert hazards_in(code) == []


@pytest.mark.parametrize(
    ("code", "hazard"),
    [
        ("def f(data):\n    return thaw(data)", ("unsafe_deserialisation", True)),
        ("yaml.load('a: 1')", ("unsafe_deserialisation", False)),
        ("torch.load(find())", ("unsafe_deserialisation", None)),
        ("np.load('a.npy', allow_pickle=True)", ("unsafe_deserialisation", False)),
        (
            "FAISS.load_local('index', model, allow_dangerous_deserialization=True)",
            ("unsafe_deserialisation", False),
        ),
        (
            "def f(name):\n    cursor.execute(f'SELECT * FROM t WHERE n = {name}')",
            ("sql_from_strings", True),
        ),
        (
            "def f(n):\n    q = 'DELETE FROM t WHERE n = %s' % n\n    cursor.execute(q)",
            ("sql_from_strings", True),
        ),
        ("cursor.execute('UPDATE t SET a = {}'.format(compute()))", ("sql_from_strings", None)),
        ("zipfile.ZipFile('a.zip').extractall()", ("path_traversal", None)),
        ("def f(a):\n    tarfile.open(a).extractall('x')", ("path_traversal", True)),
        ("open(os.path.join('uploads', request.args['f']))", ("path_traversal", True)),
        ("(Path('uploads') / request.args['f']).read_text()", ("path_traversal", True)),
        (
            "def f():\n    name = request.args['f']\n    return (UPLOAD_DIR / name).read_text()",
            ("path_traversal", True),
        ),
        (
            (
                "def f():\n"
                "    name = request.args['f']\n"
                "    home = Path.home()\n"
                "    at = home / 'a' / f'{name}.txt'"
            ),
            ("path_traversal", True),
        ),
        (
            "def f():\n    name = request.args['f']\n    return open(os.path.join('up', name))",
            ("path_traversal", True),
        ),
        ("requests.get('https://example.org', verify=False)", ("tls_unverified", False)),
        ("ssl._create_unverified_context()", ("tls_unverified", None)),
        ("context.verify_mode = ssl.CERT_NONE", ("tls_unverified", False)),
        ("def f(cmd):\n    os.system('ls ' + cmd)", ("os_system", True)),
        ("subprocess.run('ls', shell=True)", ("shell_true", False)),
        ("CODE = '1 + 1'\neval(CODE)", ("eval_exec", False)),
        ("eval(input())", ("eval_exec", True)),
    ],
)
def test_a_hazard_has_its_kind_and_the_origin_of_its_value(code, hazard):
    assert set(hazards_in(code)) == {hazard}


def certainty_of(code: str) -> list[tuple[str, bool]]:
    """(kind, whether it is certain) of each hazard."""
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    symbols = symbols_of({"src/tool.py": HEAD + indented})
    return [(hazard.kind, hazard.is_certain) for hazard in find_hazards(symbols)]


POSSIBLE = [
    ("thaw(pickle.dumps(x))", "unsafe_deserialisation"),
    ("def f(x):\n    data = pickle.dumps(x)\n    return thaw(data)", "unsafe_deserialisation"),
    (
        "class C:\n    def get(self, key):\n        return thaw(self._cache[key])",
        "unsafe_deserialisation",
    ),
    ("def f(table):\n    cursor.execute(f'DELETE FROM {table}')", "sql_from_strings"),
    ("def f(t):\n    cursor.execute('SELECT COUNT(*) FROM %s' % t)", "sql_from_strings"),
    (
        (
            "def f(ids):\n    marks = ','.join('?' for _ in ids)\n"
            "    cursor.execute(f'SELECT a FROM t WHERE id IN ({marks})', ids)"
        ),
        "sql_from_strings",
    ),
    (
        "def f(t):\n    cursor.execute('SELECT %s FROM t WHERE a = %%s' % quote_name(t), [1])",
        "sql_from_strings",
    ),
    ("def f(n: int):\n    cursor.execute(f'SELECT a FROM t LIMIT {n}')", "sql_from_strings"),
    ("def f(n):\n    cursor.execute(f'SELECT a FROM t LIMIT {int(n)}')", "sql_from_strings"),
    ("def f(n):\n    cursor.execute(f'SELECT a FROM t LIMIT {n + 1}')", "sql_from_strings"),
    (
        (
            "def f(rows):\n    marks = ','.join('(?, ?)' for _ in rows)\n"
            "    cursor.execute(f'SELECT a FROM t WHERE (a, b) IN ({marks})', rows)"
        ),
        "sql_from_strings",
    ),
    ("def f(p):\n    zipfile.ZipFile(p).extractall('x')", "path_traversal"),
    ("def f():\n    with tarfile.open(built()) as t:\n        t.extractall('x')", "path_traversal"),
    (
        "def f(verify):\n    if not verify:\n        context.check_hostname = False",
        "tls_unverified",
    ),
    ("torch.load('weights.pt')", "unsafe_deserialisation"),
    (
        (
            "def f(store):\n    store.save_local('index')\n"
            "    return FAISS.load_local('index', m, allow_dangerous_deserialization=True)"
        ),
        "unsafe_deserialisation",
    ),
    ("claims = decode(token, verify=False)", "tls_unverified"),
    ("def f():\n    return thaw(unpack())", "unsafe_deserialisation"),
    (
        (
            "KEPT = Path.home() / '.kept'\ndef f(name):\n    at = KEPT / f'{name}.pkl'\n"
            "    with open(at, 'rb') as f:\n        return pickle.load(f)"
        ),
        "unsafe_deserialisation",
    ),
    (
        "def f(name):\n    return pickle.loads(Path('kept', name).read_bytes())",
        "unsafe_deserialisation",
    ),
    (
        (
            "def f(x):\n    with open('x.pkl', 'wb') as f:\n        pickle.dump(x, f)\n"
            "    with open('x.pkl', 'rb') as f:\n        return pickle.load(f)"
        ),
        "unsafe_deserialisation",
    ),
]
CERTAIN = [
    (
        "def f(p):\n    with open(p, 'rb') as f:\n        return pickle.load(f)",
        "unsafe_deserialisation",
    ),
    (
        (
            "def f(x, p):\n    save(pickle.dumps(x), p)\n    data = p.read_bytes()\n"
            "    return thaw(data)"
        ),
        "unsafe_deserialisation",
    ),
    ("def f(n):\n    cursor.execute(f\"SELECT * FROM t WHERE n = '{n}'\")", "sql_from_strings"),
    ("def f(n):\n    cursor.execute('SELECT * FROM t WHERE n = ' + n)", "sql_from_strings"),
    (
        "def f(n):\n    cursor.execute('SELECT * FROM t WHERE n LIKE \"%%%s\"' % n)",
        "sql_from_strings",
    ),
    (
        "def f(n):\n    cursor.execute('INSERT INTO t VALUES ({}, {})'.format(1, n))",
        "sql_from_strings",
    ),
    (
        "def f(n):\n    cursor.execute('SELECT * FROM t WHERE n = %(n)s' % {'n': n})",
        "sql_from_strings",
    ),
    (
        "def f(n):\n    cursor.execute(f'SELECT * FROM t WHERE n = {n[len(HEAD):]}')",
        "sql_from_strings",
    ),
    ("cursor.execute(f'DROP TABLE {request.args[0]}')", "sql_from_strings"),
    ("def f(p):\n    with tarfile.open(p) as t:\n        t.extractall('x')", "path_traversal"),
    (
        (
            "def f():\n    got = download(URL)\n    with tarfile.open(got) as t:\n"
            "        t.extractall('x')"
        ),
        "path_traversal",
    ),
    ("torch.load('weights.pt', weights_only=False)", "unsafe_deserialisation"),
    (
        "def f(p):\n    return FAISS.load_local(p, m, allow_dangerous_deserialization=True)",
        "unsafe_deserialisation",
    ),
    (
        "def f(home):\n    at = Path(home) / 'x.pkl'\n    return thaw(at.read_bytes())",
        "unsafe_deserialisation",
    ),
    ("thaw(requests.get('https://example.org').content)", "unsafe_deserialisation"),
    ("def f():\n    got = download(URL)\n    return thaw(got)", "unsafe_deserialisation"),
    ("with open('x.pkl', 'rb') as f:\n    pickle.load(f)", "unsafe_deserialisation"),
    ("session.post(url, verify=False)", "tls_unverified"),
    ("def f():\n    context.check_hostname = False", "tls_unverified"),
]


@pytest.mark.parametrize(("code", "kind"), POSSIBLE)
def test_a_call_whose_danger_the_source_does_not_show_is_only_possible(code, kind):
    assert certainty_of(code) == [(kind, False)]


@pytest.mark.parametrize(("code", "kind"), CERTAIN)
def test_a_call_whose_danger_the_source_shows_is_certain(code, kind):
    assert certainty_of(code) == [(kind, True)]


def test_a_join_inside_another_call_is_one_hazard_at_its_line():
    code = "def f():\n    name = request.args['f']\n    return open(UPLOAD_DIR / 'a' / name)"
    assert hazards_in(code) == [("path_traversal", True)]


def test_calls_in_tests_are_no_hazards():
    assert hazards_in("thaw(data)", "tests/test_tool.py") == []


def test_the_fact_contains_the_call_and_its_line():
    (hazard,) = find_hazards(
        symbols_of({"a.py": "from pickle import loads as thaw\n\nthaw(\n    b''\n)\n"})
    )

    assert hazard.as_fact == {
        "path": "a.py",
        "line": 3,
        "call": "pickle.loads",
        "kind": "unsafe_deserialisation",
        "argument_is_literal": True,
        "from_outside": False,
    }


ROUTES = """
    import os, shutil
    from fastapi import Depends, FastAPI, Form, UploadFile
    from pathlib import Path
    from pydantic import BaseModel
    app = FastAPI()
    HOME = Path("reports")
    class Order(BaseModel):
        folder: str
    def read(place):
        return Path(place).read_text()
    @app.post("{route}")
    def page({parameters}):
        {body}
"""


@pytest.mark.parametrize(
    ("parameters", "body", "expected"),
    [
        ("name: str = Form(...)", "return HOME / name", [(14, True)]),
        ("name: str", "return open(os.path.join('reports', name))", [(14, True)]),
        ("file: UploadFile", "return HOME / file.filename", [(14, True)]),
        ("name: str | None = None", "return HOME / f'audit_{name}.md'", [(14, False)]),
        ("at: str = Form('')", "at = at.strip(); shutil.copytree(at, 'x')", [(14, False)]),
        ("at: str = Form('')", "found = at.lower(); return read(found)", [(11, False)]),
        ("order: Order", "return os.listdir(order.folder)", [(14, False)]),
        ("*, name: str", "return open(name) and HOME / name", [(14, True)]),
        ("name: str", "return HOME / os.path.basename(name)", []),
        ("name: str", "name = Path(name).name; return HOME / name", []),
        ("name: str", "return read(find(name))", []),
        ("number: int", "return HOME / str(number)", []),
        ("user: str = Depends(session)", "return HOME / user", []),
        ("part: str", "return HOME / part", []),
        ("name: str", "at = HOME / name; at.relative_to(HOME)", []),
        ("name: str", "at = HOME / name; return at if at.resolve().parent == HOME else 1", []),
        ("name: str", "at = HOME / name; return str(at).startswith(str(HOME)) and at", []),
        ("name: str", "return HOME / name if name.startswith('a') else 1", [(14, True)]),
        ("file: UploadFile", "return read(file)", []),
    ],
)
def test_path_that_a_parameter_of_a_route_decides(parameters, body, expected):
    code = ROUTES.format(route="/{part}", parameters=parameters, body=body)
    hazards = find_hazards(symbols_of({"src/web.py": code}))
    assert [(hazard.line, hazard.is_certain) for hazard in hazards] == expected
    assert {hazard.kind for hazard in hazards} <= {"path_traversal"}


def test_part_of_an_address_that_is_a_path_may_lead_anywhere():
    code = ROUTES.format(route="/{at:path}", parameters="at: str", body="return HOME / at")
    (hazard,) = find_hazards(symbols_of({"src/web.py": code}))
    assert (hazard.line, hazard.is_certain) == (14, True)


def test_parameter_of_a_function_that_is_no_route_is_no_data_of_a_client():
    code = ROUTES.replace('    @app.post("{route}")\n', "")
    code = code.format(parameters="name: str", body="return HOME / name")
    assert find_hazards(symbols_of({"src/web.py": code})) == []
