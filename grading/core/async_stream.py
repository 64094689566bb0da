"""Reading of an asynchronous stream from synchronous code, with an event loop in its own thread.

Django's ORM refuses to work inside an event loop; here the caller may use it between two items.
"""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

Item = TypeVar("Item")
Inbox = queue.SimpleQueue[Item | BaseException | None]
THREAD_NAME = "listening"


def listen(
    stream: Callable[[], AsyncIterator[Item]], *, beat_seconds: float
) -> Iterator[Item | None]:
    """Yield the stream's items as they come, and None after `beat_seconds` without one.

    Exceptions of the stream are raised here. Closing the iterator cancels the stream.
    """
    inbox: Inbox[Item] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    # Logs in the thread carry the audit's id, too.
    within = copy_context()
    # A daemon: a stream that ignores its cancellation must not keep the process alive.
    Thread(
        target=within.run, args=(_run_stream, loop, stream, inbox), name=THREAD_NAME, daemon=True
    ).start()
    try:
        while True:
            try:
                item = inbox.get(timeout=beat_seconds)
            except queue.Empty:
                yield None
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        _cancel(loop)


def _run_stream(
    loop: asyncio.AbstractEventLoop, stream: Callable[[], AsyncIterator[Item]], inbox: Inbox[Item]
) -> None:
    async def forward() -> None:
        async for item in stream():
            inbox.put(item)

    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(forward())
        inbox.put(None)
    except BaseException as error:  # noqa: BLE001 -- raised again in the thread that listens
        inbox.put(error)
    finally:
        # Generators that were cut off run their `finally` blocks here.
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _cancel(loop: asyncio.AbstractEventLoop) -> None:
    def cancel_all() -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel()

    # RuntimeError: the loop is closed, since the stream has ended.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(cancel_all)
