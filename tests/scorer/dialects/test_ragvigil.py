"""Our own spans, written by the names that the tracer exports."""

from __future__ import annotations

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Cited, Retrieval, Tokens
from ragvigil.tracer import attributes as names

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span


def ours(*, content: bool = True, rerank: bool = False) -> list[Span]:
    """What our tracer makes of one question."""
    hits = [
        {"id": key, "score": score, **({"content": text, "metadata": {"page": 3}} if content else {})}
        for key, text, score in PASSAGES
    ]
    everywhere: dict[str, object] = {
        names.GEN_AI_CONVERSATION_ID: "trip-1",
        names.USER_ID: "ana",
        f"{names.RAGVIGIL_SEGMENT_PREFIX}language": "en",
        **({} if content else {names.RAGVIGIL_CONTENT: names.CONTENT_OFF}),
    }
    texts: dict[str, object] = {names.INPUT_VALUE: QUESTION, names.OUTPUT_VALUE: ANSWER} if content else {}
    root: dict[str, object] = {names.GEN_AI_OPERATION_NAME: names.OPERATION_WORKFLOW, **texts}
    search: dict[str, object] = {
        names.GEN_AI_OPERATION_NAME: names.OPERATION_RETRIEVAL,
        names.GEN_AI_RETRIEVAL_DOCUMENTS: as_json(hits),
        **({names.GEN_AI_RETRIEVAL_QUERY_TEXT: "ferry departure"} if content else {}),
    }
    said = as_json([{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}])
    chat: dict[str, object] = {
        names.GEN_AI_OPERATION_NAME: names.OPERATION_CHAT,
        names.GEN_AI_REQUEST_MODEL: "tiny-chat-1",
        names.GEN_AI_RESPONSE_MODEL: "tiny-chat-1-2026",
        names.GEN_AI_USAGE_INPUT_TOKENS: 20,
        names.GEN_AI_USAGE_OUTPUT_TOKENS: 5,
        names.GEN_AI_REQUEST_STREAM: True,
        names.RAGVIGIL_PROMPT_VERSION: "p7",
        **({names.GEN_AI_OUTPUT_MESSAGES: said} if content else {}),
    }
    better: dict[str, object] = {
        names.GEN_AI_OPERATION_NAME: names.OPERATION_RERANK,
        names.RAGVIGIL_RERANK_INPUT_IDS: ["timetable-1", "fares-2"],
        names.GEN_AI_RETRIEVAL_DOCUMENTS: as_json([{"id": "fares-2", "score": 0.97}]),
    }
    made = [
        span("a1", root | everywhere, start=1, end=99, scope=names.SCOPE_NAME),
        span("a2", search | everywhere, parent="a1", start=2, end=20, scope=names.SCOPE_NAME),
        span("a4", chat | everywhere, parent="a1", start=31, end=90, scope=names.SCOPE_NAME),
    ]
    reranked = span("a3", better | everywhere, parent="a1", start=21, end=30, scope=names.SCOPE_NAME)
    return [*made, reranked] if rerank else made


