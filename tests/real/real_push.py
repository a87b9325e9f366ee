"""Scores pushed to a real Phoenix, from its package in a venv of its own, and read back.

Sends the repository's traces to Phoenix and to a scorer that exports to it, and holds Phoenix's annotations against
the scorer's store; then once more from an empty store, which must overwrite and not add.
Usage: python tests/real/real_push.py [--venv FOLDER]
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conftest import Scorer, starting
from tests.real.real_pull import PATIENCE, PROTOBUF, TRACES, fill, installed, running

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_scores import Change, Choice, scored_answers

CHOICE = Choice(("faithfulness", "support", "citation_correctness", "context_relevance"))
Key = tuple[str, str]


def main() -> int:
    """Run it; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--venv", type=Path, help="a venv that has Phoenix; default: a new one, thrown away")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragvigil-real-") as folder:
        scratch = Path(folder)
        venv = arguments.venv or installed("phoenix", scratch / "venv")
        with running("phoenix", venv, scratch) as url:
            fill("phoenix", url, venv)
            problems = [problem for turn in ("first", "second") for problem in push(url, scratch / turn)]
    print("\n".join(problems) or "phoenix: every score is an annotation, once")
    return 1 if problems else 0


def push(url: str, folder: Path) -> Iterator[str]:
    """Score the traces and send the scores; what Phoenix shows differently, in words."""
    folder.mkdir()
    environment = {"RAGVIGIL_EXPORT__PHOENIX__URL": url, "RAGVIGIL_SAMPLE__RATE": "1"}
    with starting(folder) as start:
        scorer = start(environment=environment)
        for path in TRACES:
            body = path.read_bytes()
            httpx.post(
                f"http://{scorer.http}/v1/traces", content=body, headers=PROTOBUF, timeout=PATIENCE
            ).raise_for_status()
        wait(lambda: settled(scorer))
        wanted = scores(scorer)
        found: dict[Key, list[Mapping[str, Any]]] = {}
        with contextlib.suppress(TimeoutError):
            wait(
                lambda: (
                    found.update(shown_on(url, {span for span, _ in wanted})) or found.keys() >= wanted.keys()
                )
            )
    print(f"phoenix: {len(wanted)} scores of {len({span for span, _ in wanted})} answers")
    if not wanted:
        yield "nothing was scored"
    for key, (value, label) in wanted.items():
        shown = [(one["result"].get("score"), one["result"].get("label")) for one in found.get(key, [])]
        if shown != [(value, label)]:
            yield f"{key}: {(value, label)} is {shown}"


def settled(scorer: Scorer) -> bool:
    """Whether every record has been scored and sent."""
    ledger = scorer.ledger()
    if not ledger.ingested or ledger.states.get("pending"):
        return False
    with closing(open_for_reading(scorer.store)) as connection:
        return int(connection.execute("SELECT count(*) FROM outgoing").fetchone()[0]) == 0


def scores(scorer: Scorer) -> dict[Key, tuple[float | None, str | None]]:
    """(span, score) → (value, label), as the store has them."""
    with closing(open_for_reading(scorer.store)) as connection:
        ids = [int(row[0]) for row in connection.execute("SELECT id FROM records")]
        changes = [Change(0, one, part) for one in ids for part in ("checks", "verdict")]
        return {
            (answer.span_id, score.name): (score.value, score.label)
            for answer in scored_answers(connection, changes, CHOICE)
            for score in answer.scores
        }


def shown_on(url: str, spans: set[str]) -> dict[Key, list[Mapping[str, Any]]]:
    """What Phoenix shows of these spans."""
    found: dict[Key, list[Mapping[str, Any]]] = {}
    parameters: dict[str, list[str] | int] = {"span_ids": sorted(spans), "limit": 1000}
    answer = httpx.get(f"{url}/v1/projects/default/span_annotations", params=parameters, timeout=PATIENCE)
    for one in answer.raise_for_status().json()["data"]:
        found.setdefault((one["span_id"], one["name"]), []).append(one)
    return found


def wait(probe: Callable[[], object]) -> None:
    """Until it is true; raises TimeoutError."""
    deadline = time.monotonic() + PATIENCE
    while not probe():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
