"""Clones: which function clones, into what, and with which precautions."""

from __future__ import annotations

import pytest

from courtroom.analysis.security.clone_function import CloneReading, read_clone
from courtroom.analysis.security.shell_calls import temporary_directories
from tests.courtroom.analysis.security.clones import CAREFUL, CARELESS, clone_of, precautions
from tests.courtroom.sources import layers_of, symbols_of


def test_without_a_clone_there_is_no_precaution():
    assert clone_of("print('git clone https://example.org/x')") == CloneReading()


def test_a_careful_clone_has_every_precaution():
    reading = clone_of(CAREFUL)

    assert reading.function is not None
    assert (reading.function.name, reading.function.site.node.lineno) == ("clone", 8)
    assert precautions(CAREFUL) == {
        "clone_in_tempdir",
        "clone_timeout",
        "clone_errors_handled",
        "url_validated",
    }


def test_a_careless_clone_has_no_precaution():
    reading = clone_of(CARELESS)
    assert reading.function is not None
    assert (reading.function.name, precautions(CARELESS)) == ("fetch", set())


def test_a_timeout_that_is_only_a_parameter_is_not_counted():
    assert "clone_timeout" not in precautions(
        "from git import Repo\ndef clone(url, timeout=60):\n    Repo.clone_from(url, 'x')\n"
    )


def test_precautions_of_the_wrapper_and_of_the_callers_count():
    files = {
        "src/tools.py": """
            from src.safe import run_git
            def clone(url, into):
                return run_git(["git", "clone", url, into])
            """,
        "src/safe.py": """
            import subprocess
            def run_git(words):
                return subprocess.run(words, timeout=30)
            """,
        "src/node.py": """
            import tempfile
            from src.tools import clone
            def investigate(state):
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        clone(state["url"], folder)
                    except RuntimeError:
                        return {}
            """,
    }

    assert precautions(files) == {"clone_in_tempdir", "clone_timeout", "clone_errors_handled"}


@pytest.mark.parametrize(
    ("handler", "is_handled"),
    [
        ("pass", False),
        ("'Fall back.'\n        pass", False),
        ("return None", True),
        ("log(error)", True),
    ],
)
def test_handler_that_does_nothing_handles_no_error(handler, is_handled):
    code = f"""
from git import Repo
def clone(url):
    try:
        Repo.clone_from(url, 'x')
    except Exception as error:
        {handler}
"""
    assert ("clone_errors_handled" in precautions(code)) is is_handled


def test_address_that_the_clone_checks_itself_needs_no_test_of_a_caller():
    code = """
from git import Repo
def clone(url):
    validate_url(url)
    Repo.clone_from(url, 'x')
def analyse(url, path):
    validate_url(url)
    return read(path) if path else clone(url)
"""
    validated = clone_of(code).lines["url_validated"]
    assert [line for _, line in validated] == [4]
    without = code.replace("    validate_url(url)\n", "", 1)
    assert [line for _, line in clone_of(without).lines["url_validated"]] == [6]


def test_folder_that_a_caller_makes_for_a_copy_is_none_of_the_clone():
    files = {
        "src/tools.py": """
            import subprocess, tempfile
            def clone(url):
                folder = tempfile.mkdtemp()
                subprocess.run(["git", "clone", url, folder])
                return folder
            def report_of(url):
                clone(url)
                return tempfile.mkdtemp()
            """,
    }
    places = clone_of(files).lines["clone_in_tempdir"]
    assert [line for _, line in places] == [4]


def test_variable_with_the_name_of_a_caller_makes_no_caller():
    files = {
        "src/tools.py": """
            import subprocess
            def clone(url):
                subprocess.run(["git", "clone", url])
            def repository(url):
                return clone(url)
            """,
        "src/links.py": """
            def link(url):
                repository = urlsplit(url)
                if repository.scheme != "https":
                    return None
                return repository.path
            """,
    }
    assert "url_validated" not in precautions(files)


LAYERED = {
    "src/process.py": """
        import subprocess
        def start(words, seconds):
            child = subprocess.Popen(words)
            return child.wait(timeout=seconds)
        def is_available():
            probe = ["bwrap", "--version"]
            return subprocess.run(probe, timeout=1).returncode == 0
        """,
    "src/git.py": """
        from src.process import is_available, start
        def run_git(words):
            return start(["git", *words], 30) if is_available() else None
        """,
    "src/fetch.py": """
        from src.git import run_git
        class Attempt:
            def __init__(self, words):
                self.words = words
            def run(self):
                return run_git(self.words)
        def clone(url, into):
            words = ["clone", "--bare"]
            words += ["--", url]
            attempt = Attempt([*words, into])
            try:
                return attempt.run()
            except OSError:
                raise RuntimeError("git clone failed") from None
        """,
    "src/inputs.py": """
        from src.fetch import clone
        class Inputs:
            def __init__(self, url, folder):
                self.url, self.folder = url, folder
                self._fetch()
            def _fetch(self):
                self._take(self.url)
            def _take(self, url):
                clone(checked_url(url), self.folder)
        """,
    "main.py": """
        import tempfile
        from src.inputs import Inputs
        def main(url):
            with tempfile.TemporaryDirectory() as workspace:
                return Inputs(url, workspace)
        if __name__ == "__main__":
            main("x")
        """,
}


