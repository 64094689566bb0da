"""OpenAI-compatible endpoint with a fixed time per call: `python -m benchmarks.endpoint SECONDS`.

Its judges ask for places wherever they may, and cite the first exhibit. It bills what a prompt
shares with one that was answered before as cached. It prints its port. When its standard input
closes, it prints one JSON line: the number of calls, the most of them in flight at the same time,
and the characters of all prompts.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from dataclasses import dataclass, field
from typing import Any

# Of o200k_base on the prompts of 15 real submissions: 3.96 to 4.24; on an answer 5.
CHARACTERS_PER_TOKEN, ANSWER_CHARACTERS_PER_TOKEN = 3.96, 5
# Shorter prefixes are not cached; longer ones in steps (OpenAI).
LEAST_CACHED, CACHED_STEP = 1024, 128
# As long as our rules allow: 120 words.
REASONING = " ".join(["The state carries reducers on every key that parallel nodes write"] * 12)
# Bytes that a reader may buffer: a prompt is larger than asyncio's default.
READ_LIMIT = 2**22


@dataclass
class Endpoint:
    seconds: float
    prompts: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
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
        prompt = "\n".join(message["content"] for message in body["messages"])
        self.prompts.append(prompt)
        # A prefix can be read from the cache once its first prompt was processed.
        shared = max((_shared(prompt, earlier) for earlier in self.answered), default=0)
        await asyncio.sleep(self.seconds)
        self.answered.append(prompt)
        payload = json.dumps(completion(body, prompt, shared)).encode()
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
            % (
                len(payload),
                payload,
            )
        )

    def summary(self) -> dict[str, int]:
        return {
            "calls": len(self.prompts),
            "in_flight": self.most_in_flight,
            "characters": sum(map(len, self.prompts)),
        }


def _shared(prompt: str, earlier: str) -> int:
    return len(os.path.commonprefix([prompt, earlier]))  # noqa: RUF071 -- no paths


def completion(body: dict[str, Any], prompt: str, shared: int) -> dict[str, Any]:
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    answer: dict[str, Any]
    if "passages" in schema:
        # The screening of the prose names nothing.
        answer = {"passages": []}
    elif "score" in schema:
        answer = opinion(schema, prompt)
    else:
        # Each criterion is answered from its own message.
        answer = {
            name: opinion(part["properties"], prompt.partition(f"# Criterion {name}:")[2])
            for name, part in schema.items()
        }
    content = json.dumps(answer)
    message = {"role": "assistant", "content": content, "refusal": None}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage(prompt, shared, content),
    }


def usage(prompt: str, shared: int, content: str) -> dict[str, Any]:
    tokens = round(len(prompt) / CHARACTERS_PER_TOKEN)
    answer_tokens = round(len(content) / ANSWER_CHARACTERS_PER_TOKEN)
    prefix = int(shared / CHARACTERS_PER_TOKEN)
    cached = prefix // CACHED_STEP * CACHED_STEP if prefix >= LEAST_CACHED else 0
    return {
        "prompt_tokens": tokens,
        "completion_tokens": answer_tokens,
        "total_tokens": tokens + answer_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def opinion(schema: dict[str, Any], prompt: str) -> dict[str, Any]:
    """Return an opinion on the first exhibit, or ask for the first three files where it may."""
    if "ask" in schema:
        files = re.findall(r"^(f\d+) ", prompt, re.MULTILINE)[:3]
        places = [f"{name}:1-400" for name in files] or ["main"]
        return {
            "reasoning": "More lines decide.",
            "cited_evidence": [],
            "score": None,
            "ask": places,
        }
    names = re.findall(r"^## (\S+)", prompt, re.MULTILINE)
    items = re.findall(r"\bE-[0-9a-f]{4}\b", prompt.partition("<<<")[2])
    return {"reasoning": REASONING, "cited_evidence": [*names[:2], *items[:2]], "score": 4}


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
