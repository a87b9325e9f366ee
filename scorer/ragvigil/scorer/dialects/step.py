"""The spans of one trace as a tree of steps, the same whatever the order, split or duplication."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.span import Span

_ALONE: dict[Role, frozenset[Role]] = {role: frozenset((role,)) for role in get_args(Role)}
_DEEPEST = 200
"""No service nests deeper; looking upwards from every step of a hostile trace must not cost its square."""


@dataclass(slots=True, eq=False)
class Step:
    """One span, what it says, and its place in the tree."""

    span: Span
    reading: Reading
    dialect: str | None
    parent: Step | None = None
    children: list[Step] = field(init=False)
    depth: int = 0
    """How many steps are above."""
    roles_above: frozenset[Role] = frozenset()
    """Roles of all steps above, so that nobody has to climb to know them."""
    roles_within: frozenset[Role] = frozenset()
    """Roles of the step and of all below it."""
    role: Role = field(init=False)
    """What the step does; kept, for everybody asks."""
    merged: Role | None = None
    """What it does, where a step of another library tells the same and stands for both."""

    def __post_init__(self) -> None:
        self.children = []
        self.role = self.reading.role or "other"

    @property
    def failed(self) -> bool:
        """Whether the status is ERROR, or its dialect says so in its own way."""
        return self.span.failed or self.reading.failure is not None

    def subtree(self) -> Iterator[Step]:
        """The step and all below it."""
        waiting: list[Step] = [self]
        while waiting:
            step = waiting.pop()
            yield step
            waiting += reversed(step.children)

    def ancestors(self) -> Iterator[Step]:
        """The steps above, nearest first."""
        step = self.parent
        while step is not None:
            yield step
            step = step.parent


def unique(spans: Iterable[Span]) -> list[Span]:
    """One span per id, by start: of spans that share one (a resend), the one that says most."""
    chosen: dict[str, Span] = {}
    for span in spans:
        known = chosen.get(span.span_id)
        if known is None or (known is not span and _fullness(span) > _fullness(known)):
            chosen[span.span_id] = span
    return sorted(chosen.values(), key=lambda span: (span.start, span.span_id))


def link(steps: Sequence[Step]) -> list[Step]:
    """Connect the steps, ordered by start, to a forest; its roots."""
    by_id = {step.span.span_id: step for step in steps}
    for step in steps:
        parent = by_id.get(step.span.parent_id or "")
        if parent is not None and parent is not step:
            step.parent = parent
            parent.children.append(step)
    roots = [step for step in steps if step.parent is None]
    roots += list(_cut_cycles(steps, roots))
    for root in roots:
        _measure(root)
        gather(root)
    return roots


def _cut_cycles(steps: Sequence[Step], roots: Sequence[Step]) -> Iterator[Step]:
    """Spans that claim each other as parents hang on no root: the earliest of each ring becomes one."""
    reached = {id(step) for root in roots for step in root.subtree()}
    if len(reached) == len(steps):
        return
    for step in steps:
        if id(step) not in reached:
            if step.parent is not None:
                step.parent.children.remove(step)
                step.parent = None
            reached |= {id(below) for below in step.subtree()}
            yield step


def _measure(root: Step) -> None:
    """Set the depths; what is below the deepest level hangs on it side by side."""
    waiting = [root]
    while waiting:
        step = waiting.pop()
        if step.depth == _DEEPEST - 1:
            below = list(step.subtree())[1:]
            for each in below:
                each.parent, each.children, each.depth = step, [], _DEEPEST
            step.children = below
            continue
        for child in step.children:
            child.depth = step.depth + 1
        waiting += step.children


def rehang(parents: Mapping[Step, Step], roots: Iterable[Step]) -> None:
    """Hang each step, which is not above its new parent, below that; `gather` is for later."""
    for above in {step.parent: None for step in parents if step.parent is not None}:
        above.children = [step for step in above.children if step not in parents]
    for step, parent in parents.items():
        step.parent = parent
        parent.children.append(step)
    for root in roots if parents else ():
        if root.parent is None:
            _measure(root)


def gather(root: Step) -> None:
    """Set the roles above and within, each step once on the way down and once on the way up."""
    downwards = list(root.subtree())
    for step in downwards:
        own = _ALONE[step.role]
        above = step.roles_above if own <= step.roles_above else step.roles_above | own
        for child in step.children:
            child.roles_above = above
    for step in reversed(downwards):
        own = _ALONE[step.role]
        step.roles_within = (
            own.union(*[child.roles_within for child in step.children]) if step.children else own
        )


def _fullness(span: Span) -> tuple[int, int, int, str]:
    return span.end, len(span.attributes), len(span.events), repr(span)
