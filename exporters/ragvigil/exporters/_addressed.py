"""What channels have in common that are one address and nothing else: the address is the secret."""

from __future__ import annotations

from ragvigil.exporters._post import Post, check_address


class Addressed:
    """A channel that posts to one address; it shows nothing of it but the host."""

    def __init__(self, url: str, *, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` cannot be used, ImportError without httpx."""
        self.check(url=url)
        self._post = Post(url, timeout_seconds=timeout_seconds)

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._post.host!r})"
