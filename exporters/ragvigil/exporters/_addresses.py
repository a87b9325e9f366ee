"""Which addresses can be asked over HTTP, and which mean nothing to anybody but this machine."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import urlsplit

_PLAIN = re.compile(r"https?://[^\s<>|\"`\\\x00-\x1f\x7f-\x9f\ud800-\udfff]+", re.IGNORECASE)
"""An address that ends no link of any markup before its own end."""

_OWN_NAMES = frozenset({"localhost", "localhost.localdomain", "localhost6", "localhost6.localdomain6"})
"""What machines call themselves in their own hosts file."""


def is_address(url: str) -> bool:
    """Whether something could be asked there over HTTP: it has a host, and port 0 is none.

    >>> [is_address(f"http{rest}") for rest in ("s://host/x", "://host:8080", "://host:0", "://host:99999", "://", "")]
    [True, True, False, False, False, False]
    """
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


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
    if host in _OWN_NAMES or host.endswith(".localhost"):
        return True
    address = _numbered(host)
    if address is None:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return any(one.is_loopback or one.is_unspecified for one in (address, mapped) if one is not None)


def _numbered(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a host says in figures, in any of the forms that browsers and resolvers take; else None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))  # 127.1, 2130706433, 0x7f000001
    except OSError:
        return None


def shareable(url: str | None, *, limit: int = 2_000_000) -> str | None:
    """The address if somebody elsewhere can open it: http or https, not loopback, at most `limit` characters.

    >>> shareable("https://rag.example.com/x")
    'https://rag.example.com/x'
    >>> [shareable(url) for url in (None, "http://localhost/x", "javascript:alert(1)", "https://a b/", "https://a/|x>")]
    [None, None, None, None, None]
    """
    if url is None or len(url) > limit or not _PLAIN.fullmatch(url) or is_loopback(url):
        return None
    return url
