"""Expressions in the settings: numbers, comparisons and a few functions of texts; nothing that could run away.

Arithmetic is for numbers only, so no value grows beyond its inputs; there are no loops, attributes or powers.
"""

from __future__ import annotations

import ast
import hashlib
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import cast

from ragvigil.scorer.custom.kinds import Kind, refuse_misfits
from ragvigil.scorer.errors import meant
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

_MOST_NODES = 200
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda one, other: one / other,
}
_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS = ("min", "max", "abs", "len", "lower", "words", "known", "segment")
_OF_SEVERAL = frozenset({"min", "max", "known"})
"""Functions of one value or more; each of the others has one."""
_RECORD: Mapping[str, Callable[[RagTrace], object]] = {
    "query": lambda record: record.query,
    "answer": lambda record: record.answer,
    "documents": lambda record: len(record.documents),
    "service": lambda record: record.service,
    "environment": lambda record: record.environment,
    "model": lambda record: record.model,
    "prompt_version": lambda record: record.prompt_version,
    "service_version": lambda record: record.service_version,
    "finish_reason": lambda record: record.finish_reason,
    "error": lambda record: record.error,
    "input_tokens": lambda record: record.tokens.input,
    "output_tokens": lambda record: record.tokens.output,
    "cost_usd": lambda record: record.cost_usd,
    "total_seconds": lambda record: record.total_seconds,
    "retrieval_seconds": lambda record: record.retrieval_seconds,
    "generation_seconds": lambda record: record.generation_seconds,
}
TAGS = "tags"
"""The names of the failure tags: ``'MISATTRIBUTION' not in tags``."""
NAMES = (*_RECORD, TAGS)
"""What an expression may name of a record, beside the ids of the checks."""
NUMBERS = (
    "documents",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    *(n for n in _RECORD if n.endswith("_seconds")),
)
"""Those that are numbers; `documents` is how many passages there are."""
_TEXT: Kind = "text"
_NUMBER: Kind = "number"
_KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(_RECORD, _TEXT),
    **dict.fromkeys(NUMBERS, _NUMBER),
    TAGS: "list",
}


class MissingError(Exception):
    """A name that has no value in this record."""


