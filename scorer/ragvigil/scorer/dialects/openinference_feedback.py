"""Feedback and evaluations as OpenInference attaches them to spans, traces and sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.values import number_of, text_of

_SCOPES = ("", "trace.", "session.")
_PLURALS = {"annotation": "annotations", "evaluation": "evaluations"}
_TEXTS = ("label", "explanation", "annotator_kind", "identifier", "metadata")


def has_opinions(attributes: Mapping[str, object]) -> bool:
    """Whether anybody said anything."""
    names = "\n".join(attributes)
    return ".annotation." in names or ".evaluation." in names


def feedback_in(attributes: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    """What people said: annotations by no one in particular or by a human, evaluations by a human."""
    return tuple(entry for kind, entry in _entries(attributes) if _is_human(kind, entry))


def evaluations_in(attributes: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    """What models and code said; the number is called `value`, as in `gen_ai.evaluation.result`."""
    return tuple(
        {("value" if key == "score" else key): value for key, value in entry.items()}
        for kind, entry in _entries(attributes)
        if not _is_human(kind, entry)
    )


def _is_human(kind: str, entry: Mapping[str, object]) -> bool:
    return entry.get("annotator_kind", "HUMAN" if kind == "annotation" else "CODE") == "HUMAN"


def _entries(attributes: Mapping[str, object]) -> Iterable[tuple[str, dict[str, object]]]:
    if not has_opinions(attributes):
        return
    for scope in _SCOPES:
        for kind, plural in _PLURALS.items():
            for fields in indexed(attributes, f"{scope}{plural}."):
                name = text_of(fields.get(f"{kind}.name"))
                if name:
                    yield kind, _entry(name, kind, fields, scope)


def _entry(name: str, kind: str, fields: Mapping[str, object], scope: str) -> dict[str, object]:
    entry: dict[str, object] = {"name": name, "score": number_of(fields.get(f"{kind}.score"))}
    entry |= {key: text_of(fields.get(f"{kind}.{key}")) for key in _TEXTS}
    entry["scope"] = scope.rstrip(".") or None
    return {key: value for key, value in entry.items() if value is not None}
