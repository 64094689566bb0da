"""Hostile Python: what breaks a parser, a decoder or a reader of trees. Each case stands beside
what must come of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

TOO_DEEP = "it is nested too deeply, or too large, to be parsed"
NO_PARSE = "it does not parse: "
COOKIE = "its encoding cookie names "
NOT_SO_ENCODED = "it is not in the encoding it declares"
TOO_LARGE = "it is larger than 512 KB"
KIB = 1024


@dataclass(frozen=True)
class HostilePython:
    """`reason` is how the report's reason for not reading the file begins; None: it is read like
    any other.
    """

    name: str
    source: bytes
    reason: str | None = None


def _text(name: str, source: str, reason: str | None = None) -> HostilePython:
    return HostilePython(name, source.encode(), reason)


def _around(opening: str, middle: str, closing: str, depth: int) -> str:
    return f"x = {opening * depth}{middle}{closing * depth}\n"


def _nested_blocks(head: str, depth: int) -> str:
    return (
        "".join(f"{' ' * level}{head.format(level)}\n" for level in range(depth))
        + " " * depth
        + "pass\n"
    )


NESTINGS = (
    # opening, middle, closing, then depth and outcome pairs
    ("parentheses", "(", "1", ")", {100: None, 199: None, 250: NO_PARSE, 100_000: NO_PARSE}),
    ("brackets", "[", "1", "]", {100: None, 250: NO_PARSE}),
    ("braces", "{1:", "1", "}", {100: None, 250: NO_PARSE}),
    ("calls", "f(", "1", ")", {100: None, 250: NO_PARSE}),
    ("minus", "-", "1", "", {500: None, 90_000: TOO_DEEP}),
    ("inversions", "~", "1", "", {500: None, 90_000: TOO_DEEP}),
    ("nots", "not ", "1", "", {500: None, 90_000: TOO_DEEP}),
    ("lambdas", "lambda: ", "1", "", {300: None, 50_000: TOO_DEEP}),
    ("conditions", "1 if 1 else ", "1", "", {300: None, 40_000: TOO_DEEP}),
    ("powers", "1**", "1", "", {300: None, 90_000: TOO_DEEP}),
    ("sums", "1+", "1", "", {900: None, 90_000: TOO_DEEP}),
    ("attributes", "", "a", ".b", {900: None, 90_000: TOO_DEEP}),
    ("calls_of_calls", "", "f", "()", {900: None, 90_000: TOO_DEEP}),
    ("subscripts", "", "a", "[0]", {900: None, 90_000: TOO_DEEP}),
)


def nestings() -> Iterator[HostilePython]:
    for name, opening, middle, closing, depths in NESTINGS:
        for depth, reason in depths.items():
            yield _text(f"{name}_{depth}", _around(opening, middle, closing, depth), reason)
    yield _text("indentation_99", _nested_blocks("if 1:", 99))
    yield _text("indentation_101", _nested_blocks("if 1:", 101), NO_PARSE)
    yield _text("functions_90", _nested_blocks("def f{}():", 90))
    yield _text("classes_90", _nested_blocks("class C{}:", 90))
    yield _text("loops_25", _nested_blocks("for i{} in x:", 25))
    yield _text("comprehensions_90", _around("[", "1", " for a in b]", 90))
    yield _text("else_ifs_800", "if a: pass\n" + "elif a: pass\n" * 800)
    yield _text("else_ifs_20000", "if a: pass\n" + "elif a: pass\n" * 20_000, TOO_DEEP)
    yield _text("f_strings_in_f_strings", "x = f'{f\"{1}\"}'\n")
    yield _text("format_in_format", "x = f'{1:{1:{1}}}'\n", NO_PARSE)


def sizes() -> Iterator[HostilePython]:
    yield _text("decimal_of_400_kb", f"x = {'9' * 400 * KIB}\n", NO_PARSE)
    yield _text("hex_of_400_kb", f"x = 0x{'f' * 400 * KIB}\n")
    yield _text("float_of_400_kb", f"x = {'9' * 400 * KIB}.0\n")
    yield _text("string_of_400_kb", f"x = '{'a' * 400 * KIB}'\n")
    yield _text("comment_of_400_kb", f"# {'a' * 400 * KIB}\n")
    yield _text("blanks_of_400_kb", " " * 400 * KIB + "\n")
    yield _text("docstring_of_blanks", f'"""{" " * 400 * KIB}"""\n')
    yield _text("identifier_of_300_kb", f"{'n' * 300 * KIB} = 1\n")
    yield _text("line_ends_of_400_kb", "\n" * 400 * KIB)
    yield _text("returns_of_400_kb", "\r" * 400 * KIB)
    yield _text("semicolons", "x;" * 20_000 + "\n")
    yield _text("strings_side_by_side", "x = " + "'a' " * 60_000 + "\n")
    yield _text("names_50000", "".join(f"n{n:x}=1\n" for n in range(50_000)))
    yield _text("imports_10000", "".join(f"import m{number}\n" for number in range(10_000)))
    yield _text("functions_10000", "".join(f"def f{number}(): pass\n" for number in range(10_000)))
    yield _text(
        "classes_5000", "".join(f"class C{number}(C{number - 1}): pass\n" for number in range(5000))
    )
    yield _text("calls_20000", "f(g)\n" * 20_000)
    yield _text("decorators_2000", "@d\n" * 2000 + "def f(): pass\n")
    yield _text("arguments_10000", f"f({', '.join(f'a{n}=1' for n in range(10_000))})\n")
    yield _text("cases_5000", "match x:\n" + "".join(f" case {n}: pass\n" for n in range(5000)))
    yield _text("globals_10000", f"def f():\n global {', '.join(f'g{n}' for n in range(10_000))}\n")
    yield _text("continued_lines", "x = 1" + " \\\n + 1" * 800 + "\n")
    yield _text("one_byte_too_many", "#" * (512 * KIB) + "\n", TOO_LARGE)


def _cookie(codec: str, body: str = "x = 1\n") -> bytes:
    return f"# -*- coding: {codec} -*-\n{body}".encode()


HIDING_CODECS = (
    "utf-7",
    "unicode_escape",
    "raw_unicode_escape",
    "cp1252",
    "cp037",
    "utf-16",
    "punycode",
    "idna",
    "gbk",
    "iso2022_jp",
)
NO_TEXT_CODECS = (
    "rot13",
    "hex",
    "zip",
    "bz2",
    "base64",
    "uu",
    "quopri",
    "mbcs",
    "no-such-codec",
    "undefined",
)


def encodings() -> Iterator[HostilePython]:
    for codec in HIDING_CODECS:
        yield HostilePython(f"cookie_{codec}", _cookie(codec), NO_PARSE + COOKIE)
    for codec in NO_TEXT_CODECS:
        yield HostilePython(f"cookie_{codec}", _cookie(codec), NO_PARSE)
    yield HostilePython(
        "code_in_a_utf7_comment", _cookie("utf-7", "# +AAo-eval('1')\n"), NO_PARSE + COOKIE
    )
    yield HostilePython("cookie_latin_1", _cookie("latin-1").replace(b"1\n", b"'\xe9'\n"))
    yield HostilePython("cookie_on_the_third_line", b"\n\n# coding: utf-7\nx = 1\n")
    yield HostilePython(
        "cookie_against_the_mark", b"\xef\xbb\xbf# coding: latin-1\nx = 1\n", NO_PARSE
    )
    yield HostilePython("mark_only", b"\xef\xbb\xbf")
    yield HostilePython("empty", b"")
    yield HostilePython("zero_byte", b"x = 1\0\n", NO_PARSE)
    yield HostilePython("zero_bytes", b"\0" * 1000, NO_PARSE)
    yield HostilePython("utf_16", "x = 1\n".encode("utf-16"), NO_PARSE)
    yield HostilePython("utf_32", "x = 1\n".encode("utf-32"), NO_PARSE)
    yield HostilePython("no_utf_8", b"x = '\xff'\n", NO_PARSE)
    yield HostilePython("no_utf_8_later", b"#\n#\nx = '\xff'\n", NOT_SO_ENCODED)
    yield HostilePython("overlong", b"#\n#\nx = '\xc0\xaf'\n", NOT_SO_ENCODED)
    yield HostilePython("half_a_character", b"#\n#\nx = '\xed\xa0\x80'\n", NOT_SO_ENCODED)
    yield HostilePython(
        "ascii_that_is_not", _cookie("ascii", "#\n") + b"x = '\xe9'\n", NOT_SO_ENCODED
    )
    yield _text("form_feeds", "\x0cx = 1\n\x0c")
    yield _text("end_of_file_mark", "x = 1\n\x1a", NO_PARSE)
    yield _text("returns_only", "x = 1\ry = 2\r")
    yield _text("unicode_line_ends", "x = '\u2028\u2029\x85'\n")
    yield _text("tabs_and_blanks", "if 1:\n\tx = 1\n        y = 1\n", NO_PARSE)
    yield _text("override", "x = 1  # \u202e)'1'(lave\u202c\n")
    yield _text("escapes_in_a_name", "\x1b[2J = 1\n", NO_PARSE)
    yield _text("open_string", 'x = """' + "a\n" * 1000, NO_PARSE)
    yield _text("open_parenthesis", "x = (" + "1,\n" * 1000, NO_PARSE)
    yield _text("open_f_string", "x = f'{1\n", NO_PARSE)
    yield _text("trailing_backslash", "x = 1\\", NO_PARSE)
    yield _text("python_2", "print 'x'\nexec 'x'\n", NO_PARSE)
    yield _text("a_page", "<!doctype html><script>alert(1)</script>\n", NO_PARSE)
    yield HostilePython("a_program", b"\x7fELF\x02\x01\x01" + bytes(500), NO_PARSE)


