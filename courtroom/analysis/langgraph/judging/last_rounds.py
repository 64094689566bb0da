"""Last rounds of counted loops: what stands behind a loop that its last round leaves never runs."""

from __future__ import annotations

import ast
from collections.abc import Sequence

# How a last round may compare its number with the last one, and whether that holds.
COMPARED: dict[type[ast.cmpop], bool] = {
    ast.Eq: True,
    ast.GtE: True,
    ast.NotEq: False,
    ast.Lt: False,
}


def leaves_by_last_round(loop: ast.stmt) -> bool:
    """Return true where each way through the last round of a loop returns or raises.

    As in `for attempt in range(tries)` with `if attempt == tries - 1: return` in its handler. A
    loop without a round is nobody's writing.
    """
    match loop:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args)):
            # With a step the last number is another one.
            return len(args) in (1, 2) and _ways(loop.body, name, _last(args[-1])) == {"leave"}
    return False


def _last(stop: ast.expr) -> str:
    """Return the number of the last round as code writes it: `tries` of `tries + 1`."""
    match stop:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
            return ast.unparse(left)
        case ast.Constant(value=int(number)):
            return str(number - 1)
    return f"{ast.unparse(stop)} - 1"


def _ways(body: Sequence[ast.stmt], name: str, last: str) -> set[str]:
    """Return how a last round may go on from these statements: leave, next (the loop ends), on."""
    ways: set[str] = set()
    for statement in body:
        ways |= _ways_of(statement, name, last)
        if "on" not in ways:
            return ways
        ways.remove("on")
    return ways | {"on"}


def _ways_of(statement: ast.stmt, name: str, last: str) -> set[str]:
    match statement:
        case ast.Return() | ast.Raise():
            return {"leave"}
        case ast.Continue() | ast.Break():
            return {"next"}
        case ast.If(test=test, body=body, orelse=orelse):
            holds = _holds(test, name, last)
            blocks = [body] * (holds is not False) + [orelse] * (holds is not True)
            return set[str]().union(*(_ways(block, name, last) for block in blocks))
        case ast.With(body=body) | ast.AsyncWith(body=body):
            return _ways(body, name, last)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[]):
            parts = [[*body, *orelse], *(handler.body for handler in handlers)]
            return set[str]().union(*(_ways(part, name, last) for part in parts))
        case ast.For() | ast.AsyncFor() | ast.While() | ast.Match() | ast.Try():
            return {"on", "next"}
    return {"on"}


def _holds(test: ast.expr, name: str, last: str) -> bool | None:
    """Return whether a test of the round's number holds in the last one; None for another test."""
    match test:
        case ast.Compare(left=ast.Name(id=left), ops=[operator], comparators=[right]):
            if left == name and ast.unparse(right) == last:
                return COMPARED.get(type(operator))
    return None
