"""Asks a language model over HTTP, patiently: limits, retries, and an end to every wait."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import TracebackType
from typing import NamedTuple, Self, cast

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_random_exponential

from ragvigil.scorer.judge.endpoint.connections import body_of, pools_of, signed_in
from ragvigil.scorer.judge.endpoint.manner import Manner, after_refusal, is_about, with_more_room
from ragvigil.scorer.judge.endpoint.pace import Pace, Quotas, seconds, spread
from ragvigil.scorer.judge.endpoint.port import (
    Completion,
    LaterError,
    Limits,
    Question,
    RefusedError,
    UnavailableError,
)
from ragvigil.scorer.judge.endpoint.trouble import Trouble, cut_to, of_account, of_error, of_status
from ragvigil.scorer.judge.endpoint.turns import Turns
from ragvigil.scorer.judge.endpoint.window import Window
from ragvigil.scorer.judge.endpoint.wire import Wire, items, mapping

_log = logging.getLogger(__name__)

_HOPELESS = frozenset({400, 413, 415, 422, 501})
"""Statuses with which servers answer what they cannot do, and that stay. Everything else may pass: a key is renewed
(401), credit is paid (402), a model is deployed (404), a limit is lifted (429), a server comes back (5xx)."""
_NOT_FOUND = 404
_LIMITED = 429
_MOST_BYTES = 8 * 2**20
_HEADERS = {
    "user-agent": "ragvigil",
    "accept": "application/json",
    "accept-encoding": "gzip, deflate",
    "content-type": "application/json",
}
_POISON = 10
"""Failures of one question, while others are answered, after which the question is at fault."""
_LOG_SECONDS = 60.0


class _Response(NamedTuple):
    """An answer, its body decoded."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    asked: int = 1
    """Requests that were sent for it."""


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
        self,
        wire: Wire,
        *,
        url: str,
        key: str | None,
        model: str,
        limits: Limits | None = None,
        trouble: Trouble | None = None,
        quotas: Quotas | None = None,
    ) -> None:
        """`trouble` is told what goes wrong; `quotas` are shared with all who may ask with the same key.

        Raises ValueError when `url` is no http or https address.
        """
        limits = limits or Limits()
        self._trouble = trouble or Trouble()
        address = httpx.URL(url)
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError("must look like https://host/v1")
        self._wire = wire
        self._address = address.copy_with(path=f"{address.path.rstrip('/')}/{wire.path}")
        self._model = model
        self._limits = limits
        self._manner = Manner(structure=wire.structures[0])
        self._settled = False
        server = f"{address.host}:{address.port} {address.userinfo.decode()} {address.params}"
        self._pace = Pace((quotas or Quotas()).of(server, key))
        self._window = Window()
        self._turns = Turns()
        self._jitter = wait_random_exponential(multiplier=0.5, max=30.0)
        self._logged_at = float("-inf")
        self._secrets = tuple(filter(None, (key, address.password, *address.params.values())))
        self._headers = httpx.Headers({**_HEADERS, **signed_in(address), **wire.headers(key)})
        self._waits = {"timeout": httpx.Timeout(limits.attempt_seconds).as_dict()}
        requests = 1 if limits.hedge_seconds is None else 2
        self._pools = pools_of(address, seats=limits.in_flight, requests=requests)
        self._seats = asyncio.LifoQueue[httpx.AsyncBaseTransport]()
        """Each pool once for each question that it may have in flight; the warmest is taken first."""
        for pool in self._pools:
            for _ in range(pool.seats):
                self._seats.put_nowait(pool.http)

    async def ask(self, question: Question) -> Completion:
        """What the model says; raises RefusedError, LaterError after `tries`, UnavailableError when patience ends."""
        http = await self._seats.get()
        try:
            completion = await self._patiently(http, question)
        finally:
            self._seats.put_nowait(http)
        await self._turns.take()
        return completion

    async def close(self) -> None:
        """Let go of the connections."""
        for pool in self._pools:
            await pool.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _patiently(self, http: httpx.AsyncBaseTransport, question: Question) -> Completion:
        failures = _Failures(self._pace, self._limits.tries)
        paid: list[Completion] = []
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_Again),
            wait=self._wait,
            stop=failures.enough,
            before_sleep=self._note_failure,
            reraise=True,
        )
        try:
            async with asyncio.timeout(self._limits.patience_seconds):
                return await retrying(self._attempt, http, question, paid)
        except _Again as error:
            if not failures.at_fault:
                raise LaterError(error.reason, answered=self._pace.answered, paid=paid) from None
            raise RefusedError(
                f"{error.reason}, {_POISON} times while other questions were answered", paid=paid
            ) from None
        except TimeoutError:
            raise UnavailableError(failures.last or "no answer in time", paid=paid) from None

    async def _attempt(
        self, http: httpx.AsyncBaseTransport, question: Question, paid: list[Completion]
    ) -> Completion:
        """One answer, in whichever manner the server takes; `paid` is what was answered without saying anything."""
        manner = usual = self._manner
        complaints: list[str] = []
        short: Completion | None = None
        while True:
            status, answer, asked = await self._post(http, self._wire.body(question, self._model, manner))
            if status < 300:
                completion = replace(self._wire.completion(answer), asked=self._model)
                paid += [completion] * (
                    asked - 1
                )  # who loses a hedge says no figures: it cost as much as the other
                roomier = with_more_room(manner) if completion.cut else None
                if roomier is None:
                    self._settle(replace(manner, room=usual.room) if completion.cut else manner)
                    return self._told(question, completion, paid)
                short, manner = completion, roomier
                paid.append(completion)
                continue
            if short is not None:  # the server has no more room than that
                self._settle(replace(manner, room=usual.room))
                return self._told(question, short, paid[:-1])
            complaints.append(f"{status} {_complaint(answer, self._secrets)}".strip())
            learns = not self._settled or is_about(manner, complaints[-1])
            easier = after_refusal(manner, complaints[-1], self._wire.structures) if learns else None
            if status == _NOT_FOUND and (easier is None or not self._is_of_manner(complaints[-1])):
                raise self._failed(of_status(_NOT_FOUND), blamed=False)  # a model may be deployed later
            if easier is None:
                raise RefusedError(complaints[0], paid=paid)
            manner = easier

    def _told(self, question: Question, completion: Completion, paid: Sequence[Completion]) -> Completion:
        told = replace(completion, cut_to=self._cut_to(question, completion))
        return _with_tokens_of(told, paid)

    def _cut_to(self, question: Question, completion: Completion) -> int | None:
        sent = len(question.system) + len(question.data) + sum(map(len, chain(*question.said)))
        if not self._window.cut(sent, completion.input_tokens):
            return None
        self._note(cut_to(completion.input_tokens))
        return completion.input_tokens

    def _is_of_manner(self, complaint: str) -> bool:
        """Whether a 404 is about how it was asked, as routers say it, and not about the model or the address."""
        return "support" in complaint.replace(self._model, "")

    def _settle(self, manner: Manner) -> None:
        if manner != self._manner:
            _log.info("the judge's endpoint takes %s", manner)
        self._manner, self._settled = manner, True

    async def _post(
        self, http: httpx.AsyncBaseTransport, body: Mapping[str, object]
    ) -> tuple[int, Mapping[str, object], int]:
        """Status and body of an answer that stays, and to how many requests; raises _Again for one that may pass."""
        await self._pace.turn()
        try:
            response = await self._send_hedged(http, body)
        except (TimeoutError, httpx.HTTPError) as error:
            late = isinstance(error, TimeoutError | httpx.TimeoutException)
            raise self._failed(of_error(error), blamed=late) from None
        except BaseException:
            self._pace.leave()
            raise
        answer = _json(response)
        status = response.status
        if status < 300 and answer is not None:
            self._pace.answer(response.headers)
            self._trouble.said = None
            return status, answer, response.asked
        if status == _NOT_FOUND and not self._settled:
            self._pace.leave()  # neither an answer nor yet a failure
            return status, answer or {}, response.asked
        account = of_account(status, _complaint(answer or {}, self._secrets))
        if status in _HOPELESS and account is not None:
            raise self._failed(account, blamed=False)
        if status in _HOPELESS:
            self._pace.answer(response.headers)
            return status, answer or {}, response.asked
        problem = of_status(status) if status >= 300 else "answers what is no JSON"
        wait, blamed = told_to_wait(response.headers), not 300 <= status < 500
        raise self._failed(problem, wait, blamed=blamed, limited=status == _LIMITED)

    async def _send_hedged(self, http: httpx.AsyncBaseTransport, body: Mapping[str, object]) -> _Response:
        """The first answer of two, where the first request takes too long (Dean & Barroso, CACM 56(2):74, 2013)."""
        if self._limits.hedge_seconds is None:
            return await self._send(http, body)
        sent = {asyncio.create_task(self._send(http, body))}
        try:
            done, _ = await asyncio.wait(sent, timeout=self._limits.hedge_seconds)
            if not done:
                sent.add(asyncio.create_task(self._send(http, body)))
                done, _ = await asyncio.wait(sent, return_when=asyncio.FIRST_COMPLETED)
            return (await done.pop())._replace(asked=len(sent))
        finally:
            for one in sent:
                one.cancel()
            await asyncio.gather(*sent, return_exceptions=True)

    async def _send(self, http: httpx.AsyncBaseTransport, body: Mapping[str, object]) -> _Response:
        content = json.dumps(body, ensure_ascii=True).encode()
        request = httpx.Request(
            "POST", self._address, headers=self._headers, content=content, extensions=self._waits
        )
        async with asyncio.timeout(self._limits.attempt_seconds):
            response = await http.handle_async_request(request)
            said = await body_of(response, most_bytes=_MOST_BYTES)
        return _Response(response.status_code, response.headers, said)

    def _failed(
        self, reason: str, retry_after: float | None = None, *, blamed: bool = True, limited: bool = False
    ) -> _Again:
        self._pace.fail(retry_after, limited=limited)
        self._trouble.said = f"{self._address.host} {reason}"
        return _Again(reason, retry_after, blamed=blamed)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, _Again) else None
        return spread(asked) if asked is not None else self._jitter(state)

    def _note_failure(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        self._note(f"{error}; trying again")

    def _note(self, trouble: str) -> None:
        """One line a minute, whatever fails; it never holds a key or content."""
        now = time.monotonic()
        if now - self._logged_at >= _LOG_SECONDS:
            self._logged_at = now
            _log.warning("the judge's endpoint %s: %s", self._address.host, trouble)


class _Failures:
    """Tells a question that no server takes from a server that takes no question."""

    def __init__(self, pace: Pace, tries: int | None) -> None:
        self._pace = pace
        self._tries = tries
        self._answered = pace.answered
        self._alone = 0
        self.last: str | None = None

    @property
    def at_fault(self) -> bool:
        """Whether this question failed again and again while others were answered in between."""
        return self._alone >= _POISON

    def enough(self, state: RetryCallState) -> bool:
        """Whether the question is at fault, or others should have its turn: after its tries, or while only one goes."""
        error = state.outcome.exception() if state.outcome else None
        self.last = str(error)
        if self._pace.answered > self._answered and isinstance(error, _Again) and error.blamed:
            self._alone += 1
        self._answered = self._pace.answered
        spent = self._tries is not None and (self._pace.resting or state.attempt_number >= self._tries)
        return self.at_fault or spent


def _with_tokens_of(completion: Completion, paid: Sequence[Completion]) -> Completion:
    """The completion with the tokens of those before it that brought nothing: they were paid for, too."""
    if not paid:
        return completion
    every = (*paid, completion)
    return replace(
        completion,
        input_tokens=sum(one.input_tokens or 0 for one in every),
        output_tokens=sum(one.output_tokens or 0 for one in every),
        calls=len(every),
    )


def _json(response: _Response) -> Mapping[str, object] | None:
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list):
        return {"items": cast("list[object]", value)}
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def told_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to be left alone; None when it does not say."""
    milliseconds = seconds(f"{headers.get('retry-after-ms', '').strip()}ms", now=time.time())
    return seconds(headers.get("retry-after"), now=time.time()) if milliseconds is None else milliseconds


def _complaint(answer: Mapping[str, object], secrets: Sequence[str]) -> str:
    """What a server says it does not like, cut short and without secrets: it may quote all that it was sent."""
    listed = items(answer.get("items"))
    answer = mapping(listed[0]) if listed else answer
    error = answer.get("error")
    message = mapping(error).get("message") or error or answer.get("message") or answer.get("detail") or ""
    said = str(message)
    for secret in secrets:
        said = said.replace(secret, "(the key)")
    return " ".join(said.split())[:200]
