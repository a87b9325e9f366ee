"""Days of a claim beside those of the evidence, in many spellings."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from ragvigil.scorer.checks.alignment import days
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import Expression, expressions
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import Claim


def claim_of(answer: str, passage: str) -> Claim:
    """The one claim of an answer beside a passage and another one that is about something else."""
    record = RagTrace(
        "0" * 32,
        "1" * 16,
        "shop",
        0,
        query="When?",
        answer=answer,
        documents=(Document("a", passage, rank=1), Document("b", "The kitchen serves tea.", rank=2)),
    )
    (claim,) = Prepared(record).assessment.claims
    return claim


OTHER_DAYS = (
    ("The application deadline is 28/02/2025.", "The application deadline is 27/02/2025."),
    ("The application deadline is 28 February 2025.", "The application deadline is 27 February 2025."),
    ("The application deadline is February 28, 2025.", "The application deadline is February 27, 2025."),
    ("The application deadline is 28.02.2025.", "The application deadline is 27.02.2025."),
    ("The application deadline is 2025-02-28.", "The application deadline is 2025-02-27."),
    ("The application deadline is 28/02/2025.", "The application deadline is 27 February 2025."),
    ("The application deadline is 28 February 2025.", "The application deadline is 2025-02-27."),
    ("The application deadline is 02/28/2025.", "The application deadline is 02/27/2025."),
    ("The application deadline is 28/02/25.", "The application deadline is 27/02/25."),
    ("The application deadline is 28-Feb-2025.", "The application deadline is 27-Feb-2025."),
    ("The application deadline is 28/03/2025.", "The application deadline is 28/04/2025."),
    ("A taxa vence em 28 de fevereiro de 2025.", "A taxa vence em 27 de fevereiro de 2025."),
    ("Die Frist endet am 28.2.2025.", "Die Frist endet am 27.2.2025."),
    ("Termin upływa 28 lutego 2025.", "Termin upływa 27 lutego 2025."),
    ("The deadline is 28 Feb 2025.", "The deadline is 27 Feb 2025. It opened on 28 January 2025."),
    # Written to be kept aside, and measured once.
    ("The lease ends on 14/11/2026.", "The lease ends on 15/11/2026."),
    ("The lease ends on 14 November 2026.", "The lease ends on November 15th, 2026."),
    ("The museum reopens on 3 June 2024.", "The museum reopens on 4 June 2024."),
    ("The invoice was sent on 07/08/2023.", "The invoice was sent on 9 September 2023."),
    ("El plazo termina el 15 de mayo de 2025.", "El plazo termina el 16 de mayo de 2025."),
    ("La réunion a lieu le 3 mars 2025.", "La réunion a lieu le 4 mars 2025."),
    ("Il contratto scade il 30/06/2025.", "Il contratto scade il 29/06/2025."),
    ("De winkel opent op 12 maart 2025.", "De winkel opent op 13 maart 2025."),
    ("The parcel arrived on Dec 3, 2024.", "The parcel arrived on 2024-12-02."),
    ("Der Kurs beginnt am 1. Oktober 2025.", "Der Kurs beginnt am 2. Oktober 2025."),
)


CORRECTED = (
    ("The deadline is 8 May.", "The deadline was 3 May. It was moved to 8 May."),
    ("The deadline is 8 May 2025.", "The deadline was 3 May 2025. It was moved to 8 May 2025."),
    ("The fee is 15 euros.", "The fee was 12 euros. It was raised to 15."),
    ("Die Frist endet am 8. Mai.", "Die Frist endet am 3. Mai. Sie wurde auf den 8. Mai verlegt."),
    ("A consulta é no dia 8 de maio.", "A consulta é no dia 3 de maio. Foi adiada para 8 de maio."),
)
NOT_CORRECTED = (
    (
        "The lease of the shop ends on 14 May.",
        "The lease of the shop ends on 3 May. Rent is due on 14 April.",
    ),
    ("The deadline is 8 May.", "The deadline is 3 May. It opened on 8 January."),
)


@pytest.mark.parametrize(("answer", "passage"), CORRECTED)
def test_what_the_next_sentence_says_is_no_contradiction(answer: str, passage: str) -> None:
    """The one that is most alike says what was so before."""
    assert claim_of(answer, passage).verdict != "contradicted"


@pytest.mark.parametrize(("answer", "passage"), NOT_CORRECTED)
def test_what_the_next_sentence_says_of_another_thing_excuses_nothing(answer: str, passage: str) -> None:
    """It names that thing anew, or another month."""
    assert claim_of(answer, passage).verdict == "contradicted"


@pytest.mark.parametrize(("answer", "passage"), OTHER_DAYS)
def test_another_day_contradicts(answer: str, passage: str) -> None:
    """The same sentence with another day, however either is written."""
    found = claim_of(answer, passage)
    assert (found.verdict, found.reason) == ("contradicted", "number_mismatch")


SAME_DAYS = (
    ("The deadline is 28/02/2025.", "The deadline is 28 February 2025."),
    ("The deadline is 05/03/2025.", "The deadline is 5 March 2025."),
    ("The deadline is 05/03/2025.", "The deadline is May 3, 2025."),
    ("The deadline is 28/02/25.", "The deadline is 28 February 2025."),
    ("The deadline is 28-Feb-2025.", "The deadline is 28 February 2025."),
    ("The deadline is 28 February.", "The deadline is 28/02/2025."),
    ("The deadline is in February 2025.", "The deadline is 28 February 2025."),
    ("The fair is open on 28/02/2025.", "The fair is open from 27/02/2025 to 02/03/2025."),
    ("The fair takes place on 28 February 2025.", "The fair takes place from 27 February to 2 March 2025."),
    ("The fair is open on 12 May.", "The fair is open 10 to 14 May 2025."),
    ("The fair is open on 27 February 2025.", "The fair is open 27-28 February 2025."),
    ("The store is closed on 24 December.", "The store is closed on 24 and 25 December."),
    ("The store is closed on December 25.", "The store is closed on December 24-26."),
    ("The store is closed on 25 December.", "The store is closed from December 24 to January 2."),
    ("She was born on 14/07/75.", "She was born on 14 July 1975."),
    ("The bridge was closed on 28 February 1999.", "The bridge was closed on 28/02/99."),
    ("The fair is open on 2 January 2026.", "The fair is open from 28 December 2025 to 3 January 2026."),
    ("The fair is open on 30 December 2025.", "The fair is open from 28 December to 3 January 2026."),
    ("The fair is open on 2 January.", "The fair is open from 28 December 2025 to 3 January 2026."),
    ("The fair is open on 29 February 2024.", "The fair is open from 27 February 2024 to 2 March 2024."),
    # Written to be kept aside, and measured once.
    ("The lease ends on 15/11/2026.", "The lease ends on November 15th, 2026."),
    ("The course runs on 5 July 2025.", "The course runs from July 1 to July 12, 2025."),
    ("Der Kurs läuft am 3. Oktober 2025.", "Der Kurs läuft vom 1.10.2025 bis 5.10.2025."),
    ("The invoice was sent on 07/08/2023.", "The invoice was sent on July 8, 2023."),
    ("La réunion a lieu le 3 mars 2025.", "La réunion a lieu le 03/03/2025."),
    ("The pool is closed on 1 and 2 August.", "The pool is closed on 1 August and 2 August."),
    ("The offer is valid on 10 April.", "The offer is valid 8 April \u2013 15 April."),
)


@pytest.mark.parametrize(("answer", "passage"), SAME_DAYS)
def test_the_same_day_and_one_within_a_range_are_supported(answer: str, passage: str) -> None:
    """In another form, with a day and a month that may be either way round, or between first and last day."""
    assert claim_of(answer, passage).verdict == "supported"


NOT_TOLD = (
    ("The deadline is 28 February 2025.", "The deadline is February 2025."),
    ("The sale ended on 28 February 2025.", "The sale lasted until the end of February 2025."),
    ("The fair opens on 1 May 2025.", "The fair is open until 5 May 2025."),
    ("The store is closed on December 27.", "The store is closed on December 24 and 25."),
    (
        "He was president from 25 July 2011 to 3 October 2011.",
        "He was president from 2 July 2011 to 2 April 2016.",
    ),
    ("The course is on 20 July 2025.", "The course is held from July 1 to July 12, 2025."),
    ("The fair is open on 28 February 2024.", "The fair is open from 27 February 2025 to 2 March 2025."),
    ("The fair is open on 28/02/2024.", "The fair is open from 27/02/2025 to 02/03/2025."),
    ("The fair is open on 3 May 2019.", "The fair is open from 1 to 5 May 2025."),
    ("The fair is open on 2 January 2025.", "The fair is open from 28 December 2025 to 3 January 2026."),
    ("The fair starts on 3 May.", "The fair is open from 1 to 5 May."),
    ("The fair is open on 4 March.", "The fair is open from 12 on 5 March to 0 degrees."),
    ("The fair is open on 4 March.", "The fair is open 5 March - 00 or 31 April 9999 to 1 January 0001."),
    ("The fair is open on 29 February 2025.", "The fair is open from 1/2/9999 to 29 February."),
)


@pytest.mark.parametrize(("answer", "passage"), NOT_TOLD)
def test_a_day_that_the_evidence_does_not_tell_is_not_supported(answer: str, passage: str) -> None:
    """A month alone, a bound, or a range that ends before."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize(("answer", "passage"), NOT_TOLD[:3])
