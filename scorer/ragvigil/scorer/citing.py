"""How each service cites, from the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.config import Citing

DEFAULT = "default"
"""The section for services that have none of their own."""


class CitingRules:
    """The rules of each service."""

    def __init__(self, sections: Mapping[str, Citing]) -> None:
        self._rules = {name: _rules(section) for name, section in sections.items()}
        self._default = self._rules.get(DEFAULT, EVERYTHING)

    def of(self, service: str) -> Rules:
        """How `service` cites.

        >>> CitingRules({"shop": Citing(usual="id")}).of("shop").usual
        'id'
        """
        return self._rules.get(service, self._default)


def _rules(section: Citing) -> Rules:
    return Rules(
        styles=frozenset(section.styles) if section.styles is not None else None,
        usual=section.usual,
        patterns=tuple(re.compile(pattern) for pattern in section.patterns),
    )