def meanings() -> Iterator[HostilePython]:
    """Yield valid Python that traps an analysis of names, bases and types."""
    yield _text("imports_itself", "from c.imports_itself import x\nimport c.imports_itself as x\n")
    yield _text("imports_a_circle", "from c.imports_a_circle_too import *\n")
    yield _text("imports_a_circle_too", "from c.imports_a_circle import *\n")
    yield _text("imports_above_the_root", "from ............... import x\nfrom ...y import *\n")
    yield _text("imports_a_thousand_folders", f"import {'a.' * 1000}b\n")
    yield _text("its_own_base", "class A(A): pass\nclass B(C): pass\nclass C(B): pass\n")
    yield _text("its_own_alias", "x = x\ny = z\nz = y\nx.y.z = x.y.z\n")
    yield _text("aliases_2000", "".join(f"a{n} = a{n - 1}\n" for n in range(2000)))
    yield _text("calls_in_a_circle", "def f(): return g()\ndef g(): return f()\nf()\n")
    yield _text("types_in_a_string", f"x: '{'Annotated[' * 150}int{']' * 150}' = 1\n")
    yield _text("types_without_end", f"x: '{'Annotated[' * 20_000}' = 1\n")
    yield _text(
        "a_class_2000_fields",
        "class S(TypedDict):\n" + "".join(f" f{n}: int\n" for n in range(2000)),
    )
    yield _text("deletes_builtins", "del __builtins__\nimport sys\nsys.setrecursionlimit(10**9)\n")
    yield _text(
        "runs_at_import", "import os\nos.makedirs('/pwned-by-import')\nraise SystemExit(7)\n"
    )
    yield _text("a_template", "{% for x in y %}{{ x }}{% endfor %}\n", NO_PARSE)


TOGETHER = (*nestings(), *sizes(), *encodings(), *meanings())
