"""docs/accuracy.md is made from the coefficients' own report; ``python tests/test_accuracy_docs.py`` renews it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
TEXT = """# How good the built-in judge is

`builtin` with the coefficients `{model}`, fitted on {date} by `{command}`.

Cross-validated in five folds, split by source, one model for every set; neither the set's name nor the task is an
input. AUROC: how well it ranks answers, positive = not fully supported. F1 and balanced accuracy take the best
threshold in hindsight, so they are a little flattering. ECE: expected calibration error of its probability.

{table}

Fitted on: {sets}. Each answer was also put beside the evidence of another question: of {strangers:,} such answers
{passed:.1%} pass.

## What it cannot do

- **The probability is calibrated for answers of RAG services as in RAGTruth**, where about one claim in eleven is
  unsupported. On sets with another share the ranking holds and the probability does not: see their ECE. Calibrate
  with labels of your own before you read its rate as a level.
- **Subtle edits escape it**: near chance on SummEdits and BUMP, whose errors swap a role, a relation or one word.
- A wrong number inside a long true sentence lowers the probability; only a nearly identical sentence with another
  number or a negation is called `contradicted`.
- An answer with an unsupported or contradicted claim never passes: its probability is at most its worst claim's.
  One whose claims are each supported or partly supported can still fail, when many are in doubt.
- Passages in another language than the answer count as no support. Whether a question can be answered from the
  passages at all is not judged.
"""


def page() -> str:
    """The whole page."""
    report: dict[str, Any] = json.loads(files("ragvigil.scorer.data").joinpath("lexical-1.json").read_text())
    found, provenance = report["cross_validation"], report["provenance"]
    head = "| set | answers | unsupported | AUROC | F1 | balanced accuracy | ECE |\n|---|---|---|---|---|---|---|"
    rows = [
        f"| {name} | {row['n']:,} | {row['unsupported']:.1%} | {row['auroc']:.3f} | {row['best_f1']:.3f} "
        f"| {row['best_balanced_accuracy']:.3f} | {row['ece']:.3f} |"
        for name, row in ((name, part["answers"]) for name, part in found.items() if "answers" in part)
    ]
    return TEXT.format(
        model=report["model"],
        date=provenance["date"],
        command=provenance["command"],
        table="\n".join([head, *rows]),
        sets="; ".join(one["from"] for one in provenance["sets"]),
        strangers=found["strangers"]["n"],
        passed=found["strangers"]["passed"],
    )


def test_the_accuracy_page_says_what_was_measured() -> None:
    """Figures that nobody ran must not appear, and new coefficients bring new ones."""
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
