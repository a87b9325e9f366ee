"""Who may see the pages."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from tests.scorer.metrics.filled import settings_in

from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.dashboard.application import application
from ragvigil.scorer.dashboard.guard import HEADERS
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.store.sqlite import SqliteStore

from .browser import Browser


def asked(settings: Settings, path: str = "/", **headers: str) -> tuple[int, dict[str, str]]:
    """Status and headers of the answer."""
    with SqliteStore(settings):
        pass
    answer = Browser(application(settings, status()), "http://127.0.0.1:4319").get(path, headers)
    return answer.status_code, dict(answer.headers)


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("127.0.0.1:4319", 200),
        ("localhost:4319", 200),
        ("[::1]:4319", 200),
        ("rag.example.com", 200),
        ("RAG.example.com:443", 200),
        ("evil.example.com", 421),
        ("127.0.0.1.evil.example.com", 421),
        ("evil.example.com#127.0.0.1", 421),
        ("rag.example.com@evil.example.com", 421),
        ("[::1", 421),
        ("", 421),
    ],
)
def test_without_a_token_only_names_that_are_known_are_answered(tmp_path: Path, host: str, code: int) -> None:
    """A name of somebody else's that leads to this machine would let that somebody's pages read ours."""
    settings = settings_in(tmp_path, links={"public_url": "https://rag.example.com/ragvigil"})
    assert asked(settings, host=host)[0] == code


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("Bearer s3cret", 200),
        ("Basic " + base64.b64encode(b"anybody:s3cret").decode(), 200),
        ("Bearer s3cre", 401),
        ("Basic nonsense", 401),
        ("s3cret", 401),
        ("", 401),
    ],
)
def test_with_a_token_it_is_asked_for_by_any_name(tmp_path: Path, header: str, code: int) -> None:
    """Browsers ask for a password, programs show a bearer token."""
    settings = settings_in(tmp_path, dashboard={"token": "s3cret"})
    found, headers = asked(settings, host="anything.example.com", authorization=header)
    assert found == code
    assert headers.get("www-authenticate", "").startswith("Basic") is (code == 401)


def test_no_page_may_run_or_load_anything() -> None:
    """But its own style."""
    policy = dict(part.strip().split(" ", 1) for part in HEADERS["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "style-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    assert HEADERS["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/api", "/style.css", "/nothing"])
def test_everything_is_behind_the_token_and_everything_has_the_headers(tmp_path: Path, path: str) -> None:
    """Also what is not there."""
    settings = settings_in(tmp_path, dashboard={"token": "s3cret"})
    refused, told = asked(settings, path)
    assert refused == 401
    assert HEADERS.items() <= told.items()
    answered, told = asked(settings, path, authorization="Bearer s3cret")
    assert answered == (404 if path == "/nothing" else 200)
    assert HEADERS.items() <= told.items()


def test_a_watchdog_needs_no_token(tmp_path: Path) -> None:
    """It learns nothing but that the process answers."""
    assert asked(settings_in(tmp_path, dashboard={"token": "s3cret"}), "/healthz")[0] == 200


def test_any_address_but_loopback_demands_a_token() -> None:
    """What users asked would be there for the whole network."""
    with pytest.raises(ConfigError) as refused:
        load(overrides={"dashboard": {"http": "0.0.0.0:4319"}})
    assert str(refused.value).startswith("dashboard.http: 0.0.0.0:4319 is not loopback (set dashboard.token")
    load(overrides={"dashboard": {"http": "0.0.0.0:4319", "token": "s3cret"}})
