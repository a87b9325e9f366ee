"""JSON over HTTP from a backend that may be slow, full, or away for a while."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence

import httpx

from ragvigil.exporters import retry_after
from ragvigil.scorer.errors import InputError

_log = logging.getLogger(__name__)

_ATTEMPTS = 8
_LONGEST_SECONDS = 300.0
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_SHOWN = 200
_UNREACHABLE = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_Params = Mapping[str, str | int | Sequence[str]]


class Fetch:
    """Asks, and asks again when another try is worth it: as long as the answer says, else longer each time.

    Where nobody has answered yet and none can be reached, it is the address that is wrong: that is said at once.
    """

    def __init__(self, client: httpx.Client, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep
        self._reached = False
        self._jitter = random.Random()  # noqa: S311 - spreads retries, keeps no secret

    def get(self, path: str, params: _Params | None = None) -> object:
        """The JSON at `path`. Raises InputError that names address, status and what the backend said."""
        return self._json("GET", path, params=params)

    def get_if_there(self, path: str, params: _Params | None = None) -> object | None:
        """Likewise; None when the backend knows no such thing."""
        return self._json("GET", path, params=params, missing=frozenset({404, 405, 501}))

    def post(self, path: str, body: object) -> object:
        """The JSON answer to a question that changes nothing. Raises InputError."""
        return self._json("POST", path, body=body)

    def _json(
        self,
        method: str,
        path: str,
        *,
        params: _Params | None = None,
        body: object = None,
        missing: frozenset[int] = frozenset(),
    ) -> object:
        place = f"{str(self._client.base_url).rstrip('/')}/{path}"
        problem = ""
        for attempt in range(_ATTEMPTS):
            try:
                answer = self._client.request(
                    method, path, params=dict(params or {}), json=body if method == "POST" else None
                )
            except httpx.TransportError as error:
                problem, wanted = str(error) or type(error).__name__, 0.0
                if not self._reached and isinstance(error, _UNREACHABLE):
                    raise InputError(
                        place, f"cannot be reached ({problem}); is the server up, and its address right?"
                    ) from None
            else:
                self._reached = True
                if answer.is_success:
                    return _parsed(answer, place)
                if answer.status_code in missing:
                    return None
                problem = f"answered {answer.status_code}: {' '.join(answer.text[:_SHOWN].split())}"
                if answer.status_code not in _LATER:
                    break
                wanted = retry_after(answer.headers.get("retry-after"), now=time.time()) or 0.0
            if attempt + 1 < _ATTEMPTS:
                seconds = min(max(wanted, self._jitter.uniform(0.5, 1.0) * 2**attempt), _LONGEST_SECONDS)
                _log.warning("%s %s; trying again in %.0f s", place, problem, seconds)
                self._sleep(seconds)
        raise InputError(place, problem)


def _parsed(answer: httpx.Response, place: str) -> object:
    try:
        parsed: object = answer.json()
    except (ValueError, RecursionError):
        raise InputError(place, "did not answer with JSON; is it the address of the server's root?") from None
    return parsed
