"""Embedded Valkey: append-only when it lasts, in memory when it does not."""

import contextlib
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from auditor_site.localservices.binaries import valkey_program
from auditor_site.localservices.places import own_folder
from auditor_site.localservices.server import Server

# One for each test process, with reserve.
DATABASES = 64


def address(sockets: Path, password: str) -> str:
    """Return the REDIS_URL of a server that listens in this folder."""
    return f"unix://:{password}@{sockets}/valkey.sock?db=0"


@dataclass(frozen=True, slots=True)
class Valkey(Server):
    """Valkey, or the installed Redis."""

    name: ClassVar[str] = "valkey"

    @property
    def url(self) -> str:
        return address(self.place.sockets, self.place.password)

    @property
    def standard_input(self) -> str:
        # Neither the command line nor a file in the server's reach may show the password.
        return f"requirepass {self.place.password}\n"

    @property
    def socket(self) -> Path:
        return self.place.sockets / "valkey.sock"

    def leftovers(self) -> list[Path]:
        return [self.socket]

    def prepare(self) -> list[str]:
        data = self.place.home / "valkey"
        own_folder(data, self.place.owner)
        options = {
            "--port": "0",
            "--unixsocket": str(self.socket),
            "--unixsocketperm": "700",
            "--dir": str(data),
            "--save": "",
            "--appendonly": "no" if self.place.ephemeral else "yes",
            "--databases": str(DATABASES),
        }

        return [
            str(valkey_program(self.place)),
            "-",
            *(word for option in options.items() for word in option),
        ]

    def bring_up(self) -> bool:
        return self.answers()

    def answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.settimeout(5)
            client.connect(str(self.socket))
            client.sendall(f"AUTH {self.place.password}\r\n".encode())
            return client.recv(16).startswith(b"+OK")
        return False
