"""Which addresses mean nothing to anybody but this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Whether the address leads back to the machine that opens it; True as well when it is no address.

    >>> [is_loopback(f"http://{host}/x") for host in ("localhost:4319", "127.0.0.1", "[::1]:80", "0.0.0.0")]
    [True, True, True, True]
    >>> is_loopback("https://rag.example.com/x"), is_loopback("http://10.0.0.7/x"), is_loopback("nonsense")
    (False, False, True)
    """
    try:
        host = urlsplit(url).hostname
    except ValueError:
        return True
    if not host:
        return True
    host = host.rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any(one.is_loopback or one.is_unspecified for one in (address, mapped) if one is not None)
