"""How each service cites, from the settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ragvigil.scorer.checks.reading.citing.page import Style
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.checks.reading.citing.trial import LONGEST_TRIED, MOST_SECONDS, explodes_on
from ragvigil.scorer.config import Citing
from ragvigil.scorer.errors import ConfigError

DEFAULT = "default"
"""The section for services that have none of their own."""


class CitingRules:
    """The rules of each service."""

    def __init__(self, sections: Mapping[str, Citing]) -> None:
        self._rules = {name: _rules(section) for name, section in sections.items()}
        self._default = self._rules.get(DEFAULT, EVERYTHING)
        self._with_learned: dict[tuple[str, str], Rules] = {}

    def of(self, service: str, learned: str | None = None) -> Rules:
        """How `service` cites; `learned`: in which style it usually does, where the settings do not say.

        >>> rules = CitingRules({"shop": Citing(usual="id")})
        >>> rules.of("shop").usual, rules.of("shop", "tool").usual, rules.of("bank", "tool").usual
        ('id', 'id', 'tool')
        """
        rules = self._rules.get(service, self._default)
        if learned is None or rules.usual is not None:
            return rules
        key = (service if service in self._rules else DEFAULT, learned)
        if key not in self._with_learned:
            self._with_learned[key] = replace(rules, usual=cast("Style", learned))
        return self._with_learned[key]


def refuse_exploding(sections: Mapping[str, Citing]) -> None:
    """Search with each service's own patterns in texts that make bad ones explode; ConfigError names the first."""
    for name, section in sections.items():
        for pattern in section.patterns:
            text = explodes_on(re.compile(pattern))
            if text is not None:
                raise ConfigError(
                    f"citations.{name}.patterns",
                    f"{pattern!r} takes more than {MOST_SECONDS:g} s on a text of at most {LONGEST_TRIED:,} characters "
                    f"that begins {text!r}, and would hold up scoring; bound its repeats, put none inside another",
                )


def _rules(section: Citing) -> Rules:
    return Rules(
        styles=frozenset(section.styles) if section.styles is not None else None,
        usual=section.usual,
        counts_from=section.counts_from,
        patterns=tuple(re.compile(pattern) for pattern in section.patterns),
    )