def test_a_month_or_a_bound_contradicts_no_day(answer: str, passage: str) -> None:
    """The day is missing there, it is not another one."""
    assert claim_of(answer, passage).verdict != "contradicted"


def test_a_sentence_is_read_once_for_all_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each: 500 claims beside 500 sentences took 40 seconds."""
    read: list[str] = []

    def counted(text: str, kinds: Collection[str] | None = None) -> list[Expression]:
        read.append(text)
        return expressions(text, kinds)

    monkeypatch.setattr(days, "expressions", counted)
    passage = "The hall is open from 1 May to 3 May."
    ranges = days.Ranges(Evidence([Document("a", passage, rank=1)]).segments)
    told = [ranges.holding(f"The hall is open on {day} May.") for day in range(1, 6)]
    assert [len(one) for one in told] == [1, 1, 1, 0, 0]
    assert read.count(passage) == 1


def test_a_sentence_is_not_read_for_a_claim_that_tells_no_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences are long, and most claims tell none, or several, of which nothing is said."""
    read: list[str] = []

    def counted(text: str, kinds: Collection[str] | None = None) -> list[Expression]:
        read.append(text)
        return expressions(text, kinds)

    monkeypatch.setattr(days, "expressions", counted)
    assert not days.another_day("It is open.", "It is open on 3 May.")
    assert not days.leaves_room("Open on 1 May and 7 June.", "It is open on 3 May.")
    assert read == ["It is open.", "Open on 1 May and 7 June."]
    assert days.another_day("Open on 1 May.", "Open on 3 May.")


