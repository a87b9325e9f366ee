"""docs/playbook.md is made from the rows that pages quote; ``python tests/test_playbook_docs.py`` renews it."""

from __future__ import annotations

import re
from pathlib import Path

from ragvigil.scorer.diagnose.playbook import chosen, rows
from ragvigil.scorer.failure_tags import TAGS

PAGE = Path(__file__).parent.parent / "docs" / "playbook.md"
LINKED = re.compile(r"docs/([a-z-]+\.md)")
"""A page, as the code names it from the repository's root; here it is a link."""
INTRODUCTION = """# Playbook

What to do when answers went wrong: each page names the row that fits what was found (docs/diagnosis.md), with its first
fix. Fixes stand in the order in which to try them. Where people read your copy of this page: `links.playbook_url`.

Read some of the page's traces first. A number says that something fell; three answers usually say why.

This page is made from `scorer/ragvigil/scorer/data/playbook.json`; a test holds it.
"""
NEVER = """
## What not to do

- One end-to-end number without retrieval and generation apart: it cannot say which of them to mend.
- Metrics before anybody has read traces: `ragvigil label` and `ragvigil notes` come first (docs/report.md).
- Similarity (ROUGE, BERTScore, cosine) as the verdict on an answer: a wrong number in the right words scores high.
- Synthetic questions that nobody held against real ones.
- Judging an answer without its context.
"""


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for row in rows().values():
        parts.append(f'<a id="{row.id}"></a>\n\n## {row.name}\n\nSymptom: {row.symptom}.\n')
        parts.append("Likely causes:\n\n" + "\n".join(f"- {cause}" for cause in row.causes) + "\n")
        parts.append(
            "Fixes:\n\n" + "\n".join(f"{n}. {fix}" for n, fix in enumerate(row.fixes, start=1)) + "\n"
        )
    return LINKED.sub(r"[\1](\1)", "\n".join(parts) + NEVER)


def test_the_page_says_what_pages_say() -> None:
    """One text for both."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_row_has_causes_and_fixes() -> None:
    """Fourteen symptoms, none without something to try."""
    assert len(rows()) == 14
    assert all(row.causes and row.fixes and row.symptom for row in rows().values())


def test_every_finding_of_a_fall_leads_to_a_row() -> None:
    """Whatever tag grew or signal fell, somebody is told what to try."""
    for tag in TAGS:
        assert chosen("faithfulness", "generation", set(), {tag}, segment=False)
    for side in ("retrieval", "generation", "unclear"):
        for series in ("faithfulness", "citation", "retrieval"):
            assert chosen(series, side, set(), set(), segment=True)[-1].id == "one-segment"
    assert chosen("traffic", "unclear", set(), set(), segment=False) == ()


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
