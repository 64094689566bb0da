"""A mail server on loopback that speaks SMTP, keeps what it is given and refuses what a test tells
it to.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

HANG_UP = ""


class MailServer(ThreadingTCPServer):
    """`answers` are given to the next letters in place of 250, one each; HANG_UP closes the
    connection instead.

    A `victim` is a process to kill when a letter has been taken, before it is told so.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        super().__init__(address, _Session)
        self.letters: list[EmailMessage] = []
        self.answers: list[str] = []
        self.refused: dict[str, str] = {}
        self.victim: int | None = None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def recipients(self) -> list[str]:
        return [str(letter["To"]) for letter in self.letters]


class _Session(StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 loopback")
        while line := self.rfile.readline().strip().decode():
            answer = self._answer(line)
            if answer == HANG_UP:
                return
            self._say(answer)

    def _answer(self, line: str) -> str:
        verb = line.partition(" ")[0].upper()
        if verb == "RCPT":
            address = line.partition("<")[2].partition(">")[0]
            return self.server.refused.get(address, "250 it exists")
        if verb == "DATA":
            self._say("354 go on")
            return self._taken(self._text())

        return {"QUIT": HANG_UP, "EHLO": "250 loopback"}.get(verb, "250 done")

    def _text(self) -> bytes:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        return b"".join(lines)

    def _taken(self, text: bytes) -> str:
        answer = self.server.answers.pop(0) if self.server.answers else "250 taken"
        if answer.startswith("250"):
            self.server.letters.append(message_from_bytes(text, policy=policy.default))
        if self.server.victim is not None:
            os.kill(self.server.victim, signal.SIGKILL)
            return HANG_UP
        return answer

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def serve_mail() -> Iterator[MailServer]:
    with MailServer() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
