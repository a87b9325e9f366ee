"""A diagnosis in words: a few lines for a page, all of it for who asks."""

from __future__ import annotations

from collections.abc import Iterator

from ragvigil.exporters import clean, is_loopback, percent, shown
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.diagnosis import Cause, Diagnosis
from ragvigil.scorer.diagnose.localise import ALMOST_ALL
from ragvigil.scorer.diagnose.playbook import DOCS, Row, rows
from ragvigil.scorer.moments import in_utc, to_the_second

_LONGEST = 60
_SMALL_P = 0.05
_MINUTE = 60.0
_DATE = len("2026-03-01 ")

_TAGS: dict[str, str] = {
    "HALLUCINATION_FACT": "claims that the passages lack or deny",
    "UNSUPPORTED_QUALIFIER": "claims that go too far",
    "MISATTRIBUTION": "citations that do not carry their claim",
    "OVER_BROAD_CITATION": "citations that point at too much",
    "MISSING_REFUSAL": "claims without passages",
    "OVER_REFUSAL": "refusals in spite of passages",
    "INCOMPLETE_ANSWER": "answers that break off or lack a part",
    "CONTEXT_IGNORED": "answers that use nothing relevant",
    "CONFLICTING_SOURCES_UNRESOLVED": "answers that pick one of two sides silently",
    "FORMAT_DRIFT": "another citation style or language",
}


def first_lines(diagnosis: Diagnosis, links: Links) -> list[str]:
    """Why, and what to do: four lines at most, each fit to show, before all figures but the present one."""
    lines = [verdict(diagnosis), *list(_changed(diagnosis))[:1]]
    if diagnosis.fault.side != "unclear":
        lines.append(f"At fault: {diagnosis.fault.side}; {diagnosis.fault.why}.")
    if diagnosis.playbook:
        row = rows()[diagnosis.playbook[0]]
        place = f": {playbook_link(row, links)}" if _shown_elsewhere(links) else "."
        lines.append(f'Try first: {_back(diagnosis)}{row.fixes[0]}. Playbook "{row.name}"{place}')
    return lines


def _back(diagnosis: Diagnosis) -> str:
    """What comes before every remedy when what was changed, such as the model, is the cause."""
    changed = {change.kind for change in diagnosis.changes}
    if diagnosis.cause is None or changed.isdisjoint(name for name, _ in diagnosis.cause.values):
        return ""
    return f"compare with what ran before {_values(diagnosis.cause.values)}, or roll it back; else "


def more_lines(diagnosis: Diagnosis) -> list[str]:
    """Since when, with which fault, how far it reaches: three lines at most, each fit to show."""
    lines = [_began(diagnosis)] if diagnosis.sure else []
    if diagnosis.tags:
        one = diagnosis.tags[0]
        lines.append(
            f"What grew most: {_TAGS.get(one.tag, 'the failure tag')} ({one.tag}), on {percent(one.before)} of these "
            f"answers before and {percent(one.after)} now."
        )
    if (reach := _reach(diagnosis)) is not None:
        lines.append(reach)
    return lines


def verdict(diagnosis: Diagnosis) -> str:
    """The probable cause in one line, or why there is none."""
    if diagnosis.mix is not None:
        mix = diagnosis.mix
        return (
            f"Probable cause: other questions, not worse answers: {_value(mix.value)} went from {percent(mix.before)} "
            f"to {percent(mix.after)} of the traffic, and was at {percent(mix.level)} before."
        )
    if diagnosis.cause is not None:
        return _named(diagnosis.cause)
    if diagnosis.kind == "everywhere":
        return "No single cause: no version, model, language or other segment fell more than the rest."
    return "No single cause: too few records show the fall to say where it is."


def full_lines(diagnosis: Diagnosis, links: Links) -> Iterator[str]:
    """Everything."""
    yield verdict(diagnosis)
    yield _began(diagnosis)
    yield from _levels(diagnosis)
    if diagnosis.considered:
        yield "considered, and how often some value falls as much more than the rest where none is at fault:"
    for other in diagnosis.considered:
        yield f"  {_values(other.values):<40} {_chance(other.p)}"
    yield from _changed(diagnosis)
    yield f"at fault: {diagnosis.fault.side}; {diagnosis.fault.why}"
    yield from _moved(diagnosis)
    if (reach := _reach(diagnosis)) is not None:
        yield reach
    for name in diagnosis.playbook:
        row = rows()[name]
        yield f"playbook: {row.name} ({playbook_link(row, links)})"
        yield from (f"  likely: {one}" for one in row.causes)
        yield from (f"  {number}. {fix}" for number, fix in enumerate(row.fixes, start=1))
    yield f"from {diagnosis.records:,} records, {diagnosis.measured:,} of them measured"
    yield from (f"note: {clean(note, limit=500)}" for note in diagnosis.notes)


def _levels(diagnosis: Diagnosis) -> Iterator[str]:
    """How far it fell, of what that is made, and the levels of the cause."""
    split = diagnosis.split
    for name, part in (
        ("whole change", split.total),
        ("worse answers", split.within),
        ("other mix", split.mix),
    ):
        yield f"  {name:<14} {_points(part.value)} points ({_points(part.lower)} to {_points(part.upper)})"
    cause = diagnosis.cause
    if cause is None:
        return
    for name, level in (("before", cause.before), ("now", cause.now)):
        if level is not None:
            yield f"  {name:<14} {shown(level)} of {level.n:,}"
    yield from _why_named(cause)


