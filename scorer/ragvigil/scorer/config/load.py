"""From a file, the environment and arguments to settings; errors that name the key and the fix."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from ragvigil.scorer.config.channels import SlackChannel
from ragvigil.scorer.config.faults import explained, is_section, together
from ragvigil.scorer.config.fields import place_and_name
from ragvigil.scorer.config.judging import borrowed
from ragvigil.scorer.config.placeholders import placeholders
from ragvigil.scorer.config.sections import Receive, Settings
from ragvigil.scorer.config.variables import PREFIX, told
from ragvigil.scorer.errors import ConfigError, meant, nearest

OF_THE_TRACER = frozenset({"RAGVIGIL_DISABLED", "RAGVIGIL_HASH_KEY", "RAGVIGIL_THREADS"})
"""Variables of the services, which may share the scorer's environment."""
_OTHERS = ("RAGVIGIL_DEMO_", "RAGVIGIL_BENCH_")
"""How variables begin that share the prefix, too, without being settings of the scorer."""
_VERY_NEAR = 0.85
_ANYWHERE = frozenset({"", "0.0.0.0", "[::]"})  # noqa: S104 - compared, not bound
_LOOPBACK = "127.0.0.1"
WITHOUT_A_RULE = frozenset({"no_question", "no_spans"})
"""Why the ledger filters without a rule."""
Tree = dict[str, object]


