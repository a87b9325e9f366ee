"""JSON over HTTP from a backend that may be slow, full, or away for a while."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus

import httpx

from ragvigil.exporters import retry_after
from ragvigil.scorer.errors import InputError, set_instead
from ragvigil.scorer.redirects import leads_to
from ragvigil.scorer.sources.pull.otlp import mapping

_log = logging.getLogger(__name__)

_ATTEMPTS = 8
_FIRST_ATTEMPTS = 2
"""While nothing has answered yet: one that hangs up at once may be restarting, more often it is the wrong address."""
_LONGEST_SECONDS = 300.0
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
_LOCKED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_SHOWN = 200
_UNREACHABLE = (httpx.ConnectError, httpx.ConnectTimeout, httpx.ProxyError)
_IS_IT_RIGHT = "is the server up, and its address right, http or https?"
_IS_IT_THE_ROOT = "is it the address of the server's root?"
_Params = Mapping[str, str | int | Sequence[str]]


class Fetch:
    """Asks, and asks again when another try is worth it: as long as the answer says, else longer each time.

    Where nobody has answered yet and none can be reached, it is the address that is wrong: that is said at once.
    """

    def __init__(
        self,
        client: httpx.Client,
        *,
        keys: Sequence[str] = (),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`keys` are the environment's variables that let in, named where the backend does not."""
        self._client = client
        self._keys = keys
        self._sleep = sleep
        self._reached = False
        self._jitter = random.Random()  # noqa: S311 - spreads retries, keeps no secret

    @property
    def address(self) -> str:
        """The root of the backend."""
        return str(self._client.base_url).rstrip("/")

    def get(self, path: str, params: _Params | None = None, *, holds: str | None = None) -> dict[str, object]:
        """The JSON object at `path`, with a list called `holds` in it.

        Raises InputError that names address, status and what the backend said.
        """
        return self._object(path, self._json("GET", path, params=params), holds)

    def get_if_there(
        self,
        path: str,
        params: _Params | None = None,
        *,
        holds: str | None = None,
        also: frozenset[int] = frozenset(),
    ) -> dict[str, object] | None:
        """Likewise; None when the backend knows no such thing, which it may say with `also` these statuses."""
        found = self._json("GET", path, params=params, missing=frozenset({404, 405, 501}) | also)
        return None if found is None else self._object(path, found, holds)

    def post(self, path: str, body: object) -> dict[str, object]:
        """The JSON object that answers a question, which changes nothing. Raises InputError."""
        return self._object(path, self._json("POST", path, body=body), None)

    def _object(self, path: str, answer: object, holds: str | None) -> dict[str, object]:
        """Another server's answer may be JSON, too: it must not look like a week without traffic."""
        found = mapping(answer)
        if not isinstance(answer, dict) or (holds is not None and not isinstance(found.get(holds), list)):
            wanted = f"a list {holds!r}" if holds else "an object"
            raise InputError(f"{self.address}/{path}", f"answered JSON without {wanted}; {_IS_IT_THE_ROOT}")
        return found

    def _json(
        self,
        method: str,
        path: str,
        *,
        params: _Params | None = None,
        body: object = None,
        missing: frozenset[int] = frozenset(),
    ) -> object | None:
        """What was answered; None for a status in `missing`. Raises InputError."""
        place = f"{self.address}/{path}"
        problem = ""
        for attempt in range(_ATTEMPTS):
            try:
                answer = self._client.request(
                    method, path, params=dict(params or {}), json=body if method == "POST" else None
                )
            except httpx.RequestError as error:
                problem, wanted = (str(error) or type(error).__name__).rstrip("."), 0.0
                self._give_up_early(place, error, problem, attempt)
            else:
                self._reached = True
                if answer.is_success:
                    return _parsed(answer, place)
                if answer.status_code in missing:
                    return None
                problem = _refusal(answer, place, path) + self._locked_out(answer.status_code)
                if answer.status_code not in _LATER:
                    break
                wanted = retry_after(answer.headers.get("retry-after"), now=time.time()) or 0.0
            if attempt + 1 < _ATTEMPTS:
                seconds = min(max(wanted, self._jitter.uniform(0.5, 1.0) * 2**attempt), _LONGEST_SECONDS)
                _log.warning("%s: %s; trying again in %.0f s", place, problem, seconds)
                self._sleep(seconds)
        raise InputError(place, problem)

    def _give_up_early(self, place: str, error: httpx.RequestError, problem: str, attempt: int) -> None:
        """Raise InputError where nothing has answered yet, and another try is of no use."""
        if self._reached:
            return
        if isinstance(error, _UNREACHABLE):
            raise InputError(place, f"cannot be reached ({problem}); {_IS_IT_RIGHT}") from None
        if attempt + 1 >= _FIRST_ATTEMPTS:
            raise InputError(place, f"does not answer ({problem}); {_IS_IT_RIGHT}") from None

    def _locked_out(self, status: int) -> str:
        """What to do where the key is wrong or missing."""
        if status not in _LOCKED or not self._keys:
            return ""
        unset = [name for name in self._keys if name not in os.environ]
        hint = next(filter(None, (set_instead(name, os.environ) for name in unset)), None)
        return f"; {hint}" if hint else f"; keys come from the environment: {', '.join(self._keys)}"


def _refusal(answer: httpx.Response, place: str, path: str) -> str:
    """What an answer that is no success says."""
    said = " ".join(answer.text[:_SHOWN].split())
    problem = f"answered {answer.status_code}" + (f": {said}" if said else "")
    leads = answer.headers.get("location")
    if not answer.is_redirect or not leads:
        missing = answer.status_code == HTTPStatus.NOT_FOUND
        return problem + ("; is it the address of the server's root, and --project right?" if missing else "")
    return f"answered {answer.status_code} and {_redirected(place, path, leads)}"


def _redirected(place: str, path: str, leads: str) -> str:
    """Where a redirect leads, and what to do; without its query, which may hold a key.

    >>> _redirected("http://a.example/v1/spans", "v1/spans", "https://a.example/v1/spans?cursor=1")
    'leads to https://a.example/v1/spans; say --url https://a.example'
    >>> _redirected("http://a.example/v1/spans", "v1/spans", "/login?next=%2Fv1%2Fspans")
    'leads to http://a.example/login; does it ask to log in? Keys come from the environment'
    """
    target = leads_to(place, leads)
    if target.endswith(f"/{path}"):
        return f"leads to {target}; say --url {target.removesuffix(f'/{path}')}"
    return f"leads to {target}; does it ask to log in? Keys come from the environment"


def _parsed(answer: httpx.Response, place: str) -> object:
    try:
        parsed: object = answer.json()
    except (ValueError, RecursionError):
        kind = answer.headers.get("content-type", "nothing").partition(";")[0].strip()
        raise InputError(place, f"did not answer with JSON, but with {kind}; {_IS_IT_THE_ROOT}") from None
    return parsed
