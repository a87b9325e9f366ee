"""OTLP over HTTP as an ASGI application: protobuf and JSON, compressed or not, answered in the request's encoding."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import get_args

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.metrics.scrape import Scrape
from ragvigil.scorer.receive.acknowledged import Acknowledgements
from ragvigil.scorer.receive.answers import CONTENT_TYPES, accepted, encoded
from ragvigil.scorer.receive.compression import ACCEPTED, coding_of, decompressed
from ragvigil.scorer.receive.decode import LOGS, SPANS, Encoding, Signal
from ragvigil.scorer.receive.forward import VIA
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Held
from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.receive.senders import Sender

logger = logging.getLogger(__name__)

PATHS = ("/v1/traces", "/v1/logs", "/v1/metrics", "/api/public/otel/v1/traces", "/v1/feedback", "/v1/changes")
"""Where OTLP may be posted, the fourth being where Langfuse's SDK posts; and plain JSON about answers and deploys."""

_MOST_TOLD_BYTES = 2**20
_MOST_SIGNED_BYTES = 2**18

_Endpoint = Callable[[Request], Awaitable[Response]]


def application(
    intake: Intake,
    health: Callable[[], Mapping[str, object]],
    acknowledgements: Acknowledgements | None = None,
    scrape: Scrape | None = None,
) -> Starlette:
    """The ASGI application; `health` is what /healthz shows, `scrape` what /metrics (None: not served)."""

    async def healthz(request: Request) -> Response:
        del request
        return JSONResponse(health())

    traces = partial(_export, intake, SPANS)
    endpoints: dict[str, _Endpoint] = {
        "/v1/traces": traces,
        "/v1/logs": partial(_export, intake, LOGS),
        "/v1/metrics": partial(_discard, intake),
        "/api/public/otel/v1/traces": traces,
        "/v1/feedback": partial(_tell, intake),
        "/v1/changes": partial(_tell, intake),
    }
    routes = [
        Route(spelt, partial(_answer, intake, endpoint), methods=["POST"])
        for path, endpoint in endpoints.items()
        for spelt in (path, f"{path}/")
    ]
    if acknowledgements is not None:
        for sender in get_args(Sender):
            heard = partial(_acknowledge, intake, acknowledgements, sender)
            routes.append(
                Route(
                    f"/v1/acknowledge/{sender}",
                    partial(_answer, intake, heard, signed=True),
                    methods=["POST"],
                )
            )
    if scrape is not None:
        routes.append(Route("/metrics", partial(_answer, intake, partial(_scraped, intake, scrape))))
    app = Starlette(
        routes=[*routes, Route("/healthz", healthz)],
        exception_handlers={HTTPException: partial(_not_found, intake)},
    )
    # A redirect would come before the token and the counters, and exporters do not follow one.
    app.router.redirect_slashes = False
    return app


def no_request(intake: Intake) -> bytes:
    """The JSON for bytes that are no HTTP request; counts them."""
    refusal = Refusal.malformed(
        "this is not an HTTP/1.1 request; check Content-Length, chunk sizes and headers"
    )
    intake.refused(refusal)
    return encoded(refusal.status(), "json")


async def _answer(intake: Intake, endpoint: _Endpoint, request: Request, *, signed: bool = False) -> Response:
    """Whatever happens is an answer, and never a 500: senders do not retry those.

    What is `signed` needs no token: the service that sends it has none.
    """
    try:
        if not signed:
            intake.admit(request.headers.get("authorization"), request.headers.get(VIA))
        return await endpoint(request)
    except Refusal as refusal:
        return _refused(intake, refusal, request)
    except ClientDisconnect:
        intake.counters.refused["disconnected"] += 1
        return Response(status_code=400)
    except Exception:
        logger.exception("a request to %s failed unexpectedly", request.url.path)
        return _refused(intake, Refusal.unexpected(intake.limits.retry_seconds), request)


async def _export(intake: Intake, signal: Signal, request: Request) -> Response:
    encoding = _encoding(request)
    coding = coding_of(request.headers.get("content-encoding", ""))
    intake.counters.requests[f"http {signal.kind}"] += 1
    with intake.hold() as held:
        body = await _body(request, intake, held)
        decoded = await intake.take(
            body, signal=signal, encoding=encoding, coding=coding, held=held, headers=request.headers
        )
    content = encoded(accepted(decoded, signal), encoding)
    return Response(content, media_type=CONTENT_TYPES[encoding])


