"""Precision and recall of abstention on DelucionQA answers with refusal labels.

    python tests/bench/bench_refusals.py delucionqa_refusal.jsonl.gz

The file has one JSON object a line, gzip, with ``answer`` and ``refusal``; it is not part of the repository.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.trace import RagTrace


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--mistakes", action="store_true", help="print the answers that are told wrongly")
    arguments = parser.parse_args()
    seen: Counter[tuple[bool, bool]] = Counter()
    with gzip.open(arguments.file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            record = RagTrace("0" * 32, "1" * 16, "bench", 0, query=row.get("query"), answer=row["answer"])
            told, found = bool(row["refusal"]), Prepared(record).abstains
            seen[told, found] += 1
            if arguments.mistakes and told != found:
                sys.stdout.write(f"{'missed' if told else 'wrong'}: {row['answer'][:300]!r}\n")
    hits = seen[True, True]
    precision, recall = hits / (hits + seen[False, True]), hits / (hits + seen[True, False])
    sys.stdout.write(f"{seen.total():,} answers, precision {precision:.3f}, recall {recall:.3f}\n")


if __name__ == "__main__":
    main()
