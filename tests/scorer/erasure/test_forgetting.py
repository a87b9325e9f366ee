"""``ragvigil forget``: one person's content goes, nobody else's, and it does not come back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.command_line import ragvigil
from tests.scorer.erasure.kept_bytes import asked
from tests.scorer.scoring.bench import PASSED, Bench, span

from ragvigil.exporters import Alert, Example, Measurement
from ragvigil.scorer.config import load
from ragvigil.scorer.erasure.forgetting import Forgetting, Forgotten, Kind, Wanted
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.receive.counters import Counters, CountersFile
from ragvigil.scorer.receive.told import Feedback
from ragvigil.scorer.store.audit import audit
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.sqlite import SqliteStore

NOW = 10 * 10**9
CITATION = SeriesKey("citation", "unknown_service", None)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Two questions of wanda, one of eva; all judged but wanda's second, which waits."""
    made = Bench(tmp_path, rate=1.0)
    made.receive(
        [
            *asked(1, "wanda", secret="copper lamp"),
            *asked(2, "wanda", secret="velvet chair", conversation="other"),
            *asked(3, "eva", secret="marble table"),
        ]
    )
    jobs = made.settle()
    done = [job for job in jobs if not job.record.trace_id.endswith("2")]
    made.pipeline.judged([Judgement(job, PASSED) for job in done])
    made.settle()
    CountersFile(made.settings.inbox_path, Counters()).save(Counters(spans=6).flat())
    yield made
    made.close()


def forget(bench: Bench, kind: Kind, name: str) -> Forgotten:
    """Carry out a request on the bench's own store."""
    forgetting = Forgetting(bench.store.erasures, Wanted(kind, name), NOW)
    while forgetting.step():
        pass
    return forgetting.forgotten


def kept(bench: Bench) -> bytes:
    """The bytes of the store."""
    store = bench.settings.store.path
    return store.read_bytes() + store.with_name(f"{store.name}-wal").read_bytes()


def problems(bench: Bench) -> Sequence[str]:
    """What ``ragvigil ledger --check`` says."""
    return audit(bench.settings.store.path, bench.settings.inbox_path).problems


def test_all_of_one_user_goes_and_the_sums_stay(bench: Bench) -> None:
    """Not a byte of the texts, the user or the traces is left; another's are; the rollups are what they were."""
    pseudonym = bench.store.pseudonyms.of("wanda").encode()
    before = bench.store.monitoring.buckets(CITATION, 0, 2**62)
    assert before
    assert pseudonym in kept(bench)
    gone = forget(bench, "user", "wanda")
    assert (gone.traces, gone.records, gone.log_cleared) == (2, 2, True)
    left = kept(bench)
    for trace in (b"copper", b"velvet", pseudonym, b"wanda", b"%032x" % 1, b"%032x" % 2):
        assert trace not in left, trace
    assert b"marble" in left
    assert bench.store.monitoring.buckets(CITATION, 0, 2**62) == before
    assert bench.store.records.pending() == []
    assert problems(bench) == ()
    ledger = bench.ledger()
    assert (ledger.states, ledger.deleted, ledger.balanced) == ({"judged": 1}, 2, True)


@pytest.mark.parametrize(
    ("kind", "name", "traces"), [("trace", f"{1:032x}", {2, 3}), ("conversation", "other", {1, 3})]
)
def test_a_trace_or_a_conversation_can_be_forgotten_by_itself(
    bench: Bench, kind: Kind, name: str, traces: set[int]
) -> None:
    """The others of that user stay."""
    assert forget(bench, kind, name).traces == 1
    left = bench.store.records.raw([f"{trace:032x}" for trace in (1, 2, 3)])
    assert {int(trace, 16) for trace, raw in left.items() if not raw.gone} == traces
    assert problems(bench) == ()


