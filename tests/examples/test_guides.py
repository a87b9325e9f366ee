"""Every command of examples/README.md, as it stands there, against a running scorer.

`.ci/check-examples` installs what they need and names it in EXAMPLE_ENVIRONMENT; without it nothing here runs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import Scorer, eventually, starting
from tests.examples.guides import (
    ANSWER,
    ENVIRONMENT,
    EXAMPLES,
    PATIENCE,
    QUESTION,
    ROOT,
    Guide,
    guides,
    model_server,
    on_a_free_port,
    records,
    redis,
    running,
    surroundings,
)

from ragvigil.scorer.trace import RagTrace

GUIDES = list(guides())
PASSAGE = "At sea level, water boils at 100 degrees Celsius."
SERVICES = {
    "A plain script": "water-script",
    "FastAPI and OpenAI's SDK": "water-fastapi",
    "LangChain": "water-langchain",
    "LlamaIndex": "water-llama-index",
    "Haystack": "water-haystack",
    "Pydantic AI": "water-pydantic-ai",
    "A Celery worker": "water-celery",
    "A Django view": "water-django",
    "A notebook": "water-notebook",
}
NODE = ("ask_ai_sdk.ts", "ask_fetch.ts")

installed = pytest.mark.skipif(
    not ENVIRONMENT.is_dir(), reason=".ci/check-examples runs these: they need the examples' packages"
)


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scorer]:
    """One for all of them."""
    with starting(tmp_path_factory.mktemp("guides")) as serve:
        patient = {"RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "2", "RAGVIGIL_ASSEMBLE__ROOTLESS_SECONDS": "10"}
        yield serve(environment=patient)  # a service's first spans may be sent seconds before its root


@pytest.fixture(scope="module")
def settings(scorer: Scorer) -> Iterator[dict[str, str]]:
    """What the page's first block sets."""
    with model_server() as url:
        yield surroundings(
            OPENAI_BASE_URL=url,
            OPENAI_API_KEY="none",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{scorer.http}",
            HAYSTACK_TELEMETRY_ENABLED="False",
        )


def test_every_section_is_run_here() -> None:
    """A new guide needs a line in this file, and a list of its packages."""
    assert [guide.title for guide in GUIDES] == list(SERVICES)
    folders = {path.parent.name for path in EXAMPLES.glob("*/requirements.txt")}
    assert len(folders) == len(SERVICES) + 1, "and fastapi_service has a page and tests of its own"


@installed
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.title)
def test_a_guide_s_commands_make_one_whole_record(
    guide: Guide, scorer: Scorer, settings: dict[str, str], tmp_path: Path
) -> None:
    """Question, passages with ids, answer, model and tokens: as the page promises."""
    with ExitStack() as stack:
        if "Redis" in guide.title or "Celery" in guide.title:
            url = stack.enter_context(redis(tmp_path))
            if url is None:
                pytest.skip("no redis-server on the PATH")
            settings = {**settings, "REDIS_URL": url}
        *servers, ask = on_a_free_port(guide.commands)
        for server in servers:
            stack.enter_context(running(f"exec {server}", settings))
        ask = ask.replace("curl -s", "curl -s --fail --retry 90 --retry-delay 1 --retry-connrefused")
        done = subprocess.run(
            ["/bin/bash", "-c", ask], cwd=ROOT, env=settings, capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stderr[-3000:]
        if guide.title != "A notebook":
            assert ANSWER in done.stdout
        held_against(SERVICES[guide.title], scorer)


@installed
@pytest.mark.parametrize("script", NODE)
def test_node_s_helper_makes_one_whole_record(script: str, scorer: Scorer, settings: dict[str, str]) -> None:
    """Beside the Vercel AI SDK, whose spans tell of the model, and alone."""
    folder = ENVIRONMENT / "node"
    if not folder.is_dir():
        pytest.skip("no node: .ci/check-examples said why")
    page = (EXAMPLES / "node" / "README.md").read_text()
    (command,) = (
        line for line in page.splitlines() if script in line and line.startswith("OTEL_SERVICE_NAME=")
    )
    done = subprocess.run(
        ["/bin/bash", "-c", command],
        cwd=folder,
        env=settings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert ANSWER in done.stdout
    held_against(command.partition(" ")[0].removeprefix("OTEL_SERVICE_NAME="), scorer)


@installed
def test_node_s_examples_satisfy_the_type_checker() -> None:
    """TypeScript, strict."""
    if not (ENVIRONMENT / "node").is_dir():
        pytest.skip("no node: .ci/check-examples said why")
    done = subprocess.run(
        ["npm", "run", "--silent", "check"],
        cwd=ENVIRONMENT / "node",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout


def test_node_s_helper_stays_small() -> None:
    """Forty lines to copy."""
    assert len((EXAMPLES / "node" / "ragvigil.ts").read_text().splitlines()) <= 40


def held_against(service: str, scorer: Scorer) -> None:
    """The service's one record carries everything, once late spans have joined it."""

    def whole() -> list[RagTrace]:
        found = (each for each in records(scorer.store) if each.service == service)
        return [each for each in found if each.completeness == "complete" and each.answer]

    (record,) = eventually(whole, seconds=PATIENCE)
    assert (record.query, record.answer) == (QUESTION, ANSWER)
    assert [(document.id, document.text) for document in record.documents[:1]] == [("water-1", PASSAGE)]
    assert len(record.documents) == 2
    assert record.model is not None
    assert record.tokens.input
    assert record.tokens.output
    assert scorer.ledger().balanced
