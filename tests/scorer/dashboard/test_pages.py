"""The pages, as a browser gets them."""

from __future__ import annotations

import html
import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urljoin, urlsplit

import pytest
from tests.command_line import ragvigil
from tests.scorer.metrics.filled import NOW, SECOND, record, settings_in

from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.config import Settings
from ragvigil.scorer.dashboard import naming
from ragvigil.scorer.dashboard.application import PAGES, application
from ragvigil.scorer.monitoring import CoverageName, HealthName, SeriesKey
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.reading import open_for_reading, series
from ragvigil.scorer.store.reading_incidents import incidents_named, last_told
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import CheckResult

from .browser import Browser
from .conftest import BAD, HOSTILE, INCIDENT, OTHER

ADDRESSES = (
    "/",
    "/incidents",
    f"/incidents/{INCIDENT}",
    f"/incidents/{OTHER}",
    "/series/citation?service=docs&environment=production",
    "/answers",
    f"/answers/{BAD.trace_id}",
    "/status",
)


class Read(HTMLParser):
    """Elements and links of a page; complains of what is not closed in order."""

    EMPTY = frozenset({"meta", "link", "br", "line", "rect"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.links: list[str] = []
        self.handlers: list[str] = []
        self.shown = ""
        """Text, and what a browser says of elements."""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]
        self.shown += " ".join(value or "" for name, value in attrs if name in ("title", "aria-label"))
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        if tag not in self.EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        assert tag in self.EMPTY

    def handle_data(self, data: str) -> None:
        self.shown += data

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_users_and_documents_write_is_text_on_every_page(pages: Browser, address: str) -> None:
    """A retrieved passage must not run in the browser of who is on call, nor turn its text round."""
    answer = pages.get(address)
    assert answer.status_code == 200
    page = Read(answer.text)
    assert "script" not in page.elements
    assert page.handlers == []
    assert not set("\u202e\x1b") & set(page.shown)
    assert "{{ 7*7 }}" in page.shown or "7*7" not in answer.text


def test_every_page_has_an_address_here() -> None:
    """A page that is added is tried with hostile texts, too."""
    forms = [re.compile(re.sub(r"{\w+}", "[^/]+", path)) for path in PAGES]
    assert all(any(form.fullmatch(urlsplit(one).path) for one in ADDRESSES) for form in forms)


@pytest.mark.parametrize("prefix", ["", "/tools/ragvigil"])
def test_every_link_leads_somewhere_also_below_a_proxy_s_address(pages: Browser, prefix: str) -> None:
    """A proxy that serves the pages below an address of its own cuts that off before it asks."""
    waiting, seen = ["http://127.0.0.1/"], set[str]()
    while waiting:
        url = waiting.pop()
        if url in seen:
            continue
        seen.add(url)
        answer = pages.get(url)
        assert answer.status_code == 200, url
        if "html" not in answer.headers["content-type"]:
            continue
        place = url.replace("http://127.0.0.1/", f"http://127.0.0.1{prefix}/")
        for link in Read(answer.text).links:
            whole = urljoin(place, link)
            if whole.startswith("https://tempo.example.com/"):
                continue
            assert whole.startswith(f"http://127.0.0.1{prefix}/"), (url, link)
            waiting.append(whole.replace(f"http://127.0.0.1{prefix}/", "http://127.0.0.1/"))
        if len(seen) > 60:
            break
    assert len(seen) > 20


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_page_is_json_too(pages: Browser, address: str) -> None:
    """For programs, without reading HTML."""
    answer = pages.get(f"/api{address.removesuffix('/') if address == '/' else address}")
    assert answer.status_code == 200
    assert isinstance(answer.json(), dict)


def test_the_first_page_shows_every_series_with_interval_and_n(pages: Browser) -> None:
    """A rate without them is no number to act on."""
    page: dict[str, Any] = pages.get("/api").json()
    assert {tuple(row["key"]) for row in page["rows"]} >= {
        ("citation", "docs", "production"),
        ("citation", "docs", None),
        ("faithfulness", "docs", "production"),
    }
    text = pages.get("/").text
    for row in page["rows"]:
        assert row["now"] is None or f"n={row['now']['n']:,}" in text
    assert {one["incident"]["id"] for one in page["incidents"]} == {INCIDENT, OTHER}
    assert "2 messages wait" not in text
    assert "1 message waits for its channel" in text
    assert page["ledger"]["ingested"] == 242


@pytest.mark.parametrize(
    "address", [f"/incidents/{INCIDENT}", "/series/citation?service=docs&environment=production"]
)
def test_every_step_and_mark_of_a_chart_is_reached_by_keyboard_and_has_words(
    pages: Browser, address: str
) -> None:
    """Their figures were only in the hands of a mouse; a link leads past them all."""
    drawing = pages.get(f"/api{address}").json()["drawing"]
    page = pages.get(address).text
    stops = re.findall(r'<g class="stop" tabindex="0" role="img" aria-label="([^"]+)"><title>([^<]+)<', page)
    assert len(stops) == len(drawing["bars"]) + len(drawing["lines"]) > 2
    assert all(label == title for label, title in stops)
    assert [html.unescape(label) for label, _ in stops] == [
        one["text"] for one in (*drawing["bars"], *drawing["lines"])
    ]
    assert page.count('<a class="skip" href="#below-chart">') == page.count('id="below-chart"') == 1


def test_the_rates_stand_at_both_sides_of_a_chart(pages: Browser) -> None:
    """A telephone shows the newest end of a chart, where its scale was out of sight."""
    page = pages.get("/series/citation?service=docs&environment=production").text
    rates = re.findall(r"<text x=[^>]+>(\d+ %)</text>", page)
    assert len(rates) == 6
    assert rates[::2] == rates[1::2]


def test_a_series_shows_where_it_fell_and_the_legend_names_what_is_drawn(
    pages: Browser, settings: Settings
) -> None:
    """Its chart had no mark of its incidents, and a legend of marks that it never had."""
    address = "/series/{}?service=docs&environment=production"
    with SqliteStore(settings) as store:
        fallen = store.monitoring.open_incident(SeriesKey("citation", "docs", "production"))
        assert fallen is not None
        over = replace(fallen, resolved_at=NOW - 50 * SECOND)
        assert pages.get(address.format("citation")).text.count('class="fall"') == 1
        assert "> resolved" not in pages.get(address.format("citation")).text
        store.monitoring.save_incident(over, None, ())
    lines = pages.get("/api" + address.format("citation")).json()["drawing"]["lines"]
    assert [line["kind"] for line in lines if line["kind"] != "change"] == ["fall", "well"]
    assert '"key fall"></span> a fall, <span class="key well"></span> resolved' in (
        pages.get(address.format("citation")).text
    )
    other = pages.get(address.format("faithfulness")).text
    assert 'class="fall"' not in other
    assert "key fall" not in other


def test_the_small_charts_of_the_first_page_are_pictures_with_words(pages: Browser) -> None:
    """Seventy stops in each row would hold up who goes by keyboard."""
    page = pages.get("/").text
    assert 'class="spark"' in page
    assert "tabindex" not in page


def test_the_status_page_reads_what_it_shows_alone(pages: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words for people, everything for programs: each read the other one's too."""

    def unasked(*_: object) -> str:
        raise AssertionError

    with monkeypatch.context() as patch:
        patch.setattr("ragvigil.scorer.commands._overview.as_json", unasked)
        assert pages.get("/status").status_code == 200
    monkeypatch.setattr("ragvigil.scorer.commands._overview.as_text", unasked)
    assert "series" in pages.get("/api/status").json()["everything"]


def test_the_status_page_says_all_that_the_command_says(pages: Browser, settings: Settings) -> None:
    """It left out the disk and the inbox, under the words "What `ragvigil status` says"."""
    said = ragvigil("status", "--store", str(settings.store.path)).stdout.splitlines()
    shown = html.unescape(pages.get("/status").text)
    assert [line.partition(":")[0] for line in said[-2:]] == ["disk", "inbox"]
    assert all(f"\n{line.partition(':')[0]}: " in shown for line in said[-2:])


def test_an_incident_shows_what_was_said_what_changed_and_who_was_told(pages: Browser) -> None:
    """What the page's link promises."""
    page = pages.get(f"/api/incidents/{INCIDENT}").json()
    assert page["title"] == "Citation correctness of docs: 95.0 % to 60.0 %"
    assert page["told"]["summary"].startswith(HOSTILE)
    assert "deploy" in [change["kind"] for change in page["changes"]]
    assert [message["channel"] for message in page["standing"]["messages"]] == [HOSTILE]
    kinds = {line["kind"] for line in page["drawing"]["lines"]}
    assert kinds == {"change", "fall"}
    assert page["examples"]
    text = pages.get(f"/incidents/{INCIDENT}").text
    assert f"ragvigil ack {INCIDENT}" in text
    assert "waits, attempts: 1" in text
    assert "As told at" in text
    assert page["paged"] is None
    assert "60.0 % [50.0, 70.0] n=80" in text


def test_a_resolved_incident_keeps_what_was_paged(pages: Browser, settings: Settings) -> None:
    """The words of its resolve took the place of those that woke somebody."""
    with closing(open_for_reading(settings.store.path)) as connection:
        (incident,), paged = incidents_named(connection, INCIDENT), last_told(connection, INCIDENT)
    assert paged is not None
    with SqliteStore(settings) as store:
        back = replace(paged, action="resolve", title="Back at 95.0 %", summary="It is well again.")
        store.monitoring.save_incident(replace(incident, resolved_at=NOW), back, [HOSTILE])
    page = pages.get(f"/api/incidents/{INCIDENT}").json()
    assert (page["paged"]["title"], page["told"]["title"]) == ("Citation fell", "Back at 95.0 %")
    assert page["examples"]
    text = pages.get(f"/incidents/{INCIDENT}").text
    assert text.index("Citation fell") < text.index("Back at 95.0 %") < text.index("Traces that show it")


def test_a_message_that_a_storm_speaks_for_leads_to_the_storm(pages: Browser, settings: Settings) -> None:
    """It was "not delivered: grouped:inc-…", though everybody on the channel had heard of it."""
    with SqliteStore(settings) as store:
        store.outbox.refused(1, NOW, f"grouped:{OTHER}")
    text = pages.get(f"/incidents/{INCIDENT}").text
    assert f'told with others by <a href="../incidents/{OTHER}">{OTHER}</a>' in text
    assert "not delivered" not in text


def test_an_incident_of_which_nobody_was_told_leads_to_the_one_that_explains_it(
    pages: Browser, settings: Settings
) -> None:
    """It said that another explains it, and not which: whoever came by its page had to guess."""
    with closing(open_for_reading(settings.store.path)) as connection:
        (cause,) = incidents_named(connection, INCIDENT)
    key = cause.key._replace(name="faithfulness")
    effect = replace(cause, id="inc-effect", key=key, dedup_key="key3", since=cause.since + 1, told=False)
    with SqliteStore(settings) as store:
        store.monitoring.save_incident(effect, None, ())
    text = pages.get("/incidents/inc-effect").text
    assert f'another incident explains it: <a href="../incidents/{INCIDENT}">{INCIDENT}</a>.' in text
    said = ragvigil("incidents", "--store", str(settings.store.path)).stdout
    assert f"nobody was told: another incident explains it ({INCIDENT})" in said
    alone = replace(effect, id="inc-alone", dedup_key="key4", since=cause.since - 2 * 86_400 * 10**9)
    with SqliteStore(settings) as store:
        store.monitoring.save_incident(alone, None, ())
    assert "another incident explains it." in pages.get("/incidents/inc-alone").text


def test_an_incident_without_a_message_or_a_course_has_a_name(pages: Browser) -> None:
    """It was "inc-…" and "Criterion arrivals", with a link to a series that nobody keeps."""
    page = pages.get(f"/api/incidents/{OTHER}").json()
    assert page["title"].startswith("Arrivals of <script>")
    assert (page["watched"], page["failed"], page["drawing"], page["told"]) == (False, None, None, None)
    text = pages.get(f"/incidents/{OTHER}").text
    assert "The series" not in text
    assert "nobody was told" not in text.lower() or "Nobody:" in text


def test_of_a_trace_with_many_answers_the_first_are_shown_and_the_rest_counted(
    pages: Browser, settings: Settings
) -> None:
    """One of five hundred made a page of 23 MB."""
    name = "e" * 32
    check, entry = CheckResult("citation_correctness", "1", 1.0), LedgerEntry("checked_only", 0.1)
    many = [replace(record(7), trace_id=name, span_id=f"{number:016x}") for number in range(25)]
    trace = ScoredTrace(
        name, RawTrace(b"spans", b""), False, tuple(ScoredRecord(one, (check,), entry) for one in many)
    )
    with SqliteStore(settings) as store:
        store.records.commit([trace], None, NOW)
    page = pages.get(f"/api/answers/{name}").json()
    assert (len(page["records"]), page["more"]) == (20, 5)
    assert "5 more of this trace" in pages.get(f"/answers/{name}").text


def test_a_series_of_a_service_that_names_no_environment_is_its_own(pages: Browser) -> None:
    """Its link showed production's."""
    page = pages.get("/api/series/citation?service=docs&environment=%28none%29").json()
    assert page["level"]["key"] == ["citation", "docs", None]
    chosen = pages.get("/api/answers?environment=%28none%29&service=docs").json()["found"]["answers"]
    assert len(chosen) == 40
    assert {one["environment"] for one in chosen} == {None}


@pytest.mark.parametrize(
    "name", [*get_args(CoverageName), *get_args(HealthName), "arrivals", "leak", "storm"]
)
def test_every_series_that_is_none_of_answers_has_a_name(name: str) -> None:
    """Others are criteria of a team's own."""
    assert not naming.name(name).startswith("Criterion")


def test_an_answer_shows_its_claims_and_what_comes_nearest(pages: Browser) -> None:
    """Which words are at fault, and what the passage says instead."""
    page = pages.get(f"/api/answers/{BAD.trace_id}").json()
    assert page["link"] == f"https://tempo.example.com/{BAD.trace_id}"
    (record,) = page["records"]
    at_fault = [piece["text"] for piece in record["answer"] if piece["kind"] == "at_fault"]
    assert at_fault == ["12"]
    marked = [(piece["text"], piece["claim"]) for piece in record["passages"][0]["pieces"] if piece["kind"]]
    assert marked == [("It is 15.", 1)]
    assert record["passages"][1]["pieces"][0]["claim"] == 2
    assert "".join(piece["text"] for piece in record["answer"]) == f"It costs 12 euros. {HOSTILE}"
    scores = {one["scored"]["name"]: one["health"] for one in record["scores"]}
    assert scores["citation_correctness"] == "bad"
    text = pages.get(f"/answers/{BAD.trace_id}").text
    assert "number mismatch" in text
    assert "to be judged with probability 0.5" in text


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("verdict=contradicted", 1),
        ("verdict=failing", 1),
        ("verdict=supported", 50),
        ("service=docs&environment=production", 50),
        ("service=nobody", 0),
        ("tag=HALLUCINATION_FACT", 1),
        ("tag=OVER_REFUSAL", 0),
        (f"before={NOW - 17_000 * SECOND}-0&verdict=contradicted", 0),
    ],
)
def test_answers_are_chosen(pages: Browser, query: str, count: int) -> None:
    """By place, verdict, tag and time; a page holds fifty."""
    assert len(pages.get(f"/api/answers?{query}").json()["found"]["answers"]) == count
    assert pages.get(f"/answers?{query}").status_code == 200


