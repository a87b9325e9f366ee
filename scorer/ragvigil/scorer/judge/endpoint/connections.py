"""The connections to one endpoint, with as little work on each request as its kind of address allows."""

from __future__ import annotations

from base64 import b64encode
from typing import NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx

from ragvigil.scorer.judge.endpoint.plain_http import PlainHttp

_SEATS_A_POOL = 4


class Pool(NamedTuple):
    """Connections, and how many questions may be in flight over them."""

    http: httpx.AsyncBaseTransport
    seats: int


def pools_of(address: httpx.URL, *, seats: int, requests: int) -> list[Pool]:
    """Connections for `seats` questions at once, each of at most `requests` requests at once.

    One pool of our own where nothing is encrypted and no proxy is in between. Else several with few connections each:
    the work of httpx's own pool on a request grows with the square of their number. No pool follows redirects.
    """
    proxy = _proxy_of(address)
    if address.scheme == "http" and proxy is None:
        return [Pool(PlainHttp(), seats)]
    trusted = httpx.create_ssl_context()
    pools: list[Pool] = []
    for begin in range(0, seats, _SEATS_A_POOL):
        some = min(_SEATS_A_POOL, seats - begin)
        most = some * requests
        http = httpx.AsyncHTTPTransport(
            http2=address.scheme == "https",
            limits=httpx.Limits(max_connections=most, max_keepalive_connections=most),
            verify=trusted,
            proxy=proxy,
        )
        pools.append(Pool(http, some))
    return pools


async def body_of(response: httpx.Response, *, most_bytes: int) -> bytes:
    """The decoded body, of one without end about `most_bytes`; the response is closed."""
    try:
        said = bytearray()
        async for chunk in response.aiter_bytes():
            said += chunk
            if len(said) > most_bytes:
                break
    finally:
        await response.aclose()
    return bytes(said)


def signed_in(address: httpx.URL) -> dict[str, str]:
    """The header that carries user and password of an address, as a gateway in front of a model wants them.

    >>> signed_in(httpx.URL("https://me:p%40ss@gateway/v1")), signed_in(httpx.URL("https://gateway/v1"))
    ({'authorization': 'Basic bWU6cEBzcw=='}, {})
    """
    if not address.userinfo:
        return {}
    told = f"{address.username}:{address.password}".encode()
    return {"authorization": f"Basic {b64encode(told).decode()}"}


def _proxy_of(address: httpx.URL) -> str | None:
    """The proxy that the environment names for such an address."""
    proxies = getproxies()
    found = proxies.get(address.scheme) or proxies.get("all")
    if not found or proxy_bypass(address.host):
        return None
    return found if "://" in found else f"http://{found}"
