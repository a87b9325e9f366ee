"""No page, JSON, error or line of the log shows a secret: of the settings, or out of what users and models wrote."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.metrics.filled import NOW, fill, record, settings_in
from tests.scorer.redact.test_payload import FIXTURES, SECRETS
from tests.scorer.redact.test_planted import plant
from tests.scorer.settings_tree import tree_of
from tests.scorer.test_planted_secrets import BESIDE, HOLDING, PLANTED

from ragvigil.scorer.assembly.assemble import Assembler
from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.dashboard.application import application
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.pipeline import Pipeline
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Verdict

from .browser import Browser

FORMS = (PLANTED * 3, f"https://me:{PLANTED}@gateway/v1?key={PLANTED}", {"x": PLANTED})
"""As one setting or another takes it."""
OWN: Mapping[tuple[str, ...], str] = {
    ("channels", "pagerduty", "routing_key"): "5ec4e75ec4e75ec4e75ec4e75ec4e75e",
    ("channels", "slack", "token"): f"xoxb-{PLANTED}",
    ("channels", "discord", "url"): f"https://discord.com/api/webhooks/1/{PLANTED}",
    ("channels", "webhook", "secret"): "whsec_UExBTlRFRC1zM2NyM3QtUExBTlRFRC1zM2NyM3Q=",
    ("channels", "apprise", "url"): f"json://me:{PLANTED}@gateway/path",
}
"""What has a form of its own."""
BESIDES = {
    **BESIDE,
    ("judge", "panel", "x"): {"kind": "openai", "model": "m"},
    ("channels", "alertmanager"): {"url": "https://gateway.example", "username": "me"},
    ("channels", "mail"): {**BESIDE["channels", "mail"], "username": "me"},
}
SHOWN = (PLANTED, OWN["channels", "pagerduty", "routing_key"], OWN["channels", "webhook", "secret"][6:])
WRONG = (
    "/series/none",
    "/answers/none",
    "/incidents/none",
    "/answers?verdict=%3F",
    "/answers?before=1",
    "/none",
)


def joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both trees; where they differ the second."""
    both = dict(one)
    for name, value in other.items():
        inner: Any = both.get(name)
        mine = isinstance(inner, dict) and isinstance(value, dict)
        both[name] = joined(cast("dict[str, Any]", inner), cast("dict[str, Any]", value)) if mine else value
    return both


def planted(store: Path) -> tuple[Settings, int]:
    """Settings with a secret wherever one can be, and in how many places."""
    tree: dict[str, Any] = {"store": {"url": f"sqlite:///{store}"}}
    count = 0
    for place in HOLDING:
        if place[0] == "store":
            continue
        for value in (OWN[place],) if place in OWN else FORMS:
            more = joined(tree, tree_of(place, value, BESIDES.get(place[:-1])))
            try:
                load(overrides=more)
            except ConfigError:
                continue
            tree, count = more, count + 1
            break
    return load(overrides=tree), count


def seen(browser: Browser, headers: dict[str, str], most: int = 150) -> Iterator[tuple[str, str]]:
    """(address, all that was answered) of every page that is linked, of its JSON, and of addresses that are wrong."""
    waiting, known = ["http://127.0.0.1/", *(f"http://127.0.0.1{one}" for one in WRONG)], set[str]()
    while waiting and len(known) < most:
        url = waiting.pop()
        if url in known or not url.startswith("http://127.0.0.1/"):
            continue
        known.add(url)
        for place in (
            url,
            url.replace("http://127.0.0.1/", "http://127.0.0.1/api/").removesuffix("/api/") or url,
        ):
            answer = browser.get(place, headers)
            yield place, f"{answer.headers}{answer.text}"
            if "html" in answer.headers["content-type"]:
                links = re.findall(r'href="([^"#]+)', answer.text)
                waiting += [urljoin(url, one.replace("&amp;", "&")) for one in links]


def test_no_page_shows_a_secret_of_the_settings(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted in every setting at once: pages, JSON, wrong addresses, a broken page, a store that went away."""
    caplog.set_level(logging.DEBUG)
    settings, count = planted(tmp_path / "store.db")
    assert count >= 30
    with SqliteStore(settings) as store:
        fill(store, [record(n) for n in range(1, 60)])
    token = settings.dashboard.token
    assert token is not None
    browser = Browser(application(settings, status(), clock=lambda: NOW))
    headers = {"authorization": f"Bearer {token.get_secret_value()}"}
    told = [
        *seen(browser, headers),
        *seen(browser, {}, most=10),
        *seen(browser, {"authorization": PLANTED}, 10),
    ]
    assert len(told) > 100

    def broken(asked: Any) -> object:
        raise KeyError(asked.settings)

    with monkeypatch.context() as patch:
        patch.setattr("ragvigil.scorer.dashboard.series.levels", broken)
        told += [("a broken page", browser.get("/series/citation?service=docs", headers).text)]
        assert "could not be made" in told[-1][1]
    settings.store.path.unlink()
    told += [("no store", browser.get(f"{one}/status", headers).text) for one in ("", "/api")]
    told.append(("the log", caplog.text))
    assert [place for place, text in told if any(one in text for one in SHOWN)] == []


def test_no_page_shows_what_was_cut_from_an_answer(tmp_path: Path) -> None:
    """Of traces with an e-mail, a card, a national number and a key in each of their texts."""
    settings = settings_in(tmp_path)
    moment = NOW // 10**9 * 10**9
    with (
        SqliteStore(settings) as store,
        closing(InboxWriter(settings.inbox_path)) as writer,
        closing(InboxReader(settings.inbox_path)) as reader,
    ):
        pipeline = Pipeline(
            inbox=reader,
            assembler=Assembler(settings.assemble),
            store=store.records,
            plan=SamplePlan(1.0, 1_000),
            redaction=Redaction(settings.content, store.pseudonyms),
            ticks=lambda: moment,
        )
        for number, path in enumerate(FIXTURES, 1):
            data = TracesData.FromString(path.read_bytes())
            plant(data, "; ".join(SECRETS.values()), labels=False)
            writer.append([Arrival("spans", _under(data, number), data.SerializeToString(), 0)]).result(10)
        jobs = list(pipeline.turn().jobs)
        moment += 700 * 10**9
        for _ in range(3):
            jobs += pipeline.turn().jobs
        pipeline.judged([Judgement(job, Verdict("t", "1", "d", "unsupported", 0.0, 0.0)) for job in jobs])
        pipeline.turn()
        browser = Browser(application(settings, status(), clock=lambda: moment))
        told = list(seen(browser, {}))
    assert sum("/answers/" in place for place, _ in told) > 2 * len(jobs) > 10
    assert "&lt;email&gt;" in "".join(text for _, text in told).lower()
    assert [(place, name) for place, text in told for name, one in SECRETS.items() if one in text] == []


def _under(data: TracesData, number: int) -> bytes:
    """All spans in one trace, and its id."""
    trace_id = number.to_bytes(16, "big")
    for resource_spans in data.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in cast("list[Any]", scope_spans.spans):
                span.trace_id = trace_id
    return trace_id
