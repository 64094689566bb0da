"""Loopback addresses of one's own, on which every port is free."""

import secrets


def own_address() -> str:
    """Return an address of this machine that nobody else uses: there are eight million."""
    return (
        f"127.{128 + secrets.randbelow(127)}.{secrets.randbelow(256)}.{1 + secrets.randbelow(254)}"
    )
