"""Asks a language model over HTTP, patiently: limits, retries, and an end to every wait."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, cast

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from ragvigil.scorer.judge.endpoint.manner import Manner, after_refusal, with_more_room
from ragvigil.scorer.judge.endpoint.pace import Pace, seconds
from ragvigil.scorer.judge.endpoint.port import Completion, Question, RefusedError, UnavailableError
from ragvigil.scorer.judge.endpoint.wire import Wire, mapping

_log = logging.getLogger(__name__)

_MANNER_REFUSED = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers answer what they cannot do."""
_HOPELESS = frozenset({400, 413, 415, 422, 501})
"""Statuses that stay, whenever the same question is asked again. Everything else may pass: a key is renewed (401),
credit is paid (402), a model is deployed (404), a limit is lifted (429), a server comes back (5xx)."""
_MOST_BYTES = 8 * 2**20
_POISON = 10
"""Failures of one question, while others are answered, after which the question is at fault."""
_LOG_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take."""

    in_flight: int = 8
    attempt_seconds: float = 60.0
    patience_seconds: float | None = None
    """How long an endpoint that does not answer is waited for; None: for ever."""


class _Again(Exception):  # noqa: N818 - not an error to anybody but the retry below
    """An attempt that may succeed later."""

    def __init__(self, reason: str, retry_after: float | None = None, *, blamed: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.blamed = blamed
        """Whether the question itself may be the cause."""


class Client:
    """One model at one address."""

    def __init__(
        self, wire: Wire, *, url: str, key: str | None, model: str, limits: Limits = Limits()
    ) -> None:
        """Raises ValueError when `url` is no http or https address."""
        address = httpx.URL(url)
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError("must look like https://host/v1")
        self._wire = wire
        self._address = address.copy_with(path=f"{address.path.rstrip('/')}/{wire.path}")
        self._model = model
        self._limits = limits
        self._manner = Manner()
        self._settled = False
        self._pace = Pace()
        self._seats = asyncio.Semaphore(limits.in_flight)
        self._jitter = wait_random_exponential(multiplier=0.5, max=30.0)
        self._logged_at = float("-inf")
        self._http = httpx.AsyncClient(
            http2=address.scheme == "https",
            headers={"user-agent": "ragvigil", **wire.headers(key)},
            timeout=limits.attempt_seconds,
            limits=httpx.Limits(max_connections=limits.in_flight, max_keepalive_connections=limits.in_flight),
            follow_redirects=False,
        )

    async def ask(self, question: Question) -> Completion:
        """What the model says; raises RefusedError, and UnavailableError when patience ends."""
        async with self._seats:
            failures = _Failures(self._pace)
            retrying = AsyncRetrying(
                retry=retry_if_exception_type(_Again),
                wait=self._wait,
                stop=failures.hopeless,
                before_sleep=self._note,
                reraise=True,
            )
            try:
                async with asyncio.timeout(self._limits.patience_seconds):
                    return await retrying(self._attempt, question)
            except _Again as error:
                raise RefusedError(
                    f"{error.reason}, {_POISON} times while other questions were answered"
                ) from None
            except TimeoutError:
                raise UnavailableError(failures.last or "no answer in time") from None

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _attempt(self, question: Question) -> Completion:
        """One answer, in whichever manner the server takes."""
        manner = self._manner
        complaints: list[str] = []
        while True:
            status, answer = await self._post(self._wire.body(question, self._model, manner))
            if status < 300:
                completion = self._wire.completion(answer)
                roomier = with_more_room(manner) if completion.cut and not completion.text.strip() else None
                if roomier is None:
                    self._settle(manner)
                    return completion
                manner = roomier
                continue
            complaints.append(f"{status} {_complaint(answer)}".strip())
            easier = after_refusal(manner, complaints[-1]) if not self._settled else None
            if easier is None:
                raise RefusedError(complaints[0])
            manner = easier

    def _settle(self, manner: Manner) -> None:
        if manner != self._manner:
            _log.info("the judge's endpoint takes %s", manner)
        self._manner, self._settled = manner, True

    async def _post(self, body: Mapping[str, object]) -> tuple[int, Mapping[str, object]]:
        """Status and body of an answer that stays; raises _Again for one that may pass."""
        await self._pace.turn()
        try:
            response = await self._send(body)
        except (TimeoutError, httpx.TimeoutException):
            raise self._failed("no answer in time") from None
        except httpx.HTTPError as error:
            raise self._failed(f"unreachable ({type(error).__name__})", blamed=False) from None
        except BaseException:
            self._pace.leave()
            raise
        answer = _json(response)
        status = response.status_code
        if status < 300 and answer is not None:
            self._pace.answer(response.headers)
            return status, answer
        if status in _HOPELESS or (status in _MANNER_REFUSED and not self._settled):
            self._pace.answer(response.headers)
            return status, answer or {}
        problem = f"answers {status}" if status >= 300 else "answers what is no JSON"
        raise self._failed(problem, _retry_after(response.headers), blamed=not 300 <= status < 500)

    async def _send(self, body: Mapping[str, object]) -> httpx.Response:
        content = json.dumps(body, ensure_ascii=True).encode()
        request = self._http.build_request(
            "POST", self._address, content=content, headers={"content-type": "application/json"}
        )
        async with asyncio.timeout(self._limits.attempt_seconds):
            response = await self._http.send(request, stream=True)
            try:
                said = bytearray()
                async for chunk in response.aiter_bytes():
                    said += chunk
                    if len(said) > _MOST_BYTES:
                        break
            finally:
                await response.aclose()
        return httpx.Response(response.status_code, headers=_plain(response.headers), content=bytes(said))

    def _failed(self, reason: str, retry_after: float | None = None, *, blamed: bool = True) -> _Again:
        self._pace.fail(retry_after)
        return _Again(reason, retry_after, blamed=blamed)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, _Again) else None
        return asked if asked is not None else self._jitter(state)

    def _note(self, state: RetryCallState) -> None:
        """One line a minute, whatever fails; it never holds a key or content."""
        now = time.monotonic()
        if now - self._logged_at >= _LOG_SECONDS:
            self._logged_at = now
            error = state.outcome.exception() if state.outcome else None
            _log.warning("the judge's endpoint %s: %s; trying again", self._address.host, error)


class _Failures:
    """Tells a question that no server takes from a server that takes no question."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._answered = pace.answered
        self._alone = 0
        self.last: str | None = None

    def hopeless(self, state: RetryCallState) -> bool:
        """Whether this question failed again and again while others were answered in between."""
        error = state.outcome.exception() if state.outcome else None
        self.last = str(error)
        if self._pace.answered > self._answered and isinstance(error, _Again) and error.blamed:
            self._alone += 1
        self._answered = self._pace.answered
        return self._alone >= _POISON


def _json(response: httpx.Response) -> Mapping[str, object] | None:
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def _plain(headers: httpx.Headers) -> httpx.Headers:
    """Headers of a body that is decoded already."""
    kept = headers.copy()
    for name in ("content-encoding", "content-length", "transfer-encoding"):
        kept.pop(name, None)
    return kept


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = seconds(headers.get("retry-after-ms"), now=time.time())
    return (
        milliseconds / 1000
        if milliseconds is not None
        else seconds(headers.get("retry-after"), now=time.time())
    )


def _complaint(answer: Mapping[str, object]) -> str:
    """What a server says it does not like, cut short: it may quote the question."""
    error = answer.get("error")
    said = mapping(error).get("message") or error or answer.get("message") or answer.get("detail") or ""
    return " ".join(str(said).split())[:200]
