"""Import time in fresh processes, against the SDK's."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys

from tests.bench.tracer_cost.clock import row

STATEMENTS = ("import opentelemetry.sdk.trace", "import ragvigil.tracer")


def import_cost() -> None:
    """CPU of the import, compiled beforehand: whether a machine may write byte code must not matter."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds: dict[str, list[float]] = {statement: [] for statement in STATEMENTS}
    for _ in range(12):
        for statement, times in seconds.items():
            program = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
            done = subprocess.run(
                [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
            )
            times.append(float(done.stdout))
    sdk, ours = (statistics.median(times[1:]) * 1e3 for times in seconds.values())
    for statement, cost in zip(STATEMENTS, (sdk, ours), strict=True):
        row(statement, f"{cost:.1f} ms", f"x {cost / sdk:.2f}")
