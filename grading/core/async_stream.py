"""Listen to an asynchronous stream from ordinary code: its event loop lives in a thread of its own.

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
    """The stream's items as they come; None when `beat_seconds` passed without one.

    What the stream raises is raised here. Closing the iterator cancels what is still going on.
    """
    inbox: Inbox[Item] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    within = copy_context()  # what is logged there carries the audit's id as well
    Thread(
        target=within.run, args=(_attend, loop, stream, inbox), name=THREAD_NAME, daemon=True
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


def _attend(
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
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _cancel(loop: asyncio.AbstractEventLoop) -> None:
    def cancel_all() -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel()

    with suppress(RuntimeError):  # the loop is closed: the stream has ended
        loop.call_soon_threadsafe(cancel_all)
