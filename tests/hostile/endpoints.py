"""Evil git servers on loopback: each a behaviour, and the code a hand-in from there is refused
with.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from courtroom.models.case import Limits
from tests.factories.git_server import ADVERTISEMENT, MISBEHAVIOURS, GitHandler

MEBIBYTE = 1024 * 1024
SOME = "1" * 40
ORDINARY = Limits(clone_seconds=20)
HURRIED = Limits(clone_seconds=2)
CRAMPED = Limits(clone_seconds=20, child_memory_bytes=200 * MEBIBYTE, repository_bytes=4 * MEBIBYTE)


@dataclass(frozen=True)
class EvilServer:
    """`act` answers a request; {trap} in what it says is an address that must not be called."""

    name: str
    act: Callable[[GitHandler, str], None]
    refused: str
    limits: Limits = ORDINARY


def packet(line: str) -> bytes:
    return b"%04x%s" % (len(line.encode()) + 4, line.encode())


def advertising(*lines: str) -> bytes:
    """A server's first answer of protocol version 0."""
    return packet("# service=git-upload-pack\n") + b"0000" + b"".join(map(packet, lines)) + b"0000"


def says(status: int, **headers: str) -> Callable[[GitHandler, str], None]:
    def act(handler: GitHandler, trap: str) -> None:
        handler.say(
            status, b"", **{name: value.replace("{trap}", trap) for name, value in headers.items()}
        )

    return act


def advertises(*lines: str, answer: bytes = b"") -> Callable[[GitHandler, str], None]:
    def act(handler: GitHandler, trap: str) -> None:
        if handler.command == "POST":
            handler.say(200, answer, Content_Type="application/x-git-upload-pack-result")
        else:
            filled = (line.replace("{trap}", trap) for line in lines)
            handler.say(200, advertising(*filled), **ADVERTISEMENT)

    return act


def bomb(handler: GitHandler, trap: str) -> None:
    """A quarter of a gigabyte of refs, in a megabyte of gzip."""
    gzip = zlib.compressobj(1, wbits=31)
    line = packet(f"{SOME} refs/heads/{'a' * 900}\n") * 1000
    parts = [
        gzip.compress(advertising(f"{SOME} HEAD\0\n")[:-4]),
        *(gzip.compress(line) for _ in range(270)),
    ]
    handler.say(200, b"".join([*parts, gzip.flush()]), Content_Encoding="gzip", **ADVERTISEMENT)


def endless(handler: GitHandler, first: bytes, piece: bytes, pause: float = 0) -> None:
    handler.send_response(200)
    kind = "result" if handler.command == "POST" else "advertisement"
    handler.send_header("Content-Type", f"application/x-git-upload-pack-{kind}")
    handler.end_headers()
    with contextlib.suppress(ConnectionError):
        handler.wfile.write(first)
        while not handler.finished.wait(pause):
            handler.wfile.write(piece)
    handler.close_connection = True


def drip(handler: GitHandler, trap: str) -> None:
    endless(handler, advertising(f"{SOME} HEAD\0\n")[:-4], b"0", pause=0.2)


def endless_pack(handler: GitHandler, trap: str) -> None:
    """Four billion objects are announced, and bytes come for as long as anyone listens."""
    if handler.command == "GET":
        handler.say(
            200,
            advertising(f"{SOME} HEAD\0side-band-64k ofs-delta\n", f"{SOME} refs/heads/main\n"),
            **ADVERTISEMENT,
        )
        return
    header = (
        b"PACK"
        + (2).to_bytes(4)
        + (2**32 - 1).to_bytes(4)
        + bytes.fromhex("bf8080808001")
        + b"\x78\x01"
    )
    stored = b"\x00\xff\xff\x00\x00" + bytes(65535)  # one stored block of zlib after the other
    first = b"0008NAK\n" + sideband(header)
    endless(
        handler,
        first,
        b"".join(sideband(stored[at : at + 60_000]) for at in range(0, len(stored), 60_000)),
    )


def sideband(data: bytes) -> bytes:
    return b"%04x\x01%s" % (len(data) + 5, data)


