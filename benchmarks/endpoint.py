"""OpenAI-compatible endpoint with a fixed time per call: `python -m benchmarks.endpoint SECONDS`.

It prints its port. When its standard input closes, it prints one JSON line: the number of calls,
the most of them in flight at the same time, the characters of all prompts and of their shared
prefix.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any

# Bytes that a reader may buffer: a prompt is larger than asyncio's default.
READ_LIMIT = 2**22


@dataclass
class Endpoint:
    seconds: float
    prompts: list[list[str]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
                body = json.loads(await reader.readexactly(length))
                writer.write(await self.answer(body))
                await writer.drain()
                self.in_flight -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def answer(self, body: dict[str, Any]) -> bytes:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
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
        prompts = ["\n".join(parts) for parts in self.prompts]
        return {
            "calls": len(prompts),
            "in_flight": self.most_in_flight,
            "characters": sum(map(len, prompts)),
            "shared": len(os.path.commonprefix(prompts)) * len(prompts),  # noqa: RUF071 -- no paths
        }


def completion(body: dict[str, Any]) -> dict[str, Any]:
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    answer = (
        opinion(schema)
        if "score" in schema
        else {name: opinion(part["properties"]) for name, part in schema.items()}
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
    endpoint = Endpoint(float(sys.argv[1]))
    server = await asyncio.start_server(
        endpoint.serve, "127.0.0.1", 0, limit=READ_LIMIT, backlog=128
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(endpoint.summary()), flush=True)
    # Open connections would keep the server's close waiting.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