def changed(spans: list[Span], place: int, **attributes: object) -> list[Span]:
    """The spans, one of them with other attributes too."""
    old = spans[place]
    new = span(
        old.span_id,
        {**old.attributes, **attributes},
        parent=old.parent_id,
        start=(old.start // 1_000_000) % 1000,
        end=(old.end // 1_000_000) % 1000,
        scope=old.scope,
    )
    return [*spans[:place], new, *spans[place + 1 :]]


def test_our_spans_read_whole() -> None:
    """Everything the tracer knows arrives."""
    record = only(ours())
    assert (record.query, record.answer, record.dialect) == (QUESTION, ANSWER, "ragvigil")
    assert (record.model, record.response_model, record.prompt_version) == (
        "tiny-chat-1",
        "tiny-chat-1-2026",
        "p7",
    )
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert record.documents[0].metadata == {"page": 3}
    assert (record.tokens, record.streaming) == (Tokens(20, 5), True)
    assert (record.conversation_id, record.user_id, record.segment) == ("trip-1", "ana", {"language": "en"})
    assert record.retrievals == (
        Retrieval("retrieve", "ferry departure", ("timetable-1", "fares-2"), (0.9, 0.5)),
    )
    assert record.completeness == "complete"


def test_a_rerank_with_ids_only_takes_its_texts_from_the_search() -> None:
    """Large content travels once."""
    record = only(ours(rerank=True))
    assert [(each.id, each.text, each.score) for each in record.documents] == [
        ("fares-2", PASSAGES[1][1], 0.97)
    ]
    assert [step.stage for step in record.retrievals] == ["retrieve", "rerank"]


def test_content_off_is_said_and_not_scored() -> None:
    """Ids and scores stay."""
    record = only(ours(content=False))
    assert (record.query, record.answer, record.completeness) == (None, None, "withheld")
    assert ids(record) == ["timetable-1", "fares-2"]


def test_what_is_missing_beside_texts_that_are_left_out_is_said() -> None:
    """Passages, a search's result, the span above; a text that would have been cut is no loss then."""
    off = ours(content=False)
    total = changed(off, 1, **{names.RAGVIGIL_DOCUMENTS_TOTAL: 40})
    silent = changed(off, 1, **{names.GEN_AI_RETRIEVAL_DOCUMENTS: ""})
    alone = off[2:]
    assert {only(spans).completeness for spans in (total, silent, alone)} == {"partial_evidence"}
    cut = changed(off, 2, **{names.RAGVIGIL_CONTENT_TRUNCATED: [names.GEN_AI_OUTPUT_MESSAGES]})
    assert only(cut).completeness == "withheld"
    (late,) = read_records(off, timed_out=True)
    assert late.completeness == "timed_out"


def test_cut_documents_make_a_record_incomplete() -> None:
    """Whether the list or a text was cut."""
    total = changed(ours(), 1, **{names.RAGVIGIL_DOCUMENTS_TOTAL: 40})
    cut = as_json([{"id": "a", "content": "The ferry", "truncated": True}])
    text = changed(ours(), 1, **{names.GEN_AI_RETRIEVAL_DOCUMENTS: cut})
    answer = changed(ours(), 2, **{names.RAGVIGIL_CONTENT_TRUNCATED: [names.GEN_AI_OUTPUT_MESSAGES]})
    assert {only(spans).completeness for spans in (total, text, answer)} == {"partial_evidence"}


def test_an_empty_retrieval_is_known() -> None:
    """The tracer writes an empty list."""
    record = only(changed(ours(), 1, **{names.GEN_AI_RETRIEVAL_DOCUMENTS: "[]"}))
    assert (record.documents, record.completeness, record.retrieved) == ((), "complete", True)


def test_an_answer_that_looks_like_json_stays_text() -> None:
    """The root's answer is plain text by contract."""
    spans = [each for each in ours() if each.span_id == "a1"]
    assert only(changed(spans, 0, **{names.OUTPUT_VALUE: '{"hours": 9}'})).answer == '{"hours": 9}'


def test_documents_that_are_no_json_are_unknown() -> None:
    """A broken attribute costs the evidence, not the record."""
    record = only(changed(ours(), 1, **{names.GEN_AI_RETRIEVAL_DOCUMENTS: "[{"}))
    assert (record.documents, record.completeness) == ((), "partial_evidence")


def test_an_unreadable_root_does_not_make_the_record_incomplete() -> None:
    """A root may return a web framework's response object: the generator's span has the answer."""
    mark: dict[str, object] = {names.RAGVIGIL_UNREADABLE: ["answer: Response"]}
    assert only(changed(ours(), 0, **mark)).completeness == "complete"
    assert only(changed(ours(), 2, **mark)).completeness == "partial_evidence"


def test_what_is_neither_evidence_nor_answer_does_not_make_the_record_incomplete() -> None:
    """An id, a score, metadata, tokens; a passage whose text could not be read does."""
    aside = ["query: int", "metadata: list", "id: str", "score: str", "usage: int"]
    mark: dict[str, object] = {names.RAGVIGIL_UNREADABLE: aside}
    assert only(changed(ours(), 1, **mark)).completeness == "complete"
    mark = {names.RAGVIGIL_UNREADABLE: [*aside, "documents: text: int"]}
    assert only(changed(ours(), 1, **mark)).completeness == "partial_evidence"


def test_feedback_and_the_sampling_probability_are_taken_along() -> None:
    """Thumbs that come later as a span of the same trace, and what the service's own sampler left out."""
    thumbs: dict[str, object] = {
        names.GEN_AI_OPERATION_NAME: names.OPERATION_FEEDBACK,
        "annotations.0.annotation.name": "thumbs",
        "annotations.0.annotation.score": 0.0,
        "annotations.0.annotation.annotator_kind": "HUMAN",
    }
    later = span("a9", thumbs, parent="a1", start=200, end=200, scope=names.SCOPE_NAME)
    sampled = changed(ours(), 0, **{names.RAGVIGIL_SAMPLING_PROBABILITY: 0.25})
    record = only([*sampled, later])
    assert record.upstream_probability == 0.25
    assert [dict(entry) for entry in record.feedback] == [
        {"name": "thumbs", "score": 0.0, "annotator_kind": "HUMAN"}
    ]


def test_citations_that_the_service_found_itself_stand_in_for_an_answer_that_was_not_sent() -> None:
    """`ids_only`: the content stays in the service, the citation check still works."""
    marks: dict[str, object] = {names.RAGVIGIL_CITED_IDS: ["fares-2"], names.RAGVIGIL_CITED_UNKNOWN: ["7"]}
    hidden = only(changed(ours(content=False), 2, **marks))
    assert hidden.cited == Cited(("fares-2",), ("7",))
    results = {result.check: result for result in run_checks(hidden)}
    assert (results["citation_correctness"].value, results["citations_present"].value) == (0.5, 1.0)
    assert results["citation_correctness"].reason == "cites 7, which was not retrieved"
    assert only(changed(ours(), 2, **marks)).cited is None  # the answer is here: it is read itself


def test_citations_of_an_answer_that_was_read_in_part_say_nothing_of_their_correctness() -> None:
    """What the rest cites is not known; that anything is cited is."""
    marks: dict[str, object] = {names.RAGVIGIL_CITED_IDS: ["fares-2"], names.RAGVIGIL_CITATIONS_READ: 4_000}
    hidden = only(changed(ours(content=False), 2, **marks))
    assert hidden.cited == Cited(("fares-2",), (), 4_000)
    results = {result.check: result for result in run_checks(hidden)}
    assert (results["citation_correctness"].value, results["citations_present"].value) == (None, 1.0)
    assert results["citation_correctness"].reason == "only the first 4000 characters were read for citations"
    nothing = only(changed(ours(content=False), 2, **{names.RAGVIGIL_CITATIONS_READ: 4_000}))
    assert {result.check: result for result in run_checks(nothing)}["citations_present"].value is None


def test_a_cut_id_or_metadata_leaves_the_evidence_whole() -> None:
    """Only texts are judged; a spread one is a text."""
    beside = [names.CUT_METADATA, names.CUT_DOCUMENT_IDS, names.USER_ID, names.CUT_SEGMENT, names.CUT_BAGGAGE]
    whole = changed(ours(), 1, **{names.RAGVIGIL_CONTENT_TRUNCATED: beside})
    spread = changed(
        ours(), 1, **{names.RAGVIGIL_CONTENT_TRUNCATED: ["retrieval.documents.0.document.content"]}
    )
    assert (only(whole).completeness, only(spread).completeness) == ("complete", "partial_evidence")


def test_passages_that_are_flattened_for_openinference_backends_are_read() -> None:
    """`openinference=True` writes texts beside the JSON, not in it."""
    plain = {"id": "timetable-1", "score": 0.5}
    flat: dict[str, object] = {
        names.GEN_AI_RETRIEVAL_DOCUMENTS: as_json([plain]),
        "retrieval.documents.0.document.id": "timetable-1",
        "retrieval.documents.0.document.content": "The ferry leaves at nine.",
    }
    record = only(changed(ours(), 1, **flat))
    assert [document.text for document in record.documents] == ["The ferry leaves at nine."]
