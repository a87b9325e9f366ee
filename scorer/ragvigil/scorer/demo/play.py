"""The play itself: scorer and service as processes, traffic, faults one after the other, and what came of it."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import secrets
import signal
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from queue import Empty
from typing import Protocol

import httpx

from ragvigil.exporters import Alert, from_json
from ragvigil.scorer.demo.corpus import load_corpus
from ragvigil.scorer.demo.faults import FaultName
from ragvigil.scorer.demo.language_model import LanguageModel
from ragvigil.scorer.demo.left import CONFIG_NAME
from ragvigil.scorer.demo.phases import EXTRACTIVE, LANGUAGE_MODEL, Evidence, Pace, Phase, script
from ragvigil.scorer.demo.processes import Child, clean_environment, running
from ragvigil.scorer.demo.questions import load_questions
from ragvigil.scorer.demo.receiver import Page, Receiver
from ragvigil.scorer.demo.report import RIGHT_SERIES, Act, Levels, Report, Told, timed
from ragvigil.scorer.demo.traffic import Traffic
from ragvigil.scorer.demo.watch import EMPTY, Snapshot, look, measure
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.monitoring import AnyName

_LOG = logging.getLogger(__name__)

_FRAME_SECONDS = 0.25
_LINGER_SECONDS = 1.5
"""A fault stays on a moment longer than its page, so that a reader sees both."""
_DELIVERY_SECONDS = 3.0
"""What was said in a phase is shown in it, unless it takes longer than this to arrive."""
_DRAIN_SECONDS = 12.0
_GRAIN = 1_000_000_000
_LEAD_SECONDS = 2.0
"""How much of its traffic the service may be ahead of the scorer: on a machine that is slow or busy, answers would
otherwise be older than the windows of a few seconds in which the demo compares them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What there is to show at one moment."""

    act: str
    seconds: float
    """Since the demo began."""
    sent: int
    failed: int
    snapshot: Snapshot


class View(Protocol):
    """Where the play is seen; nothing that it is given is ever changed."""

    def scene(self, name: str) -> None:
        """A phase begins."""
        ...

    def page(self, alert: Alert) -> None:
        """A page arrived at the on-call."""
        ...

    def frame(self, frame: Frame) -> None:
        """Time passed."""
        ...


async def play(store: Path, *, faults: bool, view: View, pace: Pace | None = None) -> Report:
    """Everything from the first process to the last, beside `store`, the database; what was measured.

    Without a `pace` it is that of the generator in use.
    """
    stage = Stage(store, view)
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    pace = pace or (EXTRACTIVE if LanguageModel.from_environment() is None else LANGUAGE_MODEL)
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    async with AsyncExitStack() as stack:
        stage.receiver = stack.enter_context(Receiver(secret))
        view.scene("starting the scorer and the service")
        questions = asyncio.create_task(asyncio.to_thread(_questions))
        scorer = await _start_scorer(stack, stage, pace, secret)
        service = await _start_service(stack, stage, scorer)
        stage.children = (scorer, service)
        stage.traffic = Traffic(
            f"http://{service.ready['http']}", await questions, rate=pace.questions_a_second
        )
        await _perform(stage, script(pace, faults=faults))
        await _drain(stage, scorer, service)
    return _report(stage)


@dataclass
class Stage:
    """What the play knows while it runs."""

    store: Path
    """The scorer's database."""
    view: View
    began: float = field(default_factory=time.monotonic)
    act: str = ""
    acts: list[Act] = field(default_factory=list[Act])
    told: dict[str, Told] = field(default_factory=dict[str, Told])
    snapshot: Snapshot = EMPTY
    receiver: Receiver | None = None
    traffic: Traffic | None = None
    children: Sequence[Child] = ()
    most_waiting: int = 0

    @property
    def folder(self) -> Path:
        """Where everything is left."""
        return self.store.parent

    async def observe(self) -> None:
        """Take in pages and the store, and show them; raises StoreError when a process has died."""
        await asyncio.sleep(_FRAME_SECONDS)
        self._take_pages()
        self.snapshot = await asyncio.to_thread(look, self.store)
        traffic = self.traffic
        sent, failed = (traffic.sent, traffic.failed) if traffic else (0, 0)
        waiting = sent - self.snapshot.ledger.ingested
        self.most_waiting = max(self.most_waiting, waiting)
        if traffic is not None:
            traffic.held = waiting > _LEAD_SECONDS * traffic.rate
        self.view.frame(Frame(self.act, time.monotonic() - self.began, sent, failed, self.snapshot))
        for child in self.children:
            if child.process.returncode is not None:
                raise StoreError(f"the demo's {child.name} ended by itself; see {child.log}")

    def scene(self, name: str) -> None:
        """Show that a phase begins, after the pages that arrived before."""
        self._take_pages()
        self.view.scene(name)

    def _take_pages(self) -> None:
        assert self.receiver is not None
        with suppress(Empty):
            while True:
                self._take_page(self.receiver.pages.get_nowait())

    def _take_page(self, page: Page) -> None:
        try:
            alert = from_json(json.dumps(page.payload.get("data")))
        except ValueError as error:
            _LOG.warning("a signed message is no page: %s", error)
            return
        told = self.told.get(alert.incident_id, Told(0, 0))
        if alert.action == "trigger":
            told = replace(told, pages=told.pages + 1)
        elif alert.action == "resolve":
            told = replace(told, resolutions=told.resolutions + 1)
        self.told[alert.incident_id] = told
        self.view.page(alert)


