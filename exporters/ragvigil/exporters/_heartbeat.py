"""A dead man's switch: somebody else pages when it is not pressed."""

from __future__ import annotations

from ragvigil.exporters._alert import Outcome
from ragvigil.exporters._post import Post, check_address


class Heartbeat:
    """POSTs an empty JSON object to an address that expects it now and then.

    >>> Heartbeat("https://hc-ping.com/hush")
    Heartbeat('hc-ping.com')
    """

    def __init__(self, url: str, *, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` is no http or https address, ImportError without httpx."""
        check_address(url)
        self._post = Post(url, timeout_seconds=timeout_seconds)

    def __repr__(self) -> str:
        return f"Heartbeat({self._post.host!r})"

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)

    async def beat(self) -> Outcome:
        """Say once that we live."""
        return await self._post.send(b"{}", {}, hopeless=frozenset())
