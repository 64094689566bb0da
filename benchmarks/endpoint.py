"""An OpenAI-compatible endpoint that takes a fixed time for each call: `python -m
benchmarks.endpoint SECONDS`.

It prints its port, then, when its standard input closes, one JSON line of what it saw: the number
of calls, the most of them in flight at once, the characters of all prompts and of the prefix that
all of them share.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any

ROOM = 2**22


@dataclass
class Seen:
    seconds: float
    prompts: list[list[str]] = field(default_factory=list)
    now: int = 0
    most: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
                body = json.loads(await reader.readexactly(length))
                writer.write(await self.answer(body))
                await writer.drain()
                self.now -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def answer(self, body: dict[str, Any]) -> bytes:
        self.now += 1
        self.most = max(self.most, self.now)
        self.prompts.append([message["content"] for message in body["messages"]])
        await asyncio.sleep(self.seconds)
        payload = json.dumps(completion(body)).encode()
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
            % (
                len(payload),
                payload,
            )
        )

    def summary(self) -> dict[str, int]:
        whole = ["\n".join(parts) for parts in self.prompts]
        return {
            "calls": len(whole),
            "in_flight": self.most,
            "characters": sum(map(len, whole)),
            "shared": len(os.path.commonprefix(whole)) * len(whole),  # noqa: RUF071 -- characters are meant
        }


def completion(body: dict[str, Any]) -> dict[str, Any]:
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    answer = (
        opinion(schema)
        if "score" in schema
        else {k: opinion(v["properties"]) for k, v in schema.items()}
    )
    message = {"role": "assistant", "content": json.dumps(answer), "refusal": None}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1300, "completion_tokens": 150, "total_tokens": 1450},
    }


def opinion(schema: dict[str, Any]) -> dict[str, Any]:
    cited = schema["cited_evidence"]["items"].get("enum", [])[:2]
    return {"reasoning": "It holds, as the items show.", "cited_evidence": cited, "score": 4}


async def main() -> None:
    seen = Seen(float(sys.argv[1]))
    server = await asyncio.start_server(seen.serve, "127.0.0.1", 0, limit=ROOM, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(seen.summary()), flush=True)
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