def test_a_choice_that_nothing_meets_leads_back_to_all_answers(pages: Browser, tmp_path: Path) -> None:
    """ "None." alone did not say of what, and a store without answers is something else."""
    chosen = pages.get("/answers?verdict=contradicted&service=nobody").text
    assert 'None of this choice; <a href="./answers">all answers</a>' in chosen
    settings = settings_in(tmp_path / "new")
    (tmp_path / "new").mkdir()
    SqliteStore(settings).close()
    empty = Browser(application(settings, status(), clock=lambda: NOW)).get("/answers").text
    assert "There is no answer." in empty
    assert "choice" not in empty


def test_all_answers_come_page_by_page_each_once(pages: Browser) -> None:
    """Answers of one moment must not be lost between two pages."""
    seen: list[str] = []
    query = ""
    while True:
        page = pages.get(f"/api/answers{query}").json()
        seen += [one["trace_id"] for one in page["found"]["answers"]]
        if page["found"]["further"] is None:
            break
        query = "?before={}-{}".format(*page["found"]["further"])
    assert len(seen) == len(set(seen)) == 242


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/incidents/inc-0", 404, "no incident inc-0"),
        ("/answers/abc", 404, "No answer of trace abc"),
        ("/series/citation?service=nobody", 404, "no series citation of service nobody"),
        ("/series/citation?service=docs&span=1y", 400, "no span 1y: say 3h, 24h, 7d, 28d"),
        ("/answers?verdict=bad", 400, "no verdict bad: say one of failing, supported"),
        ("/answers?tag=BAD", 400, "no failure tag"),
        ("/answers?before=soon", 400, "cannot be looked for"),
        ("/answers?before=1-99999999999999999999999", 400, "no place in the list"),
        ("/answers?before=1", 400, "no place in the list"),
        ("/nothing", 404, "Not Found"),
    ],
)
def test_what_is_not_there_is_said(pages: Browser, address: str, status: int, says: str) -> None:
    """As a page in a browser, as JSON for a program, and never as a 500."""
    page = pages.get(address)
    assert page.status_code == status
    assert says in page.text.replace("&#39;", "'")
    told = pages.get(f"/api{address}")
    assert told.status_code == status
    assert set(told.json()) == {"error"}


