"""For rehearsals and tests: a judge behind a real endpoint, as good, as slow and as broken as one likes."""

from __future__ import annotations

from ragvigil.scorer.testing._damage import DAMAGES
from ragvigil.scorer.testing._script import Script
from ragvigil.scorer.testing._server import ScriptedJudge, application
from ragvigil.scorer.testing._shown import Shown

__all__ = ["DAMAGES", "Script", "ScriptedJudge", "Shown", "application"]
