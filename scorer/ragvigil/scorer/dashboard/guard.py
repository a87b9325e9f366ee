"""Who may see the pages, and what a browser may do with them."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragvigil.exporters import is_loopback
from ragvigil.scorer.token import shows

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""No script runs, nothing is loaded from elsewhere, nobody frames a page, and nothing of it stays in a cache: what
the pages show was written by users, documents and models."""
_OPEN = ("/healthz",)


class Guard:
    """Before an application: asks for the token where there is one, else answers only by names of this machine.

    Without the second a page of somebody else's could make a browser on this machine read ours, by a name of its own
    that leads to 127.0.0.1 (DNS rebinding).
    """

    def __init__(self, app: ASGIApp, token: str | None, names: Collection[str] = ()) -> None:
        """`names`: hosts beside this machine's own by which the pages are reached without a token."""
        self._app = app
        self._token = token
        self._names = frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request in, or say why not."""

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = None if scope["path"] in _OPEN else self._refusal(Headers(scope=scope))
        await (self._app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if self._token is not None:
            if shows(headers.get("authorization"), self._token):
                return None
            return PlainTextResponse(
                "The pages want a password: the one in dashboard.token, with any user name.\n",
                status_code=401,
                headers={"www-authenticate": 'Basic realm="ragvigil", charset="UTF-8"'},
            )
        host = headers.get("host", "")
        name = _name(host)
        if name is not None and (name in self._names or is_loopback(f"http://{host}")):
            return None
        return PlainTextResponse(
            "Without dashboard.token the pages answer only at 127.0.0.1, localhost and the host of "
            "links.public_url.\n",
            status_code=421,
        )


def _name(host: str) -> str | None:
    """The name in a Host header, without its port; None where there is none."""
    try:
        return urlsplit(f"http://{host}").hostname
    except ValueError:
        return None
