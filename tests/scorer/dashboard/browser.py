"""Asks an application as a browser would, without a network."""

from __future__ import annotations

import asyncio

import httpx
from starlette.types import ASGIApp


class Browser:
    """Gets pages, one after the other."""

    def __init__(self, application: ASGIApp, home: str = "http://127.0.0.1") -> None:
        self._application = application
        self._home = home

    def get(self, address: str, headers: dict[str, str] | None = None) -> httpx.Response:
        """The answer; an exception of the application is one here."""
        return asyncio.run(self._get(address, headers or {}))

    async def _get(self, address: str, headers: dict[str, str]) -> httpx.Response:
        transport = httpx.ASGITransport(self._application)
        async with httpx.AsyncClient(transport=transport, base_url=self._home) as client:
            return await client.get(address, headers=headers)