def load(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Settings:
    """The settings of the file at `path` (none: defaults), with the environment and then `overrides` on top.

    Raises ConfigError that names each key that is wrong, the problem, and the nearest known key.

    >>> load(overrides={"sample": {"rate": 0.5}}).sample.rate
    0.5
    """
    tree = _read(path) if path is not None else {}
    _merge(tree, _environment(os.environ), ())
    _merge(tree, overrides or {}, ())
    if left := list(placeholders(tree)):
        raise together([*told(left, os.environ)])
    _borrow(tree, os.environ)
    try:
        settings = Settings.model_validate(tree)
    except ValidationError as error:
        raise explained(error, os.environ) from None
    faults = [
        *_one_port(settings.receive),
        *_open_doors(settings),
        *_leaks(settings),
        *_lost_routes(settings),
        *_dead_buttons(settings),
    ]
    if faults:
        raise together(faults)
    return settings


def _read(path: Path) -> Tree:
    with naming(path):
        return _beside(path.parent, tomllib.loads(path.read_text(encoding="utf-8-sig")))


@contextmanager
def naming(path: Path) -> Generator[None]:
    """ConfigError names the TOML file that cannot be read, and what is wrong with it."""
    try:
        yield
    except OSError as error:
        raise ConfigError(str(path), (error.strerror or "cannot be read").lower()) from None
    except ValueError as error:
        raise ConfigError(str(path), f"not valid TOML: {error}") from None


def _beside(folder: Path, tree: Tree) -> Tree:
    """The tree with files of code that lie beside it found there, wherever the command is started."""
    dialects, checks = tree.get("dialects"), tree.get("custom_checks")
    if isinstance(dialects, list):
        tree["dialects"] = [_found(folder, one) for one in cast("list[object]", dialects)]
    if isinstance(checks, dict):
        for section in cast("Tree", checks).values():
            if isinstance(section, dict) and "function" in section:
                check = cast("Tree", section)
                check["function"] = _found(folder, check["function"])
    return tree


def _found(folder: Path, entry: object) -> object:
    """``path/to/file.py`` or ``path/to/file.py:name``, with the path of the one in that folder if there is one."""
    if not isinstance(entry, str):
        return entry
    place, name = place_and_name(entry)
    file = folder / place
    return (
        f"{file.absolute()}:{name}".removesuffix(":") if place.endswith(".py") and file.is_file() else entry
    )


def _environment(variables: Mapping[str, str]) -> Tree:
    """The tree that the variables spell: two underscores nest."""
    tree: Tree = {}
    sections = list(Settings.model_fields)
    for name, value in variables.items():
        if not name.startswith(PREFIX) or name in OF_THE_TRACER or name.startswith(_OTHERS):
            continue
        place = name.removeprefix(PREFIX).lower().split("__")
        if place[0] not in sections:
            raise ConfigError(name, "unknown setting", _meant_variable(name) or meant(place[0], sections))
        branch: object = value
        for part in reversed(place):
            branch = {part: branch}
        _merge(tree, cast("Tree", branch), ())
    return tree


def _meant_variable(name: str) -> str | None:
    """The hint for a variable that is nearly one that exists; two underscores between section and key are forgotten.

    >>> _meant_variable("RAGVIGIL_SAMPLE_RATE"), _meant_variable("RAGVIGIL_DISABLE")
    ('did you mean RAGVIGIL_SAMPLE__RATE?', 'did you mean RAGVIGIL_DISABLED?')
    >>> _meant_variable("RAGVIGIL_CHANNELS_ONCALL_SECRET")
    'two underscores nest: RAGVIGIL_CHANNELS__...'
    """
    known = [name.removeprefix(PREFIX) for name in OF_THE_TRACER]
    for section, field in Settings.model_fields.items():
        keys = getattr(field.annotation, "model_fields", ())
        known += [f"{section}__{key}".upper() for key in keys]
    word = name.removeprefix(PREFIX)
    near = nearest(word, known, cutoff=_VERY_NEAR)
    if near:
        return f"did you mean {PREFIX}{near[0]}?"
    begun = next((one for one in map(str.upper, Settings.model_fields) if word.startswith(f"{one}_")), None)
    return None if begun is None else f"two underscores nest: {PREFIX}{begun}__..."


def _borrow(tree: Tree, variables: Mapping[str, str]) -> None:
    """What the vendors of the judge and its panel call by names of their own, where the settings say nothing."""
    judge = _lent(tree, "judge", variables)
    panel = judge.get("panel")
    if isinstance(panel, dict):
        judge["panel"] = members = dict(cast("Tree", panel))
        for name in members:
            _lent(members, name, variables)


def _lent(tree: Tree, name: str, variables: Mapping[str, str]) -> Tree:
    """The judge under that name, with what it borrows; where none is there, an empty one."""
    judge = tree.get(name)
    if not isinstance(judge, dict):
        return {}
    said = cast("Tree", judge)
    lent: Tree = borrowed(said.get("kind"), variables) | said
    tree[name] = lent
    return lent


def _merge(tree: Tree, over: Mapping[str, object], place: tuple[str, ...]) -> None:
    for key, value in over.items():
        below = tree.get(key)
        if isinstance(value, Mapping) and below is not None:
            if not isinstance(below, dict):
                raise is_section((*place, key))
            _merge(cast("Tree", below), cast("Mapping[str, object]", value), (*place, key))
        elif isinstance(value, Mapping):
            branch: Tree = {}
            tree[key] = branch
            _merge(branch, cast("Mapping[str, object]", value), (*place, key))
        else:
            tree[key] = value


def _one_port(receive: Receive) -> Iterator[ConfigError]:
    """Two servers cannot listen at one place; port 0 is a free one for each."""
    (grpc, _, port), (http, _, other) = receive.grpc.rpartition(":"), receive.http.rpartition(":")
    grpc, http = (_LOOPBACK if host == "localhost" else host for host in (grpc, http))
    if int(port) == int(other) != 0 and (grpc == http or _ANYWHERE & {grpc, http}):
        yield ConfigError(
            "receive.http", f"{receive.http} is where receive.grpc listens", "take another port"
        )


def _open_doors(settings: Settings) -> Iterator[ConfigError]:
    """Anything but loopback demands a token."""
    receive, dashboard = settings.receive, settings.dashboard
    for key, address, token in (
        ("receive.grpc", receive.grpc, receive.token),
        ("receive.http", receive.http, receive.token),
        ("dashboard.http", dashboard.http, dashboard.token),
    ):
        host = address.rpartition(":")[0].strip("[]")
        if token is None and host != "localhost" and not _is_loopback(host):
            fix = f"set {key.partition('.')[0]}.token, or listen on 127.0.0.1"
            yield ConfigError(key, f"{address} is not loopback", fix)


def _leaks(settings: Settings) -> Iterator[ConfigError]:
    """The token that opens this scorer is nobody else's to see; a rule must not pass for another reason."""
    for name, backend in settings.forward.items():
        if settings.receive.token and "authorization" in map(str.lower, backend.pass_headers):
            yield ConfigError(
                f"forward.{name}.pass_headers",
                "authorization would pass on receive.token",
                f"set forward.{name}.headers.authorization to what the backend wants",
            )
    for name in sorted(WITHOUT_A_RULE & settings.filters.keys()):
        yield ConfigError(f"filters.{name}", "the ledger uses this name", "take another")


def _lost_routes(settings: Settings) -> Iterator[ConfigError]:
    """A route leads somewhere, and is not behind one that takes all it would take."""
    seen: dict[tuple[object, ...], str] = {}
    catching: str | None = None
    for name, route in settings.routes.items():
        wanted = {"channels": route.channels, "escalate_to": route.escalate_to}
        for key, channel in [(key, channel) for key, words in wanted.items() for channel in words]:
            if channel not in settings.channels:
                hint = meant(channel, list(settings.channels)) if settings.channels else "none is configured"
                yield ConfigError(f"routes.{name}.{key}", f"no channel is called {channel!r}", hint)
        earlier = seen.setdefault(route.conditions, name)
        if earlier != name:
            yield ConfigError(
                f"routes.{name}", f"has the conditions of routes.{earlier}", "join them, or change one"
            )
        elif catching is not None:
            hint = "put it last, or say go_on = true in it"
            yield ConfigError(
                f"routes.{name}", "is never asked", f"routes.{catching} takes everything; {hint}"
            )
        if not any(route.conditions) and not route.go_on:
            catching = catching or name


def _dead_buttons(settings: Settings) -> Iterator[ConfigError]:
    """A button that nobody listens to."""
    for name, channel in settings.channels.items():
        if (
            isinstance(channel, SlackChannel)
            and channel.acknowledge
            and not settings.inbound.slack_signing_secret
        ):
            yield ConfigError(
                f"channels.{name}.acknowledge", "nobody would hear it", "set inbound.slack_signing_secret"
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