def test_what_was_forgotten_does_not_come_back(bench: Bench) -> None:
    """Neither by a late span, nor by the same export again, nor by an old trace that never was here."""
    forget(bench, "user", "wanda")
    late = span(1, "late", parent=True, input__value="the copper lamp again")
    again = asked(2, "wanda", secret="velvet chair")
    old = asked(9, "wanda", secret="golden spoon")
    bench.receive([late, *again, *old])
    bench.settle()
    assert bench.ledger().states == {"judged": 1}
    for word in (b"copper", b"velvet", b"golden"):
        assert word not in kept(bench)
    bench.crash()
    bench.start()
    bench.receive(asked(9, "wanda", secret="golden spoon"))
    bench.settle()
    assert bench.ledger().ingested == 3
    assert b"golden" not in kept(bench)


def test_what_a_forgotten_user_asks_later_is_new_data(bench: Bench) -> None:
    """The request is about what was, not about a person who may not ask any more."""
    forgetting = Forgetting(bench.store.erasures, Wanted("user", "wanda"), 10**8)  # before those spans began
    while forgetting.step():
        pass
    bench.receive(asked(4, "wanda", secret="golden spoon"))
    bench.settle()
    assert b"golden" in kept(bench)


def test_a_stored_trace_that_is_written_again_meanwhile_goes_too(bench: Bench) -> None:
    """One of eva's names wanda in a span; by its sender's clock it began after the request."""
    aside = span(4, "aside", parent=True, enduser__id="wanda")
    bench.receive([*asked(4, "eva", secret="golden spoon"), aside])
    bench.settle()
    forgetting = Forgetting(bench.store.erasures, Wanted("user", "wanda"), 10**8)
    bench.receive([span(4, "late", parent=True)])
    bench.settle()
    while forgetting.step():
        pass
    assert b"golden" not in kept(bench)
    assert problems(bench) == ()


def test_a_request_ends_though_new_answers_never_do(bench: Bench) -> None:
    """With answers between any two of its steps it looked on and on at what had come since."""
    forgetting = Forgetting(bench.store.erasures, Wanted("user", "wanda"), NOW)
    steps = 0
    while steps < 20 and forgetting.step():
        steps += 1
        bench.receive(asked(10 + steps, "eva", secret=f"table {steps}"))
        bench.settle()
    assert (forgetting.forgotten.traces, forgetting.forgotten.log_cleared) == (2, True)
    assert steps < 10
    assert problems(bench) == ()


def test_what_is_open_when_the_request_comes_is_forgotten_too(bench: Bench) -> None:
    """It waits in memory for its last spans, and would be stored after the request."""
    bench.receive(asked(5, "wanda", secret="golden spoon"))
    bench.pipeline.turn()
    assert bench.pipeline.open_traces == 1
    forget(bench, "user", "wanda")
    bench.settle()
    assert b"golden" not in kept(bench)
    CountersFile(bench.settings.inbox_path, Counters()).save(Counters(spans=8).flat())
    assert problems(bench) == ()


@pytest.mark.parametrize(("received_at", "stays"), [(NOW - 1, False), (NOW + 1, True)])
def test_what_was_received_before_the_request_is_forgotten_whatever_its_sender_s_clock_says(
    bench: Bench, received_at: int, stays: bool
) -> None:
    """A container is a minute and a half ahead: its answer and its user's opinion "began" after the request."""
    ahead = NOW + 90 * 10**9
    told = Feedback(trace_id=f"{3:032x}", kind="comment", comment="crooked legs", user="wanda")
    arrivals = [*asked(5, "wanda", secret="golden spoon"), told.arrival(ahead)]
    for arrival in arrivals[:2]:
        data = TracesData.FromString(arrival.payload)
        for made in data.resource_spans[0].scope_spans[0].spans:
            made.start_time_unix_nano, made.end_time_unix_nano = ahead, ahead + 1
        bench.receive([Arrival("spans", arrival.trace_id, data.SerializeToString(), received_at)])
    bench.receive([arrivals[2]._replace(received_at=received_at)])
    bench.pipeline.turn()
    forget(bench, "user", "wanda")
    bench.settle()
    assert (b"golden" in kept(bench)) is stays
    logs = bench.store.records.raw([f"{3:032x}"])[f"{3:032x}"].logs
    assert (b"crooked" in logs) is stays


