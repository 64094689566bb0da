"""Calls to an address that an institution chose connect to public addresses only."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from courtroom.judges.answer_schema import object_schema
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import failure_of
from courtroom.judges.providers import ModelClients
from courtroom.judges.public_connections import PrivateAddressRefused, public_connections_only
from courtroom.models.case import BenchSettings
from courtroom.models.model_providers import OPENAI, PROVIDERS
from tests.factories.model_server import Desk, model_endpoint

PROMPT: Prompt = [("human", "Hello")]
SCHEMA = object_schema({"sum": {"type": "integer"}})
KEY_ALONE = [name for name, provider in PROVIDERS.items() if provider.key_variable]
PROXY_CHECK = """
import socket, sys
from courtroom.judges.public_connections import PrivateAddressRefused, public_connections_only
with public_connections_only():
    for host in sys.argv[2:]:
        try:
            socket.create_connection((host, int(sys.argv[1])), timeout=5).close()
            print("connected")
        except PrivateAddressRefused:
            print("refused")
"""


@pytest.fixture
def endpoint() -> Iterator[Desk]:
    with model_endpoint() as server:
        yield server


async def ask(provider: str, url: str) -> None:
    settings = BenchSettings.model_validate(
        {
            "kind": "llm",
            "provider": provider,
            "api_key": "k",
            "base_url": url,
            "uses_environment": False,
            "public_only": True,
        }
    )
    clients = ModelClients(settings)
    try:
        await clients.client_for(f"{provider}:a-model").ask(PROMPT, SCHEMA, 10)
    finally:
        await clients.close()


@pytest.mark.parametrize("provider", [OPENAI, *KEY_ALONE])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_private_address_is_refused_when_it_is_connected_to(
    endpoint: Desk, provider: str, host: str
) -> None:
    if provider != OPENAI:
        pytest.importorskip(PROVIDERS[provider].package)
    url = f"http://{host}:{endpoint.server_port}?api-version=1"
    with pytest.raises(Exception) as raised:
        asyncio.run(ask(provider, url))
    failed = failure_of(raised.value)
    assert failed.message == "The endpoint's address is on a private network."
    # Asking again would not help.
    assert (failed.kind, failed.is_transient, failed.is_worth_asking_again) == (
        "invalid",
        False,
        False,
    )
    assert (endpoint.requests, endpoint.strangers) == ([], 0)


def test_other_connections_of_the_process_are_not_refused(endpoint: Desk) -> None:
    address = ("127.0.0.1", endpoint.server_port)

    async def connect() -> list[object]:
        inside, outside = asyncio.Event(), asyncio.Event()

        async def limited() -> None:
            with public_connections_only():
                inside.set()
                await outside.wait()
                await asyncio.to_thread(socket.create_connection, address)

        async def free() -> bool:
            await inside.wait()
            (await asyncio.open_connection(*address))[1].close()
            outside.set()
            return True

        return list(await asyncio.gather(limited(), free(), return_exceptions=True))

    refused, connected = asyncio.run(connect())
    assert (type(refused), connected) == (PrivateAddressRefused, True)


def test_proxy_of_the_environment_may_be_reached_and_nothing_beside_it(endpoint: Desk) -> None:
    port = str(endpoint.server_port)
    environment = os.environ | {"HTTPS_PROXY": f"http://127.0.0.1:{port}"}
    run = subprocess.run(
        [sys.executable, "-c", PROXY_CHECK, port, "127.0.0.1", "127.0.0.2"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["connected", "refused"]
