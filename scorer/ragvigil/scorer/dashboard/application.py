"""The pages and their addresses."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ragvigil.scorer.config import Settings
from ragvigil.scorer.dashboard.answer import answer
from ragvigil.scorer.dashboard.answers import answers
from ragvigil.scorer.dashboard.guard import Guard
from ragvigil.scorer.dashboard.incident import incident
from ragvigil.scorer.dashboard.incidents import incidents
from ragvigil.scorer.dashboard.overview import overview
from ragvigil.scorer.dashboard.page import Asked, NotThereError, Reader, Readers, UnclearError
from ragvigil.scorer.dashboard.rendering import TEMPLATES, rendered
from ragvigil.scorer.dashboard.series import series
from ragvigil.scorer.errors import StoreError, located
from ragvigil.scorer.moments import dated
from ragvigil.scorer.store.reading import alive_at, open_for_reading

PAGES: Mapping[str, tuple[str, Reader]] = {
    "/": ("overview", overview),
    "/incidents": ("incidents", incidents),
    "/incidents/{incident}": ("incident", incident),
    "/series/{series}": ("series", series),
    "/answers": ("answers", answers),
    "/answers/{trace}": ("answer", answer),
}
"""By address: the template and what reads the page; below ``/api`` the same as JSON."""
_STYLE = "style.css"
_log = logging.getLogger(__name__)


class _Json(JSONResponse):
    """JSON that people can read, too."""

    def render(self, content: object) -> bytes:
        """As UTF-8."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False, default=str).encode(errors="replace")


def application(settings: Settings, status: Readers, clock: Callable[[], int] = time.time_ns) -> ASGIApp:
    """The pages over the store of these settings. `status` reads what `ragvigil status` says.

    `clock` tells Unix nanoseconds.
    """
    read = partial(_read, settings, clock)
    pages = {path: (template, Readers(one, one)) for path, (template, one) in PAGES.items()}
    pages["/status"] = "status", status
    routes: list[BaseRoute] = [
        route
        for path, (template, readers) in pages.items()
        for route in (
            Route(path, partial(_html, read, readers.page, template)),
            Route(f"/api{path.removesuffix('/')}", partial(_json, read, readers.json)),
        )
    ]
    app = Starlette(
        routes=[*routes, Route(f"/{_STYLE}", _style), Route("/healthz", _healthz)],
        exception_handlers={HTTPException: _told},
    )
    app.router.redirect_slashes = False  # a redirect would leave the address of a proxy
    token, name = settings.dashboard.token, urlsplit(settings.links.public_url or "").hostname
    return Guard(app, token.get_secret_value() if token else None, [name] if name else [])


_Read = Callable[[Reader, Request], object]


def _read(settings: Settings, clock: Callable[[], int], reader: Reader, request: Request) -> object:
    """The page; whatever hinders it is told, and is no end of the process."""
    query = {name: value for name, value in request.query_params.items() if value}
    try:
        with closing(open_for_reading(settings.store.path)) as connection:
            asked = Asked(connection, settings, clock(), request.path_params, query, alive_at(connection))
            return reader(asked)
    except NotThereError as error:
        raise HTTPException(404, str(error)) from None
    except UnclearError as error:
        raise HTTPException(400, str(error)) from None
    except StoreError as error:
        raise HTTPException(503, str(error)) from None
    except sqlite3.Error as error:
        raise HTTPException(503, f"{located(settings.store.path)}: {error}") from None
    except Exception:
        _log.exception("the page %s could not be made", request.url.path)
        raise HTTPException(
            500, "This page could not be made; the log of `ragvigil dashboard` says why."
        ) from None


# These are no coroutines: Starlette runs them on its threads, so that a slow page holds up no other.
def _html(read: _Read, reader: Reader, template: str, request: Request) -> Response:
    return HTMLResponse(rendered(template, read(reader, request), request.url.path))


def _json(read: _Read, reader: Reader, request: Request) -> Response:
    page: Any = read(reader, request)
    return _Json(dated(asdict(page)))


def _told(request: Request, error: Exception) -> Response:
    """An error in the form that was asked for."""
    assert isinstance(error, HTTPException)
    code, headers = error.status_code, error.headers
    if request.url.path.startswith("/api"):
        return _Json({"error": error.detail}, status_code=code, headers=headers)
    page = {"status": code, "detail": error.detail}
    return HTMLResponse(rendered("error", page, request.url.path), status_code=code, headers=headers)


def _style(request: Request) -> Response:
    del request
    return Response((TEMPLATES / _STYLE).read_text(encoding="utf-8"), media_type="text/css")


def _healthz(request: Request) -> Response:
    del request
    return PlainTextResponse("ok\n")
