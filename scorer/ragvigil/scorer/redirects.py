"""Where an HTTP redirect leads, in words that may stand in a log."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit


def leads_to(place: str, location: str) -> str:
    """The address that `place` names in its Location header, without user, query and fragment: they may hold a key.

    >>> leads_to("http://a.example/v1/traces", "https://me:pw@b.example/v1/traces?key=1")
    'https://b.example/v1/traces'
    >>> leads_to("http://a.example/v1/traces", "/login?next=%2Fv1")
    'http://a.example/login'
    >>> leads_to("http://a.example/v1/traces", "http://[b")
    'what is no address'
    """
    try:
        found = urlsplit(urljoin(place, location))
    except ValueError:
        return "what is no address"
    return found._replace(query="", fragment="", netloc=found.netloc.rpartition("@")[2]).geturl()