class Expression:
    """One expression, read once and evaluated on every record.

    >>> record = RagTrace("0" * 32, "1" * 16, "shop", 0, answer="It opens at nine.")
    >>> checks = [CheckResult("supported_claims", "1", 0.95)]
    >>> Expression("supported_claims >= 0.9 and len(words(answer)) < 80", ["supported_claims"]).of(record, checks)
    True
    """

    def __init__(self, text: str, checks: Iterable[str]) -> None:
        """`checks`: ids that may be named. ValueError says what cannot be read."""
        try:
            self._tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ValueError(f"{text!r} cannot be read: {error}") from None
        self._checks = frozenset(checks)
        nodes = [*ast.walk(self._tree)]
        if len(nodes) > _MOST_NODES:
            raise ValueError(f"it has more than {_MOST_NODES} parts; use a function")
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            self._refuse_what_is_unknown(node)
            if isinstance(node, ast.Name) and node.id in _FUNCTIONS and node not in called:
                raise ValueError(f"{node.id!r} is a function, not a value; write {node.id}(…)")
        refuse_misfits(self._tree, {**dict.fromkeys(self._checks, _NUMBER), **_KINDS})
        self.version = hashlib.sha256(text.strip().encode()).hexdigest()[:12]

    def of(self, record: RagTrace, results: Sequence[CheckResult]) -> object:
        """Its value; MissingError names what has none, TypeError or ZeroDivisionError what does not fit."""
        values: dict[str, object] = {one.check: one.value for one in results}
        values[TAGS] = next((tuple(one.details) for one in results if one.check == "failure_tags"), None)
        return self._value(self._tree, record, values)

    def _refuse_what_is_unknown(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id not in _FUNCTIONS or node.keywords:
                raise ValueError(f"{ast.unparse(node)!r}: the functions are {', '.join(_FUNCTIONS)}")
            if len(node.args) != 1 and not (node.args and node.func.id in _OF_SEVERAL):
                wanted = "one value or more" if node.func.id in _OF_SEVERAL else "one value"
                raise ValueError(
                    f"{ast.unparse(node)!r}: {node.func.id} takes {wanted}, not {len(node.args)}"
                )
        elif isinstance(node, ast.Name):
            if node.id not in (*NAMES, *_FUNCTIONS) and node.id not in self._checks:
                names = f"name a check (docs/checks.md), or one of {', '.join(NAMES)}"
                hint = meant(node.id, (*NAMES, *_FUNCTIONS, *self._checks), all_of_them=names)
                raise ValueError(f"{node.id!r} is not known; {hint}")
        elif not isinstance(node, _ALLOWED):
            raise ValueError(f"{type(node).__name__} is not allowed; use a function")
        if isinstance(node, ast.Constant) and not isinstance(node.value, (bool, int, float, str, type(None))):
            raise ValueError(f"{node.value!r} is not allowed")

    def _value(self, node: ast.expr, record: RagTrace, values: Mapping[str, object]) -> object:
        def value(inner: ast.expr) -> object:
            return self._value(inner, record, values)

        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                found = _RECORD[node.id](record) if node.id in _RECORD else values.get(node.id)
                if found is None:
                    raise MissingError(node.id)
                return found
            case ast.BoolOp():
                wanted = isinstance(node.op, ast.Or)
                return any(map(value, node.values)) if wanted else all(map(value, node.values))
            case ast.UnaryOp():
                inner = value(node.operand)
                return not inner if isinstance(node.op, ast.Not) else -_number(inner)
            case ast.BinOp():
                return _ARITHMETIC[type(node.op)](_number(value(node.left)), _number(value(node.right)))
            case ast.IfExp():
                return value(node.body) if value(node.test) else value(node.orelse)
            case ast.Compare():
                sides = [value(node.left), *map(value, node.comparators)]
                return all(map(_compared, node.ops, sides, sides[1:]))
            case ast.Tuple() | ast.List():
                return tuple(map(value, node.elts))
            case ast.Call():
                return self._call(node, record, values)
            case _:
                raise TypeError(type(node).__name__)

    def _call(self, node: ast.Call, record: RagTrace, values: Mapping[str, object]) -> object:
        name = cast("ast.Name", node.func).id
        if name == "known":
            try:
                return all(self._value(one, record, values) is not None for one in node.args)
            except MissingError:
                return False
        given = [self._value(one, record, values) for one in node.args]
        if name == "segment":
            found = record.segment.get(_text(given[0]))
            if found is None:
                raise MissingError(f"segment {given[0]}")
            return found
        if name in ("min", "max"):
            return (min if name == "min" else max)(map(_number, given))
        (one,) = given
        if name == "abs":
            return abs(_number(one))
        if name == "len":
            return len(cast("tuple[object, ...] | str", one))
        return _text(one).lower() if name == "lower" else tuple(_text(one).split())


_ALLOWED = (
    *(ast.Constant, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.IfExp),
    *(
        ast.Compare,
        ast.Eq,
        ast.NotEq,
        ast.In,
        ast.NotIn,
        ast.Tuple,
        ast.List,
        ast.Load,
        *_ARITHMETIC,
        *_ORDER,
    ),
)


def _compared(how: ast.cmpop, one: object, other: object) -> bool:
    if isinstance(how, (ast.Eq, ast.NotEq)):
        return (one == other) is isinstance(how, ast.Eq)
    if isinstance(how, (ast.In, ast.NotIn)):
        there = _text(one) in other if isinstance(other, str) else one in cast("tuple[object, ...]", other)
        return there is isinstance(how, ast.In)
    return _ORDER[type(how)](_number(one), _number(other))


def _number(value: object) -> float:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{type(value).__name__} is no number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} is no text")
    return value
