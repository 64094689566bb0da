"""Make a site with history, and measure it."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

import psycopg

from benchmarks.history.server import history_server

SIZES = """
SELECT replace(relname, 'grading_', ''), reltuples, pg_total_relation_size(oid), pg_indexes_size(oid)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
ORDER BY pg_total_relation_size(oid) DESC LIMIT 14
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.history")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make")
    make.add_argument("folder", type=Path)
    make.add_argument("--audits", type=int, default=200_000)
    pages = commands.add_parser("pages")
    pages.add_argument("folder", type=Path)
    pages.add_argument("--only", default="", help="a word of the reader and the page")
    sizes = commands.add_parser("sizes")
    sizes.add_argument("folder", type=Path)
    explain = commands.add_parser("explain")
    explain.add_argument("folder", type=Path)
    explain.add_argument("page", help="a word of the reader and the page")
    explain.add_argument("--at-least", type=float, default=1.0, metavar="MILLISECONDS")
    compare = commands.add_parser("compare")
    compare.add_argument("few", type=Path)
    compare.add_argument("many", type=Path)
    run(parser.parse_args())


def run(options: argparse.Namespace) -> None:
    if options.command == "compare":
        from benchmarks.history.comparison import compare

        compare(options.few, options.many)
        return
    folder = options.folder.resolve()
    if options.command == "make":
        make_history(folder, options.audits)
        return
    with history_server(folder) as superuser:
        if options.command == "sizes":
            print_sizes(superuser)
            return
        from benchmarks.history.page_times import explain_page, measure_pages

        if options.command == "pages":
            measure_pages(folder, options.only)
        else:
            explain_page(options.page, at_least=options.at_least)


def make_history(folder: Path, audits: int) -> None:
    with (
        history_server(folder) as superuser,
        psycopg.connect(superuser, autocommit=True) as database,
    ):
        # These import models.
        from benchmarks.history.copies import copies_of
        from benchmarks.history.copy_rows import copy_course, has_template, keep_template
        from benchmarks.history.course import make_course, make_editions

        began = perf_counter()
        if not has_template(database):
            (folder / "work").mkdir(exist_ok=True)
            make_course(folder / "work")
            keep_template(database)
            print(f"one course made in {perf_counter() - began:.0f} s", flush=True)
        began = perf_counter()
        cohorts = round(audits / _count(database, "history_template.grading_audit"))
        copy_course(database, copies_of(cohorts))
        make_editions()
        print(f"{_count(database, 'grading_audit')} audits in {perf_counter() - began:.0f} s")


def print_sizes(superuser: str) -> None:
    """Print the largest tables, as a table in Markdown."""
    with psycopg.connect(superuser) as database:
        print("| table | rows | GB | of them indexes |\n|---|---|---|---|")
        for table, rows, size, indexes in database.execute(SIZES).fetchall():
            print(f"| {table} | {int(rows):,} | {size / 1e9:.2f} | {indexes / 1e9:.2f} |")


def _count(database: psycopg.Connection, table: str) -> int:
    row = database.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