def dumb(handler: GitHandler, trap: str) -> None:
    """The oldest protocol, which knows other places to look for objects."""
    path = handler.path.split("?")[0]
    if path.endswith("/info/refs"):
        handler.say(200, f"{SOME}\trefs/heads/main\n".encode(), Content_Type="text/plain")
    elif path.endswith("/HEAD"):
        handler.say(200, b"ref: refs/heads/main\n")
    elif "alternates" in path:
        handler.say(200, f"{trap}/objects\n".encode())
    else:
        handler.say(404)


def lying(handler: GitHandler, trap: str) -> None:
    """A gigabyte is announced, a line is sent."""
    handler.send_response(200)
    handler.send_header("Content-Type", ADVERTISEMENT["Content_Type"])
    handler.send_header("Content-Length", str(10**9))
    handler.end_headers()
    handler.wfile.write(advertising(f"{SOME} HEAD\0\n"))
    handler.close_connection = True


def large_header(handler: GitHandler, trap: str) -> None:
    handler.say(200, b"", X_Filler="x" * 2 * MEBIBYTE, **ADVERTISEMENT)


def misbehaviour(name: str) -> Callable[[GitHandler, str], None]:
    return lambda handler, _: MISBEHAVIOURS[name](handler)


V2 = ("version 2\n", "agent=git/9\n", "ls-refs=unborn\n", "fetch=packfile-uris\n", "bundle-uri\n")
SERVERS = (
    EvilServer(
        "redirects_to_the_trap",
        says(302, Location="{trap}/x.git/info/refs"),
        "repository_redirected",
    ),
    EvilServer("redirects_for_ever", says(301, Location="{trap}/"), "repository_redirected"),
    EvilServer(
        "redirects_to_a_file", says(307, Location="file:///etc/passwd"), "repository_redirected"
    ),
    EvilServer(
        "redirects_to_a_program", says(308, Location="ext::sh -c id"), "repository_redirected"
    ),
    EvilServer(
        "asks_for_a_password",
        says(401, WWW_Authenticate='Basic realm="\x1b[2J"'),
        "repository_login_required",
    ),
    EvilServer(
        "asks_for_a_ticket", says(401, WWW_Authenticate="Negotiate"), "repository_login_required"
    ),
    EvilServer(
        "asks_for_a_proxy",
        says(407, Proxy_Authenticate='Basic realm="x"'),
        "repository_unreachable",
    ),
    EvilServer("is_never_ready", says(503, Retry_After="99999"), "repository_unreachable"),
    EvilServer("hangs", misbehaviour("hang"), "repository_too_slow", HURRIED),
    EvilServer("drips", drip, "repository_too_slow", HURRIED),
    EvilServer("floods", misbehaviour("flood"), "repository_too_large", CRAMPED),
    EvilServer("bomb_of_refs", bomb, "repository_too_large", CRAMPED),
    EvilServer("endless_pack", endless_pack, "repository_too_large", CRAMPED),
    EvilServer("lies_about_its_length", lying, "repository_unreachable", HURRIED),
    EvilServer("large_header", large_header, "repository_too_large"),
    EvilServer("lends_from_the_trap", dumb, "repository_unreachable"),
    EvilServer(
        "bundles_from_the_trap",
        advertises(
            *V2, answer=packet("bundle.version=1\n") + packet("bundle.a.uri={trap}/b\n") + b"0000"
        ),
        "repository_unreachable",
    ),
    EvilServer(
        "refs_outside",
        advertises(
            f"{SOME} HEAD\0symref=HEAD:refs/heads/../../x\n", f"{SOME} refs/heads/../../../pwned\n"
        ),
        "repository_unreachable",
    ),
    EvilServer(
        "ref_like_an_option",
        advertises(
            f"{SOME} HEAD\0symref=HEAD:refs/heads/--upload-pack=x\n",
            f"{SOME} refs/heads/--upload-pack=x\n",
        ),
        "repository_unreachable",
    ),
    EvilServer(
        "says_an_error_of_its_own",
        advertises("ERR \x1b]0;owned\x07<script>alert(1)</script>\n"),
        "repository_unreachable",
    ),
    EvilServer("speaks_a_version_to_come", advertises("version 9\n"), "repository_unreachable"),
)
