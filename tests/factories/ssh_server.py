"""A server of git over ssh on loopback, for keys that a test names; OpenSSH's own client talks to it."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh

from tests.factories.repositories import ENVIRONMENT


@dataclass
class SshServer:
    """`host_key` and the `allowed` keys of clients are public halves as `type base64`.

    `commands` were run for them.
    """

    port: int
    host_key: str
    allowed: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    def url(self, path: str) -> str:
        return f"ssh://git@127.0.0.1:{self.port}/{path}"


def new_host_key() -> Any:
    return asyncssh.generate_private_key("ssh-ed25519")


def new_pair() -> tuple[str, str]:
    """Return a private key in OpenSSH's format, and its public half as `type base64`."""
    key = new_host_key()
    return key.export_private_key().decode(), public_half(key)


def public_half(key: Any) -> str:
    """Return `type base64` of a key."""
    words: str = key.export_public_key().decode().strip()
    return " ".join(words.split()[:2])


@contextmanager
def serve_ssh(root: Path, *, host_key: Any = None, port: int = 0) -> Iterator[SshServer]:
    """Serve the repositories under `root` by `git upload-pack` while the block runs."""
    key = host_key or new_host_key()
    served = SshServer(port=0, host_key=public_half(key))

    class Door(asyncssh.SSHServer):
        def public_key_auth_supported(self) -> bool:
            return True

        def validate_public_key(self, username: str, key: Any) -> bool:
            return username == "git" and public_half(key) in served.allowed

    async def run(process: Any) -> None:
        served.commands.append(process.command)
        program, path = shlex.split(process.command)
        assert program == "git-upload-pack"
        git = await asyncio.create_subprocess_exec(
            "git",
            "upload-pack",
            str(root / path.strip("/")),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=ENVIRONMENT,
        )
        await process.redirect(stdin=git.stdin, stdout=git.stdout, stderr=git.stderr)
        process.exit(await git.wait())

    loop = asyncio.new_event_loop()
    listening = threading.Event()

    async def listen() -> Any:
        return await asyncssh.listen(
            "127.0.0.1",
            port,
            server_factory=Door,
            server_host_keys=[key],
            process_factory=run,
            encoding=None,
        )

    def serve() -> None:
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(listen())
        served.port = server.get_port()
        listening.set()
        loop.run_forever()
        server.close()
        loop.run_until_complete(server.wait_closed())
        rest = asyncio.all_tasks(loop)
        for task in rest:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
        loop.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    listening.wait(30)
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(30)
