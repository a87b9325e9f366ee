"""What can be told of an endpoint without a question: whether it is there, knows the key, and has the model."""

from __future__ import annotations

import asyncio
import json
from urllib.parse import quote

import httpx

from ragvigil.scorer.errors import nearest
from ragvigil.scorer.judge.endpoint.connections import body_of, pools_of, signed_in
from ragvigil.scorer.judge.endpoint.trouble import of_error, of_status
from ragvigil.scorer.judge.endpoint.wire import Wire, items, mapping, text

_UNAUTHORIZED, _NOT_FOUND = 401, 404
_MOST_BYTES = 2**22
_NEAREST = 3
_OWN_NAMES = (".azure.com",)
"""Hosts where a model is called by the name of its deployment, and lists have other names."""


async def look(
    wire: Wire, *, url: str, key: str | None, model: str, seconds: float, setting: str = "judge.model"
) -> str | None:
    """What an operator should check, in the words of `trouble`; None: nothing, as far as can be told.

    A model counts as missing when the server neither knows it by name nor lists it. Servers that have no such lists
    are silent, and so is this. `setting` is where the model is named.
    """
    address = httpx.URL(url)
    http = pools_of(address, seats=1, requests=1)[0].http
    headers = {**signed_in(address), **wire.headers(key), "accept": "application/json"}
    path = address.path.rstrip("/")
    try:
        async with asyncio.timeout(seconds):
            listed = address.copy_with(path=f"{path}/models")
            query = f"?{address.query.decode()}" if address.query else ""
            named = listed.copy_with(raw_path=f"{path}/models/{quote(model, safe='')}{query}".encode())
            status, _ = await _get(http, named, headers)
            if status == _UNAUTHORIZED:
                return of_status(status)
            if status != _NOT_FOUND:
                return None
            status, names = await _get(http, listed, headers)
    except (TimeoutError, httpx.HTTPError) as error:
        return of_error(error)
    finally:
        await http.aclose()
    if status >= 300 or not names or address.host.endswith(_OWN_NAMES) or _knows(names, model):
        return None
    near = ", ".join(nearest(model, names, most=_NEAREST, cutoff=0.4) or sorted(names)[:_NEAREST])
    return f"has no model {model!r} (check {setting}; it has {near})"


def _knows(names: list[str], model: str) -> bool:
    """Whether the model is among them; Ollama adds a tag to each."""
    return any(model in (name, name.partition(":")[0]) for name in names)


async def _get(
    http: httpx.AsyncBaseTransport, address: httpx.URL, headers: dict[str, str]
) -> tuple[int, list[str]]:
    """Status, and the names of the models in the answer."""
    response = await http.handle_async_request(httpx.Request("GET", address, headers=headers))
    said = await body_of(response, most_bytes=_MOST_BYTES)
    try:
        told = mapping(json.loads(said))
    except (ValueError, RecursionError):
        return response.status_code, []
    return response.status_code, [
        name for one in items(told.get("data")) if (name := text(mapping(one).get("id")))
    ]
