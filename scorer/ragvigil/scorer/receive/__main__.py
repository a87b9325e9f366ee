"""The receiving process: what `ragvigil serve` turns into once the settings are known to be right."""

from __future__ import annotations

import sys

from ragvigil.scorer.receive.job import taken_over

if __name__ == "__main__":
    sys.exit(taken_over(int(sys.argv[1])))