def _questions() -> tuple[str, ...]:
    return load_questions(load_corpus())


async def _start_scorer(stack: AsyncExitStack, stage: Stage, pace: Pace, secret: str) -> Child:
    assert stage.receiver is not None
    config = stage.store.with_name(CONFIG_NAME)
    config.write_text(_config(pace, stage.store), encoding="utf-8")
    channel = {"TYPE": "webhook", "URL": stage.receiver.url, "SECRET": secret}
    environment = clean_environment()
    environment |= {f"RAGVIGIL_CHANNELS__ONCALL__{key}": value for key, value in channel.items()}
    arguments = ["serve", "--json", "--supervised", "--config", str(config.absolute())]
    arguments += ["--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    return await stack.enter_async_context(
        running("scorer", "ragvigil.scorer", arguments, environment=environment, folder=stage.folder)
    )


def _config(pace: Pace, store: Path) -> str:
    """The scorer's settings with the store's address: what the demo leaves behind is looked at with the same."""
    settings = files("ragvigil.scorer.demo").joinpath(pace.config).read_text(encoding="utf-8")
    return f"{settings}\n[store]\nurl = {json.dumps(f'sqlite:///{store.absolute()}')}\n"


async def _start_service(stack: AsyncExitStack, stage: Stage, scorer: Child) -> Child:
    arguments = ["--endpoint", f"http://{scorer.ready['http']}"]
    module = "ragvigil.scorer.demo.service"
    return await stack.enter_async_context(
        running("service", module, arguments, environment=clean_environment(), folder=stage.folder)
    )


async def _perform(stage: Stage, phases: Sequence[Phase]) -> None:
    """Play the phases under traffic."""
    assert stage.traffic is not None
    stop = asyncio.Event()
    asking = asyncio.create_task(stage.traffic.run(stop))
    try:
        async with httpx.AsyncClient(base_url=stage.traffic.url, trust_env=False) as client:
            for phase in phases:
                reply = await client.post("/fault", json={"name": phase.fault})
                reply.raise_for_status()
                await perform_phase(stage, phase, time.monotonic() + phase.longest_seconds)
    finally:
        stop.set()
        await asking


async def perform_phase(stage: Stage, phase: Phase, deadline: float) -> None:
    """One phase, to the last page about it."""
    began = time.time_ns()
    stage.act = phase.name
    stage.scene(phase.name)
    while time.monotonic() < deadline:
        await stage.observe()
        if phase.until(Evidence(began, stage.snapshot, stage.told)):
            break
    if phase.fault is not None:
        enough = time.monotonic() + _LINGER_SECONDS
        while (now := time.monotonic()) < enough or (
            now < deadline and not _shown(stage, phase.fault, began)
        ):
            await stage.observe()
    arrived = time.monotonic() + _DELIVERY_SECONDS
    while stage.snapshot.undelivered and time.monotonic() < arrived:
        await stage.observe()
    stage.acts.append(Act(phase.name, phase.fault, began, time.time_ns()))


async def _drain(stage: Stage, scorer: Child, service: Child) -> None:
    """End the service, then the scorer once it has scored all that was sent."""
    assert stage.traffic is not None
    stage.act = "ending"
    stage.scene("ending: the last traces are scored")
    stage.children = (scorer,)
    await service.stop()
    deadline = time.monotonic() + _DRAIN_SECONDS
    while time.monotonic() < deadline:
        await stage.observe()
        ledger = stage.snapshot.ledger
        if ledger.ingested >= stage.traffic.sent and not ledger.states.get("pending"):
            break
    stage.children = ()
    await scorer.stop()
    await stage.observe()


def _report(stage: Stage) -> Report:
    assert stage.traffic is not None
    incidents = reversed(stage.snapshot.incidents)
    return Report(
        acts=tuple(stage.acts),
        traces_sent=stage.traffic.sent,
        traces_failed=stage.traffic.failed,
        traces_ingested=stage.snapshot.ledger.ingested,
        ledger=stage.snapshot.ledger.states,
        series={status.key.name: _levels(stage, status.key.name) for status in stage.snapshot.series},
        incidents=tuple(timed(one, stage.acts, stage.told.get(one.id, Told(0, 0))) for one in incidents),
        wall_seconds=time.monotonic() - stage.began,
        most_waiting=stage.most_waiting,
    )


def _shown(stage: Stage, fault: FaultName, began: int) -> bool:
    """Whether enough answers since then are scored for an interval of the series that shows the fault."""
    keys = (status.key for status in stage.snapshot.series if status.key.name == RIGHT_SERIES[fault])
    since = [(began, time.time_ns())]
    return all(measure(stage.store, key, since, _GRAIN) is not None for key in keys)


def _levels(stage: Stage, name: AnyName) -> Levels:
    """The series over the healthy acts, and over the act whose fault it must show."""
    key = next(status.key for status in stage.snapshot.series if status.key.name == name)
    healthy = [(act.began, act.ended) for act in stage.acts if act.fault is None]
    faulty = [
        (act.began, act.ended)
        for act in stage.acts
        if act.fault is not None and RIGHT_SERIES[act.fault] == name
    ]
    return Levels(
        measure(stage.store, key, healthy, _GRAIN),
        measure(stage.store, key, faulty, _GRAIN) if faulty else None,
    )
