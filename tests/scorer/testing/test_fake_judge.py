"""What `ragvigil fake-judge` refuses before it listens."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.errors import InputError


@pytest.mark.parametrize(
    ("errors", "problem"),
    [
        (["429=0.9", "500=0.8"], "the shares sum to 1.7; together at most 1"),
        (["429=1.1"], "a share from 0 to 1"),
        (["200=0.1"], "a status from 400 to 599"),
        (["often"], "is not STATUS=SHARE"),
    ],
)
def test_errors_that_cannot_be_drawn_are_refused(errors: list[str], problem: str) -> None:
    """Option, problem and fix."""
    arguments = [argument for error in errors for argument in ("--error", error)]
    with pytest.raises(InputError, match=f"--error: .*{problem}"):
        CliRunner().invoke(app, ["fake-judge", *arguments], standalone_mode=False, catch_exceptions=False)