def test_a_clone_is_followed_to_the_code_that_puts_git_before_its_words():
    reading = clone_of(LAYERED)

    assert reading.function is not None
    assert (reading.function.source.path, reading.function.name) == ("src/fetch.py", "clone")
    assert {
        fact: [(source.path, line) for source, line in places]
        for fact, places in reading.lines.items()
    } == {
        "clone_in_tempdir": [("main.py", 5)],
        "clone_timeout": [("src/process.py", 5)],
        "clone_errors_handled": [("src/fetch.py", 14)],
        "url_validated": [("src/inputs.py", 10)],
    }


@pytest.mark.parametrize(
    "code",
    [
        "def is_clone(text):\n    return text.startswith('git clone')",
        "def log(url):\n    logger.info(f'git clone {url}')",
        "def fail(url):\n    raise ValueError(f'git clone {url}')",
        "def words_of(url):\n    return ['git', 'clone', url]",
        "def clone(x):\n    words = ['clone', x]\n    return copy(words)\ndef copy(w):\n    return w",
    ],
)
def test_words_of_a_clone_that_nothing_runs_are_no_clone(code):
    assert clone_of(code).function is None


@pytest.mark.parametrize(
    "command", ["' '.join(['git', 'clone', url])", "f'git clone {url}'.split()"]
)
def test_a_command_in_another_form_is_a_clone(command):
    reading = clone_of(f"import subprocess\ndef fetch(url):\n    subprocess.run({command})")

    assert reading.function is not None


def test_of_two_functions_the_used_function_is_the_clone():
    files = {
        "src/tools.py": (
            "from git import Repo\n"
            "def unused(u):\n"
            "    Repo.clone_from(u, 'a')\n"
            "def used(u):\n"
            "    Repo.clone_from(u, 'b')\n"
        ),
        "main.py": (
            "from src import tools\n"
            "def main():\n"
            "    tools.used('x')\n"
            "if __name__ == '__main__':\n"
            "    main()\n"
        ),
    }
    reading = clone_of(files)

    assert reading.function is not None
    assert reading.function.name == "used"


def test_of_two_used_functions_the_one_named_clone_is_the_clone():
    code = """
from git import Repo
def list_files(url):
    Repo.clone_from(url, "a")
def clone_repository(url):
    Repo.clone_from(url, "b")
if __name__ == "__main__":
    list_files("x"), clone_repository("x")
"""
    reading = clone_of(code)

    assert reading.function is not None
    assert reading.function.name == "clone_repository"


@pytest.mark.parametrize(
    "call",
    [
        'subprocess.run(["git", "clone", url, "x"])',
        'subprocess.run(["git", "-c", "a=b", "clone"] + [url])',
        'subprocess.check_output(("/usr/bin/git", "clone", url))',
        'subprocess.run(f"git clone {url}", shell=True)',
        'asyncio.create_subprocess_exec("git", "clone", url)',
        "git.Repo.clone_from(url, 'x')",
        "Repo.clone_from(url, 'x')",
        "pygit2.clone_repository(url, 'x')",
    ],
)
def test_a_clone_is_recognized_in_every_form(call):
    code = (
        "import subprocess, asyncio, git, pygit2\n"
        "from git import Repo\n"
        "def fetch(url):\n"
        f"    {call}\n"
    )
    reading = clone_of(code)

    assert reading.function is not None


MANAGED = """
import subprocess, tempfile
from contextlib import contextmanager

class Executor:
    @staticmethod
    def run_git(words, limit):
        return subprocess.run(["git", *words], timeout=limit)

    @staticmethod
    def folder():
        return tempfile.TemporaryDirectory()

class Sandbox:
    @contextmanager
    def open_repository(self, repo_url):
        try:
            check_repo_url(repo_url)
        except ValueError:
            yield None
            return
        with Executor.folder() as folder:
            try:
                yield Executor.run_git(["clone", repo_url, folder], 60)
            except subprocess.TimeoutExpired:
                yield None
"""


def test_a_clone_in_a_context_manager_with_helpers_has_its_precautions():
    reading = clone_of({"src/sandbox.py": MANAGED})

    assert reading.function is not None
    assert reading.function.name == "open_repository"
    assert precautions({"src/sandbox.py": MANAGED}) == {
        "clone_in_tempdir",
        "clone_timeout",
        "clone_errors_handled",
        "url_validated",
    }
    assert reading.gap == ""


