"""Which addresses lead back to the machine that opens them, however they are written."""

from __future__ import annotations

import pytest

from ragvigil.exporters import is_loopback


@pytest.mark.parametrize(
    "host",
    [
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "0", "0x0", "127.9.9.9",
        "localhost.localdomain", "LOCALHOST.", "rag.localhost", "localhost6", "[::ffff:127.0.0.1]", "[::]",
    ],
)  # fmt: skip
def test_every_way_to_write_this_machine_is_known(host: str) -> None:
    """Browsers and resolvers take the short, the decimal, the octal and the hexadecimal forms."""
    assert is_loopback(f"http://{host}:4319/x")


@pytest.mark.parametrize(
    "host", ["10.1", "167772161", "0x0a000001", "example.com", "127.example.com", "0x7f.example.com", "[2001:db8::1]"]
)  # fmt: skip
def test_other_machines_are_others(host: str) -> None:
    """Private ones, too: whoever is paged may be in that network."""
    assert not is_loopback(f"http://{host}/x")
