"""What a question that was put off has cost is on the next one's bill, and names nobody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from tests.scorer.judge.endpoint.answering import said, server
from tests.scorer.judge.test_measures import NOTHING, OPENING
from tests.scorer.judge.test_panel import at, settings_of

from ragvigil.scorer.judge import build_asker, build_measuring, paid_of
from ragvigil.scorer.judge.endpoint import LaterError
from ragvigil.scorer.judge.memory import Memory


async def test_what_is_put_off_and_asked_again_has_the_snapshot_that_answered(tmp_path: Path) -> None:
    """Also where it is remembered: the series must not begin anew under a name that is gone."""
    asked = 0

    def answer(_: object) -> tuple[int, object]:
        nonlocal asked
        asked += 1
        if asked == 1:
            return 200, said("no JSON") | {"model": "m-old"}
        questions = {"questions": ["When does the library open?"], "noncommittal": False}
        return (500, {}) if asked == 2 else (200, said(json.dumps(questions)) | {"model": "m-new"})

    with server(answer) as url:
        settings = settings_of(tmp_path, at(url, "m") | {"measures": ["answer_relevance"]})
        paid = paid_of(settings, settings.judge)
        assert paid is not None
        asker = build_asker(settings.judge, memory=Memory(paid), tries=1)
        measuring = build_measuring(settings.judge, asker)
        assert measuring is not None
        try:
            with pytest.raises(LaterError):
                await measuring.added(NOTHING, OPENING)
            again = await measuring.added(NOTHING, OPENING)
            remembered = await measuring.added(NOTHING, OPENING)
        finally:
            await measuring.close()
    usages = [cast("dict[str, int]", one.details["usage"]) for one in (again, remembered)]
    assert asked == 3
    assert (usages[0]["calls"], usages[1]["remembered"]) == (2, 1)
    assert [one.measured[0].judge_version for one in (again, remembered)] == ["1+m-new"] * 2
