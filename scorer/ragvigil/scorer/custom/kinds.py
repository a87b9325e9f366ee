"""Of which kind the value of an expression is, where that is certain before any record comes: misfits are refused.

`len(documents)` and `model` had no value on every record, and nobody was told.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Literal

Kind = Literal["number", "text", "list"]

_OF_FUNCTIONS: Mapping[str, Kind] = {
    "min": "number",
    "max": "number",
    "abs": "number",
    "len": "number",
    "known": "number",
    "lower": "text",
    "segment": "text",
    "words": "list",
}
_TAKEN: Mapping[str, tuple[Kind, ...]] = {
    "min": ("number",),
    "max": ("number",),
    "abs": ("number",),
    "lower": ("text",),
    "words": ("text",),
    "segment": ("text",),
    "len": ("text", "list"),
}
_WORDS: Mapping[Kind, str] = {"number": "a number", "text": "a text", "list": "a list"}


def refuse_misfits(tree: ast.expr, names: Mapping[str, Kind]) -> None:
    """Raise ValueError for a part that no value fits, or an expression whose value is no number.

    `names`: the kind of each name that may stand in it; of one that is not there, nothing is said.
    """
    kind = _kind(tree, names)
    if kind is not None and kind != "number":
        raise ValueError(
            f"its value is {_WORDS[kind]}, not a number in [0, 1] or true or false; compare it with something"
        )


def _kind(node: ast.expr, names: Mapping[str, Kind]) -> Kind | None:
    """Its kind, None where that depends on the record; every part of it is looked at."""
    match node:
        case ast.Constant():
            return "text" if isinstance(node.value, str) else "number" if node.value is not None else None
        case ast.Name():
            return names.get(node.id)
        case ast.Call():
            return _called(node, names)
        case ast.BinOp():
            for side in (node.left, node.right):
                _demand(side, _kind(side, names), ("number",), node)
            return "number"
        case ast.UnaryOp():
            inner = _kind(node.operand, names)
            if isinstance(node.op, ast.USub):
                _demand(node.operand, inner, ("number",), node)
            return "number"
        case ast.IfExp():
            _kind(node.test, names)
            one, other = _kind(node.body, names), _kind(node.orelse, names)
            return one if one == other else None
        case ast.Tuple() | ast.List():
            for each in node.elts:
                _kind(each, names)
            return "list"
        case _:
            return _judged(node, names)


def _judged(node: ast.expr, names: Mapping[str, Kind]) -> Kind | None:
    """What is true or false: a comparison, and what joins some."""
    if isinstance(node, ast.BoolOp):
        for each in node.values:
            _kind(each, names)
        return "number"
    if isinstance(node, ast.Compare):
        sides: list[tuple[ast.expr, Kind | None]] = [
            (side, _kind(side, names)) for side in (node.left, *node.comparators)
        ]
        for one, how, other in zip(sides, node.ops, sides[1:], strict=False):
            if isinstance(how, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                _demand(*one, ("number",), node)
                _demand(*other, ("number",), node)
            elif isinstance(how, (ast.In, ast.NotIn)):
                _demand(*other, ("text", "list"), node)
        return "number"
    return None


def _called(node: ast.Call, names: Mapping[str, Kind]) -> Kind | None:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    for each in node.args:
        kind = _kind(each, names)
        if name in _TAKEN:
            _demand(each, kind, _TAKEN[name], node)
    return _OF_FUNCTIONS.get(name)


def _demand(node: ast.expr, kind: Kind | None, wanted: tuple[Kind, ...], whole: ast.expr) -> None:
    if kind is not None and kind not in wanted:
        fits = " or ".join(_WORDS[one] for one in wanted)
        raise ValueError(f"{ast.unparse(whole)!r}: {ast.unparse(node)} is {_WORDS[kind]}, not {fits}")