def test_whoever_is_named_beside_the_question_is_forgotten_in_open_traces_too(bench: Bench) -> None:
    """As in stored ones: a span within eva's request says that it also served wanda."""
    bench.receive(
        [*asked(5, "eva", secret="golden spoon"), span(5, "shared", parent=True, enduser__id="wanda")]
    )
    bench.pipeline.turn()
    forget(bench, "user", "wanda")
    bench.settle()
    assert b"golden" not in kept(bench)


def test_what_was_stored_before_a_late_span_names_the_forgotten_goes_too(bench: Bench) -> None:
    """Only the root says whose question it was, and the rest was stored without it before the request came."""
    trace = f"{5:032x}"
    search, root = asked(5, "wanda", secret="golden spoon")
    bench.receive([search])
    bench.settle(60)
    forget(bench, "user", "wanda")
    assert b"golden" in bench.store.records.raw([trace])[trace].spans
    bench.receive([root])
    bench.settle()
    assert bench.store.records.raw([trace])[trace].gone
    assert bench.ledger().states == {"judged": 1}
    CountersFile(bench.settings.inbox_path, Counters()).save(Counters(spans=8).flat())
    assert problems(bench) == ()


def test_feedback_that_is_on_its_way_when_the_request_comes_is_left_out_alone(bench: Bench) -> None:
    """The answer, of which it waits for a second trace, stays and can still come."""
    for trace in (3, 6):
        told = Feedback(trace_id=f"{trace:032x}", kind="comment", comment="crooked legs", user="wanda")
        bench.receive([told.arrival(NOW)])
    bench.pipeline.turn()
    forget(bench, "user", "wanda")
    bench.settle()
    bench.receive(asked(6, "eva", secret="silver bowl"))
    bench.settle()
    left = bench.store.records.raw([f"{trace:032x}" for trace in (3, 6)])
    assert all(raw.spans and b"crooked" not in raw.logs for raw in left.values())
    assert b"crooked" not in kept(bench)
    assert b"marble" in kept(bench)
    assert b"silver" in kept(bench)


def test_what_a_forgotten_user_says_later_is_new_data(bench: Bench) -> None:
    """Also where it comes before the answer that it is about."""
    forget(bench, "user", "wanda")
    told = Feedback(trace_id=f"{6:032x}", kind="comment", comment="crooked legs", user="wanda")
    bench.receive([told.arrival(NOW + 1)])
    bench.settle(700)
    bench.receive(asked(6, "eva", secret="silver bowl"))
    bench.settle()
    assert b"crooked legs" in bench.store.records.raw([f"{6:032x}"])[f"{6:032x}"].logs
    assert b"silver" in kept(bench)


def test_feedback_of_the_forgotten_on_anothers_answer_is_not_imported_again(bench: Bench) -> None:
    """The same export a second time, with the answer or by itself, also after a restart; the other's counts once."""
    told = [
        Feedback(trace_id=f"{3:032x}", kind="comment", comment=comment, user=user).arrival(NOW)
        for user, comment in (("wanda", "crooked legs"), ("eva", "a fine answer"))
    ]
    bench.receive(told)
    bench.settle()
    assert b"crooked" in kept(bench)
    forget(bench, "user", "wanda")
    bench.receive(told)
    bench.settle()
    bench.crash()
    bench.start()
    bench.receive([*asked(3, "eva", secret="marble table"), *told])
    bench.settle()
    assert b"crooked" not in kept(bench) + bench.store.records.raw([f"{3:032x}"])[f"{3:032x}"].logs
    with closing(sqlite3.connect(bench.settings.store.path)) as other:
        (feedback,) = other.execute(
            "SELECT feedback FROM records WHERE trace_id = ?", (f"{3:032x}",)
        ).fetchone()
    assert [opinion["explanation"] for opinion in json.loads(feedback)] == ["a fine answer"]


