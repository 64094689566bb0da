"""A TCP port that leads to a unix socket, for programs that may not open the socket themselves."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CHUNK = 65536


@contextmanager
def forwarded(target: Path, address: str, port: int) -> Iterator[None]:
    """Pass bytes between the port and the socket during the block."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as server:
                server.connect(str(target))
                back = threading.Thread(target=_copy, args=(server, self.request), daemon=True)
                back.start()
                _copy(self.request, server)
                back.join()

    with socketserver.ThreadingTCPServer((address, port), Handler) as forwarder:
        forwarder.daemon_threads = True
        # Its connections may still be open: nobody waits for them.
        forwarder.block_on_close = False
        thread = threading.Thread(target=forwarder.serve_forever, args=(0.05,))
        thread.start()
        yield
        forwarder.shutdown()
        thread.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
