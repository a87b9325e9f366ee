"""Everything else, through Apprise: more than a hundred services, by one address each."""

from __future__ import annotations

import asyncio
import logging
from typing import Literal

from ragvigil.exporters._alert import Alert, Outcome, Severity
from ragvigil.exporters._escape import neutral, neutral_page
from ragvigil.exporters._page import page_of

INSTALL = "apprise is not installed; run: pip install 'ragvigil[apprise]'"

Kind = Literal["failure", "warning", "info", "success"]

_BODY_CHARACTERS = 100_000
"""Each service behind Apprise cuts at a length of its own, sooner than this."""

_KINDS: dict[Severity, Kind] = {
    "critical": "failure",
    "error": "failure",
    "warning": "warning",
    "info": "info",
}


_LOGGERS = ("apprise", "urllib3.connectionpool")
"""Apprise and its client log the address, which is a secret, at every level: as an error when it is misspelt, as a
warning when the service is away."""


def _never(_record: logging.LogRecord) -> bool:
    return False


class Apprise:
    """Sends the page as plain text; no service behind Apprise lets a message be edited or closed.

    >>> Apprise("json://notify.example.com/hush")
    Apprise('json')
    """

    def __init__(self, url: str, *, timeout_seconds: float = 25.0) -> None:
        """Raises ValueError when Apprise does not know the address, ImportError without Apprise."""
        self.check(url=url)
        self._url = url
        self._timeout_seconds = timeout_seconds

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when Apprise does not know the address, ImportError without Apprise; sends nothing."""
        try:
            import apprise
        except ImportError:
            raise ImportError(INSTALL) from None
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(_never)
        known = apprise.Apprise.instantiate(url)  # pyright: ignore[reportUnknownMemberType]  # partly untyped
        if known is None:
            raise ValueError(
                "url is none that Apprise can use; see the list of services in its documentation"
            )

    def __repr__(self) -> str:
        return f"Apprise({self._url.partition(':')[0]!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Deliver one alert; why it failed Apprise tells nobody but its log, kept silent here, so it is tried again.

        Where the text ends up nobody knows: it goes out without tags and links in brackets.
        """
        import apprise

        page = page_of(alert)
        service = apprise.Apprise(asset=apprise.AppriseAsset(http_redirects=False))
        service.add(self._url)  # pyright: ignore[reportUnknownMemberType]  # partly untyped
        kind: Kind = "success" if alert.action == "resolve" else _KINDS[alert.severity]
        try:
            async with asyncio.timeout(self._timeout_seconds):
                sent = await service.async_notify(
                    title=neutral(page.headline),
                    body=neutral_page(alert, limit=_BODY_CHARACTERS).partition("\n")[2],
                    notify_type=apprise.NotifyType(kind),
                    body_format=apprise.NotifyFormat.TEXT,
                )
        except TimeoutError:
            return Outcome(delivered=False, retry=True, reason="timeout")
        return Outcome(delivered=True) if sent else Outcome(delivered=False, retry=True, reason="not_sent")
