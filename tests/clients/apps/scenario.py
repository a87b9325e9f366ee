"""What the client applications are asked, find and answer: nobody has to read a trace to know it."""

from __future__ import annotations

from dataclasses import dataclass

MODEL = "tiny-chat-1"
INPUT_TOKENS, OUTPUT_TOKENS = 61, 17
"""What every model call of every application reports."""


@dataclass(frozen=True)
class Passage:
    """One retrieved passage."""

    id: str
    text: str
    score: float


@dataclass(frozen=True)
class Scenario:
    """One question with what is found for it, best first, and what the model answers."""

    question: str
    passages: tuple[Passage, ...]
    answer: str

    def numbered(self) -> str:
        """The passages as a prompt shows them: `[1] …`, one a line."""
        return "\n".join(f"[{place}] {each.text}" for place, each in enumerate(self.passages, 1))

    def plain(self) -> str:
        """The passages as a prompt shows them without numbers, a blank line between two."""
        return "\n\n".join(each.text for each in self.passages)


FERRY = Scenario(
    "À quelle heure part le dernier bateau pour l'île de Groix ?",
    (
        Passage("horaires-3", "En été, le dernier bateau part à 19 h 45 ; l'hiver, à 18 h 30.", 0.83),
        Passage("tarifs-1", "L'aller-retour coûte 38 €, 22 € pour les enfants.", 0.44),
        Passage("quai-9", "Embarquement au quai nº 2 : présentez-vous 30 min avant.", 0.12),
    ),
    "En été, à 19 h 45 ; l'hiver, à 18 h 30 [1].",
)
FARE = Scenario(
    "Et combien coûte l'aller-retour pour un enfant ?",
    (
        Passage("tarifs-1", "L'aller-retour coûte 38 €, 22 € pour les enfants.", 0.91),
        Passage("tarifs-4", "Les chiens voyagent gratuitement.", 0.2),
    ),
    "22 € pour un enfant [1].",
)
TRAIN = Scenario(
    "自由席はどの車両ですか？",
    (
        Passage("座席-1", "自由席は1号車から3号車です。\n指定席は4号車から16号車です。", 0.97),
        Passage("案内-7", "車内販売は終了しました。", 0.05),
    ),
    "自由席は1号車から3号車です[1]。",
)
API = Scenario(
    'What does `{"limit": 0}` mean in a list request?',
    (
        Passage(
            "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            'Send {"limit": 0} to get the count only.\n\n```json\n{"items": [], "count": 42}\n```',
            12.75,
        ),
        Passage("17", "Limits above 500 are refused with status 422 (see [2] of the RFC list).", -0.5),
    ),
    '{"limit": 0} returns the count only [1]; it never returns items.',
)
ALL = (FERRY, FARE, TRAIN, API)
