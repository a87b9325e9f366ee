"""A dialect of your own, from the file in the configuration to the record."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually

from ragvigil.scorer.dialects import DIALECTS, read_records
from ragvigil.scorer.dialects.custom import dialects_of
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.span import spans_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "custom_dialect" / "acme.py"
HITS = json.dumps([{"id": "fee", "text": "The fee is 12 euros."}])


def acme() -> bytes:
    """One question in Acme's words."""
    spans = [
        _span(1, 0, "handle", {"acme.q": "What is the fee?"}),
        _span(2, 1, "search", {"acme.q": "fee", "acme.hits": HITS}),
        _span(3, 1, "complete", {"acme.reply": "It is 12 euros [fee].", "acme.llm": "acme-1"}),
    ]
    scope = ScopeSpans(spans=spans)
    scope.scope.name = "acme-rag"
    return TracesData(resource_spans=[ResourceSpans(scope_spans=[scope])]).SerializeToString()


def _span(number: int, parent: int, name: str, attributes: dict[str, str]) -> Span:
    return Span(
        trace_id=b"t" * 16,
        span_id=bytes([number] * 8),
        parent_span_id=bytes([parent] * 8) if parent else b"",
        name=name,
        start_time_unix_nano=number,
        end_time_unix_nano=number + 1,
        attributes=[KeyValue(key=key, value=AnyValue(string_value=text)) for key, text in attributes.items()],
    )


def test_the_example_has_at_most_thirty_lines() -> None:
    """As promised."""
    assert len(EXAMPLE.read_text().splitlines()) <= 30


def test_the_example_reads_its_spans() -> None:
    """All facts, with the built-in dialects behind it."""
    (record,) = read_records(spans_of(acme()), dialects=dialects_of([str(EXAMPLE)]))
    assert (record.query, record.answer, record.model, record.dialect) == (
        "What is the fee?",
        "It is 12 euros [fee].",
        "acme-1",
        "acme",
    )
    assert [document.id for document in record.documents] == ["fee"]
    assert read_records(spans_of(acme())) == []


def test_read_and_explain_take_it_from_the_configuration(tmp_path: Path) -> None:
    """With paths that start where the command is started."""
    (tmp_path / "spans.pb").write_bytes(acme())
    (tmp_path / "acme.py").write_text(EXAMPLE.read_text())
    (tmp_path / "ragvigil.toml").write_text('dialects = ["acme.py"]\n')
    arguments = ("--config", "ragvigil.toml", "spans.pb")
    assert json.loads(ragvigil("read", *arguments, folder=tmp_path).stdout)["dialect"] == "acme"
    shown = ragvigil("explain", *arguments, folder=tmp_path)
    assert "the tracer acme-rag made the span  -> documents" in shown.stdout
    lines = shown.stdout.splitlines()
    asked = lines[next(place for place, line in enumerate(lines) if "tokens       MISSING" in line) + 1]
    assert asked.endswith("complete; its dialect asked for no attribute that tells it"), "user.id was named"
    assert ragvigil("check-config", "ragvigil.toml", folder=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("entry", "content", "problem"),
    [
        ("gone.py", None, "no such file"),
        ("syntax.py", "def (", "SyntaxError"),
        ("empty.py", "", "holds no dialect"),
        ("other.py:Gone", "x = 1", "no Gone there"),
        ("half.py:Half", "class Half:\n    name = 'half'", "no method `matches`"),
        ("noname.py:D", "class D:\n    def matches(self, s): ...\n    def read(self, s): ...", "`name`"),
        ("raises.py:D", "class D:\n    def __init__(self): raise ValueError('no')", "cannot be made: no"),
        ("no.such.module:Name", None, "ModuleNotFoundError"),
        ("package.module", None, "package.module:Name"),
    ],
)
def test_a_mistake_is_named_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, content: str | None, problem: str
) -> None:
    """The entry, what is wrong, and the fix."""
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(entry.partition(":")[0]).write_text(content)
    with pytest.raises(ConfigError) as caught:
        dialects_of([entry])
    assert str(caught.value).startswith("dialects: ")
    assert entry.partition(":")[0] in str(caught.value)
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "raise KeyError('x')",
        "return None",
        "return Reading(role='seeker')",
        "return Reading(role='chain', query=5)",
        "return Reading(role='retriever', documents=[{'id': 1}])",
        "return Reading(role='retriever', documents=(Document(1, 'text'),))",
        "return Reading(role='retriever', documents=(Document('1', b'text'),))",
        "return Reading(role='retriever', documents=(Document('1', 'text', score='high'),))",
        "return Reading(role='retriever', documents=(Document('1', 'text', rank=2**70),))",
        "return Reading(role='retriever', documents=(Document('1', 'text', metadata={1: 2}),))",
        "return Reading(role='chain', segment={'tier': 1})",
        "return Reading(role='chain', cost_usd=float('nan'))",
        "return Reading(role='chain', sampled_with=0.0)",
        "return Reading(role='chain', feedback=('good',))",
        "return Reading(role='chain', response_id=7)",
        "return Reading(role='chain', tokens=Tokens('12', 3))",
    ],
)
def test_a_broken_dialect_costs_its_own_spans_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    """The rest of the trace is read; the log has one line with the cause, however many spans fail."""
    source = EXAMPLE.read_text().replace('if span.name == "search":', 'if span.name != "complete":')
    source += "\nfrom ragvigil.scorer.trace import Document, Tokens\n"
    marked = source.replace(
        "            hits = documents_of", f"            {body}\n            hits = documents_of"
    )
    assert marked != source
    path = tmp_path / "broken.py"
    path.write_text(marked)
    with caplog.at_level(logging.INFO):
        (record,) = read_records(spans_of(acme()), dialects=dialects_of([str(path)]))
    assert record.answer == "It is 12 euros [fee]."
    assert record.documents == ()
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        ("role='seeker'", "role must be chain | retriever | "),
        ("query=5", "query must be text or None; got 5"),
        ("answer=''", "answer must be a text that is not empty, or None"),
        ("documents=[]", "documents must be a tuple of Document or None; got []"),
        ("documents=(Document(1, 'x'),)", "documents[0].id must be text or None; got 1"),
        ("segment={'tier': 1}", "segment['tier'] must be text; got 1"),
        ("redacted=None", "redacted must be bool; got None"),
        ("sampled_with=2", "sampled_with must be over 0 and at most 1, or None; got 2"),
    ],
)
def test_what_a_broken_dialect_got_wrong_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, made: str, problem: str
) -> None:
    """Down to the field of a document."""
    path = tmp_path / "broken.py"
    path.write_text(
        "from ragvigil.scorer.dialects import Reading\n"
        "from ragvigil.scorer.trace import Document\n"
        "class Broken:\n"
        "    name = 'broken'\n"
        "    def matches(self, span): return True\n"
        f"    def read(self, span): return Reading({made})\n"
    )
    read_records(spans_of(acme()), dialects=dialects_of([str(path)]))
    assert problem in caplog.records[0].getMessage()


