"""Arithmetic: sums, products, differences and shares that a claim shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ragvigil.scorer.checks.alignment.quantities import COUNT, RATIO, SIGN, Claimed, Quantity
from ragvigil.scorer.checks.alignment.reckoning import (
    AGAINST,
    DATA,
    MORE,
    PER,
    THAT_IS,
    Reckoned,
    apart,
    compared,
    given_of,
    is_year,
    kinds,
    one_of,
    pairs,
)
from ragvigil.scorer.checks.reading.expressions import CLOCK, DAY
from ragvigil.scorer.choices import longest_first

_PLUS = rf"(?:\+|\b{one_of('plus')}\b)"
_MINUS = rf"(?:\u2212|\b{one_of('minus')}\b)"
_TIMES = rf"(?:[\u00d7x*\u00b7]|\b{one_of('times')}\b(?!{PER})[^{SIGN}()]{{0,20}}?)"
_OPERATION = (
    rf"(?:\s?(?P<times>{_TIMES})\s?"
    rf"|[^{SIGN}()]{{0,45}}?(?:(?P<plus>{_PLUS})|(?P<minus>{_MINUS}))[^{SIGN}()]{{0,12}}?)"
)
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _OPERATION)
_CHAIN = re.compile(rf"{SIGN}(?:{_UNNAMED}{SIGN})+")
_STEP = re.compile(_OPERATION)
_BEFORE_A_CHAIN = re.compile(rf"{SIGN}[^{SIGN}]{{0,80}}?[(:=,\u2013\u2014]\s?(?:\w{{1,10}}\s)?\Z")
_BEHIND_A_CHAIN = re.compile(rf"[^{SIGN}.;]{{0,30}}?{THAT_IS}[^{SIGN}.;]{{0,25}}?{SIGN}")
_LIST = re.compile(
    rf"[(:,]\s?(?P<a>{SIGN})(?!\s?%)[^{SIGN}()]{{0,40}}?(?:,|\b{one_of('joins')}\b)[^{SIGN}()]{{0,20}}?(?P<b>{SIGN})[^{SIGN}]{{0,40}}\Z"
)
_INSTEAD = re.compile(rf"(?P<a>{SIGN})[^{SIGN}]{{0,25}}?{AGAINST}(?P<b>{SIGN})")
_BY_HOW_MUCH = re.compile(
    rf"[^{SIGN}]{{0,20}}?{THAT_IS}[^{SIGN}]{{0,12}}?(?P<r>{SIGN})[^{SIGN}]{{0,15}}?{MORE}"
)
_OFF = rf"\b{one_of('reduced')}\b"
_REDUCED = re.compile(
    rf"(?:(?P<p>{SIGN})[^{SIGN}]{{0,20}}?{_OFF}|{_OFF}[^{SIGN}]{{0,12}}(?P<q>{SIGN}))[^{SIGN}]{{0,50}}?(?P<r>{SIGN})[^{SIGN}]{{0,8}}?{AGAINST}(?P<b>{SIGN})"
)
_PERCENT_OF = re.compile(
    rf"(?P<r>{SIGN})[^{SIGN}]{{0,25}}?(?:{THAT_IS}|[(:=])[^{SIGN}]{{0,15}}?(?P<p>{SIGN})\s{one_of('of')}\s(?:\w{{1,4}}\s)?(?P<b>{SIGN})"
)
_OF = re.compile(
    rf"(?P<a>{SIGN})\s(?:[^{SIGN}\s]{{1,20}}\s)?{one_of('of')}\s(?:\w{{1,4}}\s)?(?P<b>{SIGN})[^{SIGN}]{{0,60}}?(?:{THAT_IS}|[(:])[^{SIGN}]{{0,12}}?(?P<r>{SIGN})"
)
_PORTIONS = re.compile(
    rf"(?P<a>{SIGN})(?P<gap>[^{SIGN}]{{0,30}}(?:{SIGN}[^{SIGN}]{{0,10}})?),?\s?{THAT_IS}[^{SIGN}]{{0,12}}?(?P<r>{SIGN})\s[^{SIGN}\s]{{1,20}}\s{one_of('of')}\s(?P<b>{SIGN})"
)
_MULTIPLES: dict[str, float] = {word: float(many) for many, words in DATA["multiples"] for word in words}
_MULTIPLE = re.compile(
    rf"(?P<r>{SIGN})[^{SIGN}]{{0,40}}?"
    rf"\b(?P<many>{longest_first(_MULTIPLES)})\b"
    rf"[^{SIGN}]{{0,16}}?(?P<a>{SIGN})"
)
_QUOTIENT = re.compile(
    rf"(?P<a>{SIGN})[^{SIGN}]{{0,45}}?(?P<b>{SIGN})[^{SIGN}]{{0,45}}?{THAT_IS}[^{SIGN}]{{0,16}}?(?P<r>{SIGN})[^{SIGN}]{{0,25}}?{PER}\w"
)
_PRICED = re.compile(rf"(?P<p>{SIGN})(?:\s[^\W\d_]{{2,12}})?{PER}(?P<unit>[^\W\d_]{{3,20}})")
_OPENS_A_LIST = re.compile(rf"{SIGN}[^{SIGN}.;]{{0,20}}?[:(=]")
_FEWEST_LISTED, _MOST_LISTED = 3, 6
_BACK, _BESIDE, _STEM, _COUNTED = 3, 25, 5, 12


def _chains(said: Claimed) -> Iterator[Reckoned]:
    """4 x 42 euros, 42 euros plus 9 euros."""
    for found in _CHAIN.finditer(said.skeleton):
        first = said.where.index(found.start())
        terms = said.quantities[first : first + found[0].count(SIGN)]
        steps = [_STEP.fullmatch(one) for one in found[0].split(SIGN)[1:-1]]
        signs = ["" if one is None else one.lastgroup or "" for one in steps]
        for result, shown in _results_of(said, found, first, len(terms)):
            values = list(_come_to(result, terms, signs))
            if values:
                yield from compared(said, result, terms, values, shown=shown)
                break


def _results_of(
    said: Claimed, found: re.Match[str], first: int, terms: int
) -> Iterator[tuple[Quantity, bool]]:
    """What may be the result of a chain, and whether it stands right beside it: before it, or behind."""
    if first and _BEFORE_A_CHAIN.search(said.skeleton[: found.start()]):
        for back, one in enumerate(reversed(said.quantities[max(0, first - _BACK) : first])):
            yield one, not back
    elif first + terms < len(said.quantities) and _BEHIND_A_CHAIN.match(said.skeleton, found.end()):
        yield said.quantities[first + terms], True


def _come_to(
    result: Quantity, terms: Sequence[Quantity], signs: Sequence[str]
) -> Iterator[tuple[str, float, bool]]:
    """What `terms` come to, products before sums: in the unit of the result, or as bare numbers."""
    named = {amount.kind for one in terms for amount in one.amounts} - {COUNT}
    mine = kinds(result) - {COUNT}
    if named and mine and named.isdisjoint(mine):
        return
    for kind in sorted(named & mine) or [COUNT]:
        read = [_reading(one, kind) for one in terms]
        if all(read):
            for place in (0, -1):
                total = _evaluate([one[place] for one in read], signs)
                if total is not None:
                    yield kind, total, True


def _reading(one: Quantity, kind: str) -> tuple[float, ...]:
    """How much of `kind` it is, or its bare number."""
    found = [amount.much for amount in one.amounts if amount.kind == kind != COUNT]
    return tuple(found or [face.much for face in one.faces])


def _evaluate(amounts: Sequence[float], signs: Sequence[str]) -> float | None:
    total, product, sign = 0.0, amounts[0], 1
    for amount, step in zip(amounts[1:], signs, strict=True):
        if step == "times":
            product *= amount
        elif step in ("plus", "minus"):
            total, product = total + sign * product, amount
            sign = 1 if step == "plus" else -1
        else:
            return None
    return total + sign * product


def _lists(said: Claimed) -> Iterator[Reckoned]:
    """2,700 parcels in total (1,200 and 1,500): what lists two numbers need not be their sum."""
    for found in _LIST.finditer(said.skeleton):
        one, other = given_of(said, found, "a", "b")
        sums = [(kind, a + b, False) for kind, a, b in pairs(one, other) if kind not in (CLOCK, DAY)]
        for result in reversed(said.quantities[: said.where.index(found.start("a"))][-_BACK:]):
            yield from compared(said, result, (one, other), sums, shown=False)
            if any(face.much > _COUNTED for face in result.faces):
                break  # a list goes on


def _differences(said: Claimed) -> Iterator[Reckoned]:
    """90 dollars more (139 against 49 dollars)."""
    for found in _INSTEAD.finditer(said.skeleton):
        one, other = given_of(said, found, "a", "b")
        values = [*apart(one, other), *apart(other, one)]
        behind = _BY_HOW_MUCH.match(said.skeleton, found.end())
        if behind:
            result = given_of(said, behind, "r")[0]
            yield from compared(said, result, (one, other), values, shown=True)
            continue
        before = said.where.index(found.start("a"))
        results = [each for each in said.quantities[max(0, before - _BACK) : before] if not is_year(each)]
        if len(results) != 1:
            continue
        start = said.where[said.quantities.index(results[0])]
        gap = said.skeleton[start : found.start("a")]
        if ")" in gap.partition("(")[0]:
            continue  # it stands in parentheses of its own: (I² = 74%), and dropout was higher (18% vs. 11%)
        if re.search(MORE, said.skeleton[max(0, start - _BESIDE) : found.start("a")]) and re.search(
            "[(:,]", gap
        ):
            yield from compared(said, results[0], (one, other), values, shown=True)


def _reductions(said: Claimed) -> Iterator[Reckoned]:
    """With 20 % off 48 euros instead of 60."""
    for found in _REDUCED.finditer(said.skeleton):
        share, result, whole = given_of(said, found, "p" if found["p"] else "q", "r", "b")
        values = [(one.kind, one.much * (1 - part), True) for one in whole.amounts for part in _parts(share)]
        yield from compared(said, result, (share, whole), values, shown=True)


def _percentages(said: Claimed) -> Iterator[Reckoned]:
    """6 dollars, that is 1.5 % of 400 dollars."""
    for found in _PERCENT_OF.finditer(said.skeleton):
        result, share, whole = given_of(said, found, "r", "p", "b")
        values = [(one.kind, one.much * part, True) for one in whole.amounts for part in _parts(share)]
        yield from compared(said, result, (share, whole), values, shown=True)


def _parts(share: Quantity) -> list[float]:
    """What it is of a whole."""
    return [one.much for one in share.amounts if one.kind == RATIO]


def _shares(said: Claimed) -> Iterator[Reckoned]:
    """80 of 4,000, that is 2 %."""
    for found in _OF.finditer(said.skeleton):
        result, part, whole = given_of(said, found, "r", "a", "b")
        values = [(RATIO, a / b, True) for _, a, b in pairs(part, whole) if b]
        yield from compared(said, result, (part, whole), values, shown=True)


def _portions(said: Claimed) -> Iterator[Reckoned]:
    """3 g in 24 hours, which is 6 tablets of 500 mg."""
    for found in _PORTIONS.finditer(said.skeleton):
        whole, result, each = given_of(said, found, "a", "r", "b")
        values = [(COUNT, a / b, True) for kind, a, b in pairs(whole, each) if b and kind != COUNT]
        yield from compared(said, result, (whole, each), values, shown=True)


def _multiples(said: Claimed) -> Iterator[Reckoned]:
    """600 g, double the 300 g."""
    for found in _MULTIPLE.finditer(said.skeleton):
        result, given = given_of(said, found, "r", "a")
        many = _MULTIPLES[found["many"]]
        values = [(one.kind, many * one.much, False) for one in given.amounts]
        yield from compared(said, result, (given,), values, shown=False)


def _quotients(said: Claimed) -> Iterator[Reckoned]:
    """180 credits in six terms, that is 30 credits per term."""
    for found in _QUOTIENT.finditer(said.skeleton):
        result, one, other = given_of(said, found, "r", "a", "b")
        values = [(COUNT, a.much / b.much, True) for a in one.faces for b in other.faces if b.much]
        yield from compared(said, result, (one, other), values, shown=False)


def _priced(said: Claimed) -> Iterator[Reckoned]:
    """200 km at 0.30 euros per km are 60 euros: the units agree."""
    for found in _PRICED.finditer(said.skeleton):
        (price,) = given_of(said, found, "p")
        unit = found["unit"][:_STEM]
        counted = [one for one in said.quantities if one is not price and one.unit[:_STEM] == unit]
        results = [one for one in said.quantities if one is not price and one not in counted]
        for many in counted:
            values = [(one.kind, one.much * each.much, True) for one in price.amounts for each in many.faces]
            for result in results:
                yield from compared(said, result, (price, many), values, shown=False)


def _portions_of_a_sum(said: Claimed) -> Iterator[Reckoned]:
    """410 dollars, at 4.1 % of 10,000 dollars; 9.60 dollars, with 20 % off 12."""
    shares = [one for one in said.quantities if RATIO in kinds(one)]
    sums = [one for one in said.quantities if any(map(_is_a_sum, kinds(one)))]
    if len(shares) != 1 or len(sums) != 2:
        return
    for result, whole in (sums, reversed(sums)):
        factors = [factor for part in _parts(shares[0]) for factor in (part, 1 - part, 1 + part)]
        values = [(one.kind, one.much * factor, True) for one in whole.amounts for factor in factors]
        yield from compared(said, result, (shares[0], whole), values, shown=False)


def _listed(said: Claimed) -> Iterator[Reckoned]:
    """120 euros: 80 euros for the first hour and 40 euros for the second one."""
    sums = [one for one in said.quantities if any(map(_is_a_sum, kinds(one)))]
    if not _FEWEST_LISTED <= len(sums) <= _MOST_LISTED:
        return
    result, *others = sums
    if _OPENS_A_LIST.match(said.skeleton, said.where[said.quantities.index(result)]):
        common = [kind for kind in sorted(kinds(result)) if all(kind in kinds(one) for one in others)]
        values = [(kind, sum(_reading(one, kind)[0] for one in others), False) for kind in common]
        yield from compared(said, result, others, values, shown=False)


def _is_a_sum(kind: str) -> bool:
    return kind.startswith("sum")


ARITHMETIC: tuple[Callable[[Claimed], Iterator[Reckoned]], ...] = (
    *(
        _chains,
        _lists,
        _differences,
        _reductions,
        _percentages,
        _shares,
        _portions,
        _multiples,
        _quotients,
        _priced,
        _portions_of_a_sum,
        _listed,
    ),
)
"""What finds them."""