def _moved(diagnosis: Diagnosis) -> Iterator[str]:
    """The signals beside the fall, and the failure tags that grew."""
    for signal in diagnosis.signals:
        yield (
            f"  {signal.name:<18} {signal.before:.2f} to {signal.after:.2f} ({signal.lower:+.2f} to "
            f"{signal.upper:+.2f}), n={signal.n_before:,} and {signal.n_after:,}"
        )
    for tag in diagnosis.tags:
        yield (
            f"grew: {tag.tag} {percent(tag.before)} to {percent(tag.after)} "
            f"({_points(tag.lower)} to {_points(tag.upper)} points), n={tag.n_before:,} and {tag.n_after:,}"
        )


def _why_named(cause: Cause) -> Iterator[str]:
    """What a p that proves nothing means beside a name."""
    if cause.p <= _SMALL_P or cause.first_seen is None:
        return
    yield "  named because it appeared just when the answers fell. Whether it fell more than the rest"
    if cause.on is not None and cause.on >= ALMOST_ALL:
        yield f"  cannot be seen: it is on {percent(cause.on)} of the answers since."
    else:
        yield f"  is not shown ({_chance(cause.p)} where none is at fault), but it explains the fall much better than"
        yield '  "everywhere" does.'


def playbook_row(diagnosis: Diagnosis, links: Links) -> tuple[str, str] | None:
    """Name and address of the row that fits best; None without one, or without an address that others can open."""
    if not diagnosis.playbook or _shown_elsewhere(links) is None:
        return None
    row = rows()[diagnosis.playbook[0]]
    return row.name, playbook_link(row, links)


def playbook_link(row: Row, links: Links) -> str:
    """Where a row stands: under the configured address, else in the repository's docs.

    >>> playbook_link(rows()["one-segment"], Links())
    'docs/playbook.md#one-segment'
    """
    configured = _shown_elsewhere(links)
    return f"{configured.rstrip('#') if configured else DOCS}#{row.id}"


def _shown_elsewhere(links: Links) -> str | None:
    """The address of the playbook that a phone can open; None when none is configured."""
    url = links.playbook_url
    return None if url is None or is_loopback(url) else url


def _named(cause: Cause) -> str:
    share = cause.share
    line = f"Probable cause: {_values(cause.values)}, {percent(share.value)} of the fall "
    line += f"({percent(share.lower)} to {percent(share.upper)})"
    if cause.before is not None and cause.now is not None:
        line += f"; there {percent(cause.before.value)} to {percent(cause.now.value)} (n={cause.now.n:,})"
    if cause.first_seen is not None:
        line += f"; {'seen again from' if cause.again else 'first seen'} {in_utc(1e9 * cause.first_seen)}"
        line += " on" if cause.again else ""
    if cause.same_as:
        line += f"; cannot be told from {', '.join(map(_value, cause.same_as))}, on the same answers"
    return line + "."


def _began(diagnosis: Diagnosis) -> str:
    onset = diagnosis.onset
    if diagnosis.kind == "unclear":
        return f"Began about {in_utc(1e9 * onset.at)}, says the detector; the records do not show when."
    moment = to_the_second if onset.upper - onset.lower < _MINUTE else in_utc
    at, lower, upper = (moment(1e9 * one) for one in (onset.at, onset.lower, onset.upper))
    if lower == upper:
        return f"Began about {at} (95 % sure to the {'second' if moment is to_the_second else 'minute'})."
    if at[:_DATE] == lower[:_DATE] == upper[:_DATE]:
        lower, upper = lower[_DATE:].removesuffix(" UTC"), upper[_DATE:]
    return f"Began about {at} (95 % interval {lower} to {upper})."


def _changed(diagnosis: Diagnosis) -> Iterator[str]:
    for change in diagnosis.changes:
        kind, text = clean(change.kind, limit=20), clean(change.text, limit=_LONGEST)
        named = text.lower().startswith(kind.lower())
        how = "first seen" if change.source == "traffic" else "told"
        first = ", none was told before" if change.source == "traffic" and change.before is None else ""
        when = f"{how} {_placed(change.at / 1e9, diagnosis)}"
        yield f"What changed: {text if named else f'{kind} {text}'} ({when}{first})."


def _placed(at: float, diagnosis: Diagnosis) -> str:
    """A moment, and whether it lies before the fall; to the second where it is as near as the fall is known."""
    onset = diagnosis.onset
    if at < onset.lower:
        return f"{in_utc(1e9 * at)}, before it began"
    where = "about when" if diagnosis.kind == "unclear" else "within the time in which"
    return f"{to_the_second(1e9 * at)}, {where} it began"


def _reach(diagnosis: Diagnosis) -> str | None:
    reach = diagnosis.reach
    if reach is None:
        return None
    kind = "answers of that kind" if diagnosis.cause is not None else "answers"
    since = "then" if reach.again_since is None else f"it fell again about {in_utc(1e9 * reach.again_since)}"
    parts = [f"{reach.answers:,} {kind} since {since}, right and wrong"]
    parts += [f"in {reach.conversations:,} conversations"] if reach.conversations else []
    parts += [f"to {reach.users:,} users"] if reach.users else []
    return f"Reach: {', '.join(parts)}."


def _points(difference: float) -> str:
    """A difference of two shares in points.

    >>> _points(-0.5849)
    '-58.5'
    """
    return f"{100.0 * difference:+.1f}"


def _chance(p: float) -> str:
    """A probability as a frequency.

    >>> [_chance(p) for p in (0.0004, 0.02, 0.71)]
    ['less than 1 in 100', '2 in 100', '71 in 100']
    """
    return "less than 1 in 100" if p < 0.01 else f"{100.0 * p:.0f} in 100"


def _values(values: tuple[tuple[str, str], ...]) -> str:
    return " with ".join(map(_value, values))


def _value(value: tuple[str, str]) -> str:
    return f"{clean(value[0], limit=_LONGEST)}={clean(value[1], limit=_LONGEST)}"
