"""Time of the running event loop, moved forward instead of waited for."""

import asyncio


def advance(seconds: float) -> None:
    """Let everything that waits on the running loop's clock be `seconds` later."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + seconds  # type: ignore[method-assign]
