"""The checks of every record, as each service's settings want them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ragvigil.scorer.checks import CHECKS, Asked, check_all, citation_format
from ragvigil.scorer.checks.reading.budget import Budget
from ragvigil.scorer.checks.reading.citing.rules import Rules
from ragvigil.scorer.config import Budgets, Citing, CustomCheck
from ragvigil.scorer.custom.checks import CustomChecks
from ragvigil.scorer.failure_tags import tagged
from ragvigil.scorer.grounded_answer import as_result
from ragvigil.scorer.scoring.citing import CitingRules
from ragvigil.scorer.scoring.usual_style import UsualStyles
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

DEFAULT = "default"
"""The section for services that have none of their own."""
_FORMAT = CHECKS.index(citation_format.CHECK)


class Checking:
    """Runs the checks on one record after another."""

    def __init__(
        self,
        citations: Mapping[str, Citing] | None = None,
        budgets: Mapping[str, Budgets] | None = None,
        custom: Mapping[str, CustomCheck] | None = None,
        usual: UsualStyles | None = None,
        own: re.Pattern[str] | None = None,
    ) -> None:
        """By service; `custom` by name, and ConfigError names the one that cannot be loaded.

        `usual`: how services cited before; None: nothing is known, and each answer is held against itself. `own`: what
        they may say of themselves.
        """
        self._own = own
        self._usual = usual
        self._custom = CustomChecks(custom) if custom else None
        self._citing = CitingRules(citations or {})
        self._budgets = {name: budget_of(section) for name, section in (budgets or {}).items()}
        self._budget = self._budgets.get(DEFAULT) or budget_of(Budgets())

    def rules_of(self, service: str) -> Rules:
        """How a service cites."""
        return self._citing.of(service)

    def run(self, record: RagTrace) -> tuple[CheckResult, ...]:
        """One result for each check, those that sum them up (`failure_tags`, `grounded_answer`), and the custom ones.

        >>> results = Checking(budgets={"shop": Budgets(words=2)}).run(
        ...     RagTrace("0" * 32, "1" * 16, "shop", 0, answer="It opens at nine.")
        ... )
        >>> next(one.reason for one in results if one.check == "length_budget")
        '4 words of 2'
        """
        return self.run_all([record])[0]

    def run_all(self, records: Sequence[RagTrace]) -> list[tuple[CheckResult, ...]]:
        """The results of each record, as `run` gives them, in less time than one after the other."""
        asked = [self._asked(record) for record in records]
        return [
            self._summed_up(one.record, self._as_cited_now(one, found))
            for one, found in zip(asked, check_all(asked), strict=True)
        ]

    def _asked(self, record: RagTrace) -> Asked:
        learned = self._usual.of(record.service) if self._usual is not None else None
        return Asked(
            record,
            self._citing.of(record.service, learned),
            self._budgets.get(record.service, self._budget),
            self._own,
        )

    def _as_cited_now(self, one: Asked, found: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
        """The results, anew where the answers before have since made another style usual; then this one counts, too."""
        if self._usual is None:
            return found
        now = self._asked(one.record)
        if now.rules is not one.rules:
            found = check_all([now])[0]
        styles = citation_format.styles_in(found[_FORMAT])
        if styles:
            self._usual.saw(one.record.service, styles)
        return found

    def _summed_up(self, record: RagTrace, found: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
        results = (*found, tagged(found), as_result(found))
        return results if self._custom is None else (*results, *self._custom.run(record, results))


def budget_of(section: Budgets) -> Budget:
    """The budget that a section describes."""
    return Budget(**section.model_dump())