def test_a_store_that_goes_away_is_said(pages: Browser, settings: Settings) -> None:
    """The pages outlive it, and show it again when it is back."""
    moved = settings.store.path.with_suffix(".moved")
    settings.store.path.rename(moved)
    answer = pages.get("/")
    assert answer.status_code == 503
    assert "no such store" in answer.text
    moved.rename(settings.store.path)
    assert pages.get("/").status_code == 200


def test_a_store_that_is_damaged_is_said_behind_the_same_headers(pages: Browser, settings: Settings) -> None:
    """A dropped table was a plain 500 without them, and sixty lines of traceback."""
    with closing(sqlite3.connect(settings.store.path)) as connection, connection:
        connection.execute("DROP TABLE scores")
    answer = pages.get(f"/answers/{BAD.trace_id}")
    assert answer.status_code == 503
    assert "content-security-policy" in answer.headers
    assert "no such table" in pages.get(f"/api/answers/{BAD.trace_id}").json()["error"]


def test_a_fault_of_ours_is_told_and_logged(
    pages: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And is no end of the process."""

    def broken(*_: object) -> object:
        raise KeyError("x")

    monkeypatch.setattr("ragvigil.scorer.dashboard.overview.levels", broken)
    assert pages.get("/").status_code == 500
    assert pages.get("/incidents").status_code == 200
    assert [one.message for one in caplog.records] == ["the page / could not be made"]


def test_feedback_is_told_by_what_it_has(pages: Browser) -> None:
    """A thumb without a comment ended in a dash."""
    text = pages.get(f"/answers/{BAD.trace_id}").text
    assert "<bdi>thumbs down</bdi>" in text


def test_the_series_of_status_are_as_wide_as_what_stands_in_them(pages: Browser, settings: Settings) -> None:
    """A line of `docs` and `ok` had 35 spaces, and was folded in a terminal of 100 columns."""
    del pages
    shown = ragvigil("status", "--store", str(settings.store.path)).stdout.splitlines()
    with closing(open_for_reading(settings.store.path)) as connection:
        names = {status.key.name for status in series(connection)}
    lines = [line for line in shown if line.split("  ")[0].strip() in names]
    assert len(lines) > 1
    gaps = [[len(gap) for gap in re.findall(" {2,}", line.partition("%")[0])] for line in lines]
    assert [min(column) for column in zip(*gaps, strict=True)] == [2] * len(gaps[0])
