"""What the commands share that tell the scorer something about incidents."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.asking import By
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.incidents.oncall import Order

_LONGEST_TEXT = 500
_LONGEST_NAME = 100
WaitOption = Annotated[
    float,
    typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait until the scorer has done it."),
]
ByOption = Annotated[str | None, typer.Option(metavar="NAME", help="Who says so; none: your login name.")]


def carry_out(settings: Settings, order: Order, seconds: float) -> tuple[str, By]:
    """Have it done; the id that it was about, and by whom. Raises OrderError, StoreError."""
    from ragvigil.scorer.asking import have_done
    from ragvigil.scorer.errors import OrderError
    from ragvigil.scorer.incidents.oncall import OrderDesk, order_requests
    from ragvigil.scorer.store.sqlite import SqliteStore

    requests = order_requests(settings.inbox_path)

    def here(store: SqliteStore) -> None:
        OrderDesk(requests, store.oncall).clear()

    answer, by = have_done(settings, requests, order, here=here, seconds=seconds)
    if answer.problem is not None:
        raise OrderError(answer.problem)
    return answer.id, by


def name_of(given: str | None) -> str:
    """Who gives the order."""
    return text_of("--by", _login() if given is None else given, longest=_LONGEST_NAME)


def text_of(option: str, given: str, *, longest: int = _LONGEST_TEXT, empty: bool = False) -> str:
    """What somebody wrote, as one line that is safe to print. Raises ConfigError when it is empty or too long."""
    from ragvigil.exporters import clean

    if len(given) > longest:
        raise ConfigError(option, f"has {len(given):,} characters", f"at most {longest}")
    text = clean(given, limit=longest).strip()
    if not text and not empty:
        raise ConfigError(option, "is empty", "say something that the next person understands")
    return text


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
