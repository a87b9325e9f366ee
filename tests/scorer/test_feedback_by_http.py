"""Feedback by plain HTTP, as docs/tracer.md shows it, against a scorer that runs as a user starts it."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from tests.conftest import Scorer, Serve, eventually

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.tracer import configure, current_trace_id, trace_generator, trace_rag, trace_retriever

PAGE = (Path(__file__).parents[2] / "docs" / "tracer.md").read_text()
POSTS = dict(
    re.findall(
        r"^\$ curl -s http://127\.0\.0\.1:4318(\S+) -H 'Content-Type: application/json' -d '(.*?)'$",
        PAGE,
        re.DOTALL | re.MULTILINE,
    )
)
SHOWN_TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """One passage."""
    return [("p1", "Water boils at 100 degrees Celsius.")]


@trace_generator(model="m")
def write(question: str, passages: object) -> str:
    """An answer with its source."""
    return "Water boils at 100 degrees [p1]."


@trace_rag
def ask(question: str) -> str | None:
    """The trace id that a service keeps with its answer."""
    write(question, search(question))
    return current_trace_id()


def stored_feedback(scorer: Scorer) -> list[dict[str, object]]:
    """The feedback of the only answer; empty as long as there is none."""
    try:
        connection = open_for_reading(scorer.store)
    except StoreError:
        return []
    with closing(connection):
        rows = connection.execute("SELECT feedback FROM answers WHERE query IS NOT NULL").fetchall()
    return [told for (feedback,) in rows if feedback for told in json.loads(feedback)]


@pytest.mark.parametrize("path", ["/v1/feedback", "/v1/traces"])
def test_a_documented_post_joins_its_answer_in_the_store(serve: Serve, path: str) -> None:
    """The trace id of the page is the only thing that is changed."""
    assert SHOWN_TRACE in POSTS[path]
    scorer = serve()
    url = f"http://{scorer.http}"
    tracing = configure(service_name="shop-assistant", endpoint=url)
    trace_id = ask("When does water boil?")
    assert trace_id is not None
    assert tracing.shutdown(timeout_seconds=10)
    answered = httpx.post(
        f"{url}{path}",
        content=POSTS[path].replace(SHOWN_TRACE, trace_id),
        headers={"Content-Type": "application/json"},
    )
    assert answered.status_code == 200, answered.text
    (told,) = eventually(lambda: stored_feedback(scorer))
    assert (told["name"], told["label"]) == ("thumbs", "down")
    if path == "/v1/traces":
        assert told["explanation"] == "That is Fahrenheit."