async def _tell(intake: Intake, request: Request) -> Response:
    """Plain JSON: a browser's form cannot send that content type, so no page can post here behind a person's back."""
    if _media_type(request) != CONTENT_TYPES["json"]:
        raise Refusal(Reason.UNSUPPORTED, "send Content-Type: application/json")
    coding = coding_of(request.headers.get("content-encoding", ""))
    what = request.url.path.rstrip("/").rpartition("/")[2]
    intake.counters.requests[f"http {what}"] += 1
    limit = min(_MOST_TOLD_BYTES, intake.limits.max_body_bytes)
    with intake.hold() as held:
        try:
            body = await _body(request, intake, held, limit)
            plain = decompressed(body, coding, limit=limit, grow=held.grow) if coding else body
        except Refusal as refusal:
            if refusal.reason is not Reason.TOO_LARGE:
                raise
            raise Refusal.too_large("the body", limit, "send fewer items at once") from None
        intake.counters.bytes += len(plain)
        rows = await asyncio.to_thread(_told, plain, what, intake.now())
        await intake.tell(rows, what)
    return JSONResponse({"accepted": len(rows)})


def _told(body: bytes, what: str, received_at: int) -> list[Arrival]:
    """The rows of a body in JSON. Loaded with the first one: the library that checks it costs 15 MB."""
    from ragvigil.scorer.receive.told import KINDS, items_in

    return [item.arrival(received_at) for item in items_in(body, KINDS[what])]


async def _acknowledge(
    intake: Intake, acknowledgements: Acknowledgements, sender: Sender, request: Request
) -> Response:
    """What a person did in PagerDuty or Slack. What else is signed is ignored with 200, or it would be sent again."""
    intake.counters.requests[f"http acknowledge {sender}"] += 1
    with intake.hold() as held:
        body = await _body(request, intake, held, _MOST_SIGNED_BYTES)
    acknowledgements.check(sender, request.headers, body)
    said, status = await acknowledgements.take(sender, body)
    return JSONResponse(said, status)


async def _scraped(intake: Intake, scrape: Scrape, request: Request) -> Response:
    """Beside the event loop: a scrape must not keep an ack waiting."""
    accept = ",".join(request.headers.getlist("accept"))
    body, content_type = await asyncio.to_thread(scrape.answer, intake.counters.flat(), accept)
    return Response(body, media_type=content_type)


async def _discard(intake: Intake, request: Request) -> Response:
    """Metrics are of no use here, but a sender that exports all three signals should not see errors."""
    encoding = _encoding(request)
    coding = coding_of(request.headers.get("content-encoding", ""))
    with intake.hold() as held:
        body = await _body(request, intake, held)
        await intake.pass_on_metrics(
            body, encoding=encoding, coding=coding, held=held, headers=request.headers
        )
    return Response(b"" if encoding == "protobuf" else b"{}", media_type=CONTENT_TYPES[encoding])


async def _body(request: Request, intake: Intake, held: Held, limit: int | None = None) -> bytes:
    """The body as sent. Raises Refusal when it is too large, or when the sender takes too long."""
    limits = intake.limits
    limit = limits.max_body_bytes if limit is None else limit
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise Refusal.too_large("the body", limit)
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.request_seconds), asyncio.timeout(limits.chunk_seconds) as patience:
            async for chunk in request.stream():
                patience.reschedule(asyncio.get_running_loop().time() + limits.chunk_seconds)
                size += len(chunk)
                if size > limit:
                    raise Refusal.too_large("the body", limit)
                held.grow(len(chunk))
                chunks.append(chunk)
    except TimeoutError:
        raise Refusal(
            Reason.SLOW, "the body came too slowly; send smaller batches", limits.retry_seconds
        ) from None
    return b"".join(chunks)


def _encoding(request: Request) -> Encoding:
    media_type = _media_type(request)
    for encoding, known in CONTENT_TYPES.items():
        if media_type == known:
            return encoding
    raise Refusal(
        Reason.UNSUPPORTED,
        f"Content-Type {media_type[:60]!r} is not supported; send application/x-protobuf or application/json",
    )


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _refused(intake: Intake, refusal: Refusal, request: Request) -> Response:
    """The refusal as OTLP wants it: google.rpc.Status in the request's encoding, JSON when that is unknown."""
    intake.refused(refusal)
    try:
        encoding = _encoding(request)
    except Refusal:
        encoding = "json"
    headers: dict[str, str] = {}
    if refusal.retry_seconds is not None:
        headers["Retry-After"] = str(refusal.retry_seconds)
    if refusal.reason is Reason.UNAUTHENTICATED:
        headers["WWW-Authenticate"] = "Bearer"
    if refusal.reason is Reason.UNSUPPORTED:
        headers["Accept-Encoding"] = ACCEPTED
    if refusal.reason is Reason.SLOW:
        headers["Connection"] = "close"
    content = encoded(refusal.status(), encoding)
    return Response(content, refusal.reason.http, headers, CONTENT_TYPES[encoding])


async def _not_found(intake: Intake, request: Request, error: Exception) -> Response:
    wrong_method = isinstance(error, HTTPException) and error.status_code == Reason.WRONG_METHOD.http
    reason = Reason.WRONG_METHOD if wrong_method else Reason.UNKNOWN_PATH
    problem = f"{request.method} {request.url.path[:80]} is not served; POST to {', '.join(PATHS)}"
    response = _refused(intake, Refusal(reason, problem), request)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)  # the methods that are allowed
    return response
