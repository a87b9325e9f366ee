"""What the settings name of the operator's own, tried before anything is started.

Dialects, patterns and prompts bring the built-in checks with them, which take longer to import than all the rest of a
command: only where there is something to try.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragvigil.scorer.config import Citing, CustomCheck, Judge, Settings
from ragvigil.scorer.config.exporting import Export

if TYPE_CHECKING:
    from ragvigil.scorer.dialects import Dialect


def own_dialects(names: Sequence[str]) -> Sequence[Dialect]:
    """All dialects, those in somebody's own files first; none where there are no such files.

    >>> own_dialects([])
    ()
    """
    if not names:
        return ()
    from ragvigil.scorer.dialects.custom import dialects_of

    return dialects_of(names)


def refuse_exploding_patterns(sections: Mapping[str, Citing]) -> None:
    """One would hold up all scoring, for a search cannot be interrupted."""
    if not sections:
        return
    from ragvigil.scorer.scoring.citing import refuse_exploding

    refuse_exploding(sections)


def refuse_unusable_prompts(judge: Judge) -> None:
    """A prompt or criterion that cannot be filled is named, with the fix; those of the defaults can be."""
    if judge == Judge():
        return
    from ragvigil.scorer.judge import measures_of, rubric_of

    measures_of(judge)
    for one in (judge, *judge.panelists.values()):
        rubric_of(one)


def load_and_end(sections: Mapping[str, CustomCheck]) -> None:
    """Start the process of custom functions once, for a mistake in them."""
    if not sections:
        return
    from ragvigil.scorer.custom.checks import CustomChecks

    CustomChecks(sections).close()


def refuse_unknown_scores(settings: Settings) -> None:
    """A tool that is sent a score which nothing gives is named, and one that is this scorer itself."""
    if settings.export == Export():
        return
    from ragvigil.scorer.sending import sinks_of

    sinks_of(settings)


def refuse_missing_hook(name: str | None) -> None:
    """Start the process of content.hook once: every text that it fails on is lost."""
    if name is None:
        return
    from ragvigil.scorer.redact.hook import refuse_missing

    refuse_missing(name)