def test_any_of_several_clones_of_a_function_may_have_the_timeout():
    code = (
        "import subprocess\n"
        "def clone(url, sandbox):\n"
        "    cmd = ['git', 'clone', url]\n"
        "    if sandbox:\n"
        "        return sandbox.execute(cmd)\n"
        "    return subprocess.run(cmd, timeout=60)\n"
    )

    assert "clone_timeout" in precautions(code)
    assert clone_of(code).gap == ""


def test_a_clone_by_unknown_code_leaves_its_precautions_open():
    code = "def clone(url, sandbox):\n    return sandbox.execute(['git', 'clone', url])\n"

    assert clone_of(code).gap == "src/graph.py:2 clones by execute, which could not be followed"


def test_a_clone_by_gitpython_is_known_however_it_was_imported():
    assert clone_of("def clone(url, git):\n    return git.Repo.clone_from(url, 'x')\n").gap == ""


def test_a_function_named_clone_that_runs_no_known_clone_is_named():
    reading = clone_of("def clone_repo(repo_url):\n    return backend.fetch(repo_url)\n")

    assert reading.function is None
    assert reading.gap == (
        "clone_repo (src/graph.py:1) is named after a clone,"
        " but its way of cloning could not be followed"
    )


@pytest.mark.parametrize(
    ("more", "is_started"),
    [
        ("", False),
        ("def audit(url):\n    return clone(url)\n", False),
        (
            "def audit(url):\n    return clone(url)\nif __name__ == '__main__':\n    audit('x')\n",
            True,
        ),
        ("@app.command()\ndef audit(url):\n    return clone(url)\n", True),
        ("def main():\n    return clone('x')\n", True),
    ],
    ids=["no caller", "a caller that nothing starts", "module", "decorator", "main"],
)
def test_a_function_is_started_where_a_module_leads_to_it(more: str, is_started: bool):
    call_graph, _ = layers_of(symbols_of(f"{CAREFUL}\n{more}"))
    assert call_graph.is_started("clone") is is_started


def test_temporary_directory_counts_where_the_product_makes_it() -> None:
    files = {
        "src/tools.py": "import tempfile\nwith tempfile.TemporaryDirectory() as path:\n    pass\n",
        "src/words.py": '"""Uses tempfile.TemporaryDirectory()."""\nWANTED = "TemporaryDirectory()"\n',
        "tests/test_tools.py": "from tempfile import TemporaryDirectory\nTemporaryDirectory()\n",
    }
    rows = temporary_directories(symbols_of(files))
    assert [(source.path, line) for source, line in rows] == [("src/tools.py", 2)]


def test_further_functions_that_clone_are_named_beside_the_chosen_one() -> None:
    reading = clone_of({"src/a.py": CAREFUL, "src/b.py": CARELESS})
    assert reading.function is not None
    assert [reading.function.name, *(other.name for other in reading.others)] == ["clone", "fetch"]
    assert clone_of(CAREFUL).others == ()


def test_folder_that_callers_hand_the_clone_comes_before_its_own_for_want_of_one() -> None:
    files = {
        "src/tools.py": """
            import subprocess, tempfile
            def folder_for(target):
                return target or tempfile.mkdtemp()
            def clone(url, target=None):
                folder = folder_for(target)
                subprocess.run(["git", "clone", url, folder])
                return folder
            """,
        "src/detective.py": """
            import tempfile
            from src.tools import clone
            def look(url):
                with tempfile.TemporaryDirectory() as folder:
                    return clone(url, folder)
            """,
    }
    assert places(files) == [("src/detective.py", 5)]
    files["src/detective.py"] = files["src/detective.py"].replace("(url, folder)", "(url)")
    assert places(files) == [("src/tools.py", 4)]


def places(files: dict[str, str]) -> list[tuple[str, int]]:
    symbols = symbols_of(files)
    call_graph, layers = layers_of(symbols)
    lines = read_clone(symbols, call_graph, layers.in_use).lines["clone_in_tempdir"]
    return [(source.path, line) for source, line in lines]


@pytest.mark.parametrize(
    ("loop", "is_repeated"),
    [
        ("for attempt in range(MOST + 1):", True),
        ("while attempts < MOST:", True),
        ("for url in urls:", False),
        ("for row in range(len(urls)):", False),
        ("if url:", False),
    ],
)
def test_clone_in_a_loop_of_attempts_is_repeated(loop: str, is_repeated: bool) -> None:
    code = f"""
def clone(url):
    {loop}
        subprocess.run(["git", "clone", url, folder])
"""
    symbols = symbols_of({"src/tools.py": f"import subprocess\n{code}"})
    call_graph, layers = layers_of(symbols)
    assert read_clone(symbols, call_graph, layers.in_use).is_repeated is is_repeated