def test_without_entries_the_built_in_dialects_are_used() -> None:
    """As ever."""
    assert dialects_of([]) is DIALECTS


def test_serve_names_a_mistake_before_it_is_ready(tmp_path: Path) -> None:
    """Exit code 2, one line."""
    (tmp_path / "ragvigil.toml").write_text('dialects = ["gone.py"]\n')
    done = ragvigil("serve", "--config", "ragvigil.toml", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ragvigil: dialects: gone.py: no such file")


ODD = """
from ragvigil.scorer.dialects import Reading

class Odd:
    name = "odd"

    def matches(self, span):
        return span.scope == "acme-rag" or span.attributes.get("kind", "").startswith("rag")

    def read(self, span):
        if span.name == "search":
            return Reading(role="retriever", query=span.attributes["acme.q"].strip())
        return Reading(role="generator", answer=span.attributes.get("acme.reply"))
"""


def test_check_config_tries_a_dialect_on_odd_spans(tmp_path: Path) -> None:
    """One that raised on most of what a broken tracer writes passed; what it asks for tells which attributes count."""
    (tmp_path / "odd.py").write_text(ODD)
    config = tmp_path / "ragvigil.toml"
    config.write_text('dialects = ["odd.py"]\n')
    checked = ragvigil("check-config", str(config))
    assert checked.returncode == 0
    for said in (
        "matches: AttributeError: 'int' object has no attribute 'startswith' (a span whose kind is 0)",
        "read: KeyError: 'acme.q' (a span without attributes, name 'search', scope 'acme-rag')",
        "read: TypeError: answer must be a text that is not empty, or None (a span whose acme.reply is '', scope ",
    ):
        assert f"note: dialect odd fails on odd spans, which are read without it: {said}" in checked.stdout
    config.write_text(f'dialects = ["{EXAMPLE}"]\n')
    assert "odd spans" not in ragvigil("check-config", str(config)).stdout


def test_a_dialect_that_raises_hurts_only_itself_and_is_counted(serve: Serve, tmp_path: Path) -> None:
    """Its `matches` wrote a traceback for each span, and nobody but the log said that it failed."""
    (tmp_path / "odd.py").write_text(ODD)
    config = tmp_path / "ragvigil.toml"
    config.write_text('dialects = ["odd.py"]\n')
    scorer = serve(config=config)
    odd = acme().replace(b"acme.q", b"acme.z")
    headers = {"content-type": "application/x-protobuf"}
    httpx.post(f"http://{scorer.http}/v1/traces", content=odd, headers=headers).raise_for_status()
    eventually(lambda: scorer.ledger().ingested)
    status = ragvigil("status", "--store", f"sqlite:///{scorer.store}")
    assert "dialect odd: failed on a span 1 times in the last 24 hours (last " in status.stdout
    told = json.loads(ragvigil("status", "--json", "--store", f"sqlite:///{scorer.store}").stdout)
    failures = told["dialect_failures"]["odd"]
    assert (failures["lately"], failures["ever"]) == (1, 1)