def test_messages_to_channels_lose_the_example_and_who_showed_it_is_named(bench: Bench) -> None:
    """Waiting and delivered; the copy at the channel is not ours to delete."""
    rate = Measurement(0.5, 0.4, 0.6, 50)
    incident = Incident("i", CITATION, "key", 1, 1, rate, rate, rate, None, None)
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    examples = (Example(f"{1:032x}", "q: copper", "a", "w"), Example(f"{3:032x}", "q: marble", "a", "w"))
    alert = Alert(
        "i", "key", "trigger", "error", "citation", "docs", None, "fell", "", rate, rate, since=moment, at=moment,
        examples=examples,
    )  # fmt: skip
    bench.store.monitoring.save_incident(incident, alert, ["oncall", "backup"])
    first = bench.store.outbox.due(2**62, 10)[0]
    bench.store.outbox.delivered(first.id, 5, None)
    gone = forget(bench, "user", "wanda")
    assert (gone.messages, gone.shown) == (2, (first.channel,))
    assert b"copper" not in kept(bench)
    (waiting,) = bench.store.outbox.due(2**62, 10)
    assert waiting.alert.examples == examples[1:]


def test_feedback_that_the_user_gave_on_anothers_answer_goes_alone(bench: Bench) -> None:
    """The answer and the other's feedback stay."""
    for user, comment in (("wanda", "the legs are crooked"), ("eva", "a fine answer")):
        told = Feedback(trace_id=f"{3:032x}", kind="comment", comment=comment, user=user)
        bench.receive([told.arrival(NOW)])
    bench.settle()
    assert b"crooked" in kept(bench)
    gone = forget(bench, "user", "wanda")
    assert (gone.traces, gone.opinions) == (2, 1)
    raw = bench.store.records.raw([f"{3:032x}"])[f"{3:032x}"]
    assert b"crooked" not in kept(bench) + raw.logs
    assert b"a fine answer" in raw.logs
    (record,) = LogsData.FromString(raw.logs).resource_logs[-1].scope_logs[0].log_records
    assert any(pair.value.string_value == "a fine answer" for pair in record.attributes)
    assert b"a fine answer" in kept(bench)


def test_marks_of_changes_that_name_the_id_lose_it(bench: Bench) -> None:
    """And no other word that holds the same letters."""
    with closing(sqlite3.connect(bench.settings.store.path)) as other, other:
        other.execute(
            "INSERT INTO changes VALUES ('x', 1, 'other', 'quota of wanda, not banana', '', '', 'told')"
        )
    assert forget(bench, "user", "wanda").changes == 1
    with closing(sqlite3.connect(bench.settings.store.path)) as other:
        (text,) = other.execute("SELECT text FROM changes WHERE id = 'x'").fetchone()
    assert text == "quota of <REMOVED>, not banana"


def test_what_people_wrote_about_the_id_loses_it(bench: Bench) -> None:
    """A note on another's label, on who has an incident in hand, the comment of a silence."""
    said = "ask wanda, not wandala"
    with closing(sqlite3.connect(bench.settings.store.path)) as other, other:
        other.execute(
            "INSERT INTO labels VALUES (999, 'ana', x'00', 'faithful', ?, 0, 'file', 1, '')", (said,)
        )
        other.execute(
            "INSERT INTO silences VALUES ('s', NULL, NULL, NULL, NULL, 1, 9e18, ?, 'ana', 1)", (said,)
        )
        other.execute("INSERT INTO acknowledgements VALUES ('inc-1', 1, 'ana', ?)", (said,))
    assert forget(bench, "user", "wanda").changes == 3
    with closing(sqlite3.connect(bench.settings.store.path)) as other:
        left = other.execute(
            "SELECT note FROM labels UNION ALL SELECT comment FROM silences UNION ALL SELECT note FROM acknowledgements"
        ).fetchall()
    assert left == [("ask <REMOVED>, not wandala",)] * 3