ROOM = (
    ("Tickets are valid on 3 May.", "Tickets are valid through 5 May."),
    ("Tickets are valid on 3 May.", "Tickets are valid until 5 May."),
    ("La mostra è aperta il 3 maggio.", "La mostra è aperta fino al 5 maggio."),
    ("L'exposition est ouverte le 3 mai.", "L'exposition est ouverte jusqu'au 5 mai."),
    ("La exposición está abierta el 3 de mayo.", "La exposición está abierta hasta el 5 de mayo."),
    ("Please register by 4 March.", "Please register before 5 March."),
    ("The rule applies after 4 March 2025.", "The rule applies from 5 March 2025."),
    ("The exhibition is open from 1 March.", "The exhibition is open until 5 March."),
    ("The museum is open on 24 December.", "The museum is open every day except 25 December."),
    ("The museum is open on 24 December.", "The museum is open daily, but not on 25 December."),
    ("The ferry leaves on 3 May.", "The ferry does not leave on 4 May."),
    ("The large concert hall is open on 3 May.", "The large concert hall is closed on 4 May."),
    ("The fair takes place on 5 March.", "The fair takes place in the week of 3 March."),
    ("The shop is open on Saturday.", "The shop is closed on Sunday."),
    ("The shop is open on Saturdays.", "The shop is not open on Sundays."),
    ("The shop is open on Monday.", "The shop is open every day except Sunday."),
    # Written to be kept aside, and measured once.
    ("Der Zoo ist am Montag geöffnet.", "Der Zoo ist am Dienstag geschlossen."),
    ("The permit is valid on 9 June 2025.", "The permit is valid until 12 June 2025."),
    ("De tentoonstelling is open op 2 juni.", "De tentoonstelling is open tot 9 juni."),
    ("Das Bad ist am 1. Juni offen.", "Das Bad ist täglich außer am 2. Juni offen."),
    ("O museu abre em 3 de junho.", "O museu abre todos os dias, exceto em 4 de junho."),
    ("The bus runs on Friday.", "The bus does not run on Saturday."),
    ("The bus runs in May.", "The bus does not run in June."),
    ("Wystawa jest czynna 3 maja.", "Wystawa jest czynna do 5 maja."),
)


@pytest.mark.parametrize(("answer", "passage"), ROOM)
def test_a_bound_an_exception_or_a_denial_leaves_room_for_other_days(answer: str, passage: str) -> None:
    """What is so until 5 May may be so on 3 May; what is not so on Sunday may be so on Saturday."""
    assert claim_of(answer, passage).verdict != "contradicted"


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("Tickets are valid until 5 May.", "Tickets are valid until 3 May."),
        ("Please register before 9 March.", "Please register before 5 March."),
        ("The shop is not open on Saturdays.", "The shop is not open on Sundays."),
        (
            "The museum is open every day except 24 December.",
            "The museum is open every day except 25 December.",
        ),
    ],
)
def test_another_day_behind_the_same_bound_or_exception_contradicts(answer: str, passage: str) -> None:
    """There is no room where both say the same of their day."""
    assert claim_of(answer, passage).verdict == "contradicted"