@pytest.mark.parametrize("given", ["plain", "pseudonym"])
def test_ids_that_are_stored_plainly_are_found_and_only_whole_ones(tmp_path: Path, given: str) -> None:
    """A user named 7 is not everybody with a 7; a trace without a question is found by its spans."""
    settings = load(
        overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}", "user_ids": "plain"}}
    )
    with SqliteStore(settings):
        pass
    made = Bench(tmp_path, rate=0.0)
    made.crash()
    made.settings = settings if given == "plain" else made.settings
    made.start()
    made.receive([*asked(1, "7", secret="copper"), *asked(77, "77", secret="marble")])
    made.receive([span(5, "root", parent=False, user__id="7", note="no question of 7")])
    made.settle()
    name = "7" if given == "plain" else made.store.pseudonyms.of("7")
    assert forget(made, "user", name).traces == 2
    assert made.ledger().ingested - 2 == sum(made.ledger().states.values()) == 1
    made.close()


@pytest.mark.parametrize(
    "arguments", [(), ("--user", "a", "--trace", "0" * 32), ("--trace", "7"), ("--user", "")]
)
def test_a_request_that_names_nobody_is_refused(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Before anything is touched."""
    done = ragvigil("forget", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert "--trace" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_changed_key_is_said_for_ids_under_an_earlier_one_are_not_found(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said "erased already" of what was all there."""
    store = ("--store", str(bench.settings.store.path))
    bench.close()
    assert "NOT LOOKED FOR" not in ragvigil("forget", "--user", "nobody", *store).stdout
    monkeypatch.setenv("RAGVIGIL_STORE__USER_ID_KEY", "a-new-key-of-the-operators-own")
    said = ragvigil("forget", "--user", "wanda", *store).stdout
    assert "forgotten: 0 traces" in said
    assert "NOT LOOKED FOR: ids under other keys than the present one (store.user_id_key), of which 1" in said
    found = json.loads(ragvigil("forget", "--user", "wanda", "--json", *store).stdout)
    assert (found["forgotten"]["traces"], found["other_keys"]) == (0, 1)
    assert "NOT LOOKED FOR" not in ragvigil("forget", "--trace", "1" * 32, *store).stdout
    monkeypatch.delenv("RAGVIGIL_STORE__USER_ID_KEY")
    assert "forgotten: 2 traces" in ragvigil("forget", "--user", "wanda", *store).stdout


def test_forgetting_somebody_who_is_not_there_says_so(tmp_path: Path) -> None:
    """A misspelt id read as a whole erasure."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    with SqliteStore(settings):
        pass
    done = ragvigil("forget", "--user", "nobodyatall", "--store", str(settings.store.path))
    assert done.returncode == 0
    assert (
        "nothing of that user was there: it is erased already, or the user has another id here" in done.stdout
    )


@pytest.mark.parametrize(
    ("kind", "named"), [("user", "user.id"), ("conversation", "gen_ai.conversation.id or session.id")]
)
def test_where_no_answer_names_anybody_it_is_said_how_they_are_named(
    tmp_path: Path, kind: str, named: str
) -> None:
    """It looked like an id that is misspelt, of a service that names nobody; where somebody is named, it may be."""
    asks = {"openinference__span__kind": "CHAIN", "input__value": "What is it?", "output__value": "Snow."}
    told = list[str]()
    for folder, came in (
        (tmp_path / "nobody", [span(5, "root", parent=False, **asks)]),
        (tmp_path / "eva", asked(1, "eva", secret="marble table")),
    ):
        folder.mkdir()
        made = Bench(folder, rate=0.0)
        made.receive(came)
        made.settle()
        made.close()
        done = ragvigil("forget", f"--{kind}", "ana", "--store", str(made.settings.store.path))
        told.append(done.stdout)
    said = f"no answer here names any {kind}: a service says it by ragvigil.tracer.context({kind}_id=...), "
    assert f"{said}or on its spans as {named}\n" in told[0]
    assert all(f"nothing of that {kind} was there" in one for one in told)
    assert "no answer here names" not in told[1]
