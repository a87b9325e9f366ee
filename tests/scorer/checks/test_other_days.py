"""A weekday that no passage names, of which a claim says what the passages say of others."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_restating import answered

from ragvigil.scorer.checks.prepared import Prepared

MUSEUM = "The museum is closed on Mondays and open late on Thursdays."
WASTE = "Waste is collected every Tuesday and Friday."
DESK = "Phone support is available Monday to Friday from 8:00 to 18:00."
INVENTED = (
    (MUSEUM, "The museum is closed on Sundays."),
    (WASTE, "Waste is collected every Thursday."),
    (
        "Die Bibliothek ist montags geschlossen und donnerstags bis 20 Uhr geöffnet.",
        "Sonntags ist die Bibliothek geschlossen.",
    ),
    ("El museo cierra los lunes y abre hasta tarde los jueves.", "El museo cierra los domingos."),
    ("O museu fecha às segundas-feiras.", "O museu fecha às terças-feiras."),
    ("垃圾收集时间为周二。", "垃圾收集时间为周四。"),
    ("垃圾收集时间为周二和周五。", "垃圾在周一和周四收集。"),
    ("収集日は火曜日です。", "収集日は木曜日です。"),
    ("ゴミの収集日は火曜日と金曜日です。", "収集日は月曜日と木曜日です。"),
    (DESK, "You can call us Monday to Saturday, 8:00 to 18:00."),
    (DESK, "Phone support is available Monday to Sunday."),
    (WASTE, "Waste is collected on Tuesdays and Thursdays."),
    ("Das Büro ist von Montag bis Donnerstag besetzt.", "Das Büro ist von Montag bis Freitag besetzt."),
    ("La oficina atiende de lunes a viernes.", "La oficina atiende de lunes a sábado."),
)
LEFT_OPEN = (
    (MUSEUM, "The museum is closed on Mondays."),
    (MUSEUM, "The museum is open on Sundays."),
    (WASTE, "Waste isn't collected on Sundays."),
    (f"{WASTE} Put it out by 6 am.", "Put it out on Monday evening or Thursday evening."),
    (f"{WASTE} Bulky waste: every Thursday.", "Waste is collected every Thursday."),
    (f"{WASTE} Bulky waste: Mon, Thu.", "Waste is collected every Thursday."),
    ("The shop is open Monday to Friday.", "The shop is open on Wednesdays."),
    (DESK, "You can call us on weekdays, 8:00 to 18:00."),
    (DESK, "Phone support is available Tuesday to Thursday."),
    (f"{DESK} Saturdays: 9 to 12.", "Phone support is available Monday to Saturday."),
    (f"{DESK} In December every day.", "Phone support is available Monday to Saturday."),
    (f"{DESK} Mail is answered Mon-Sat.", "Phone support is available Monday to Saturday."),
    (f"{DESK} On Saturdays we only chat.", "You reach us Monday to Saturday from 8:00 to 18:00."),
    (DESK, "It isn't available Saturday and Sunday."),
    (f"{DESK} In winter six days a week.", "Phone support is available Monday to Saturday."),
    (f"{DESK} Closed on Sundays.", "Phone support is available Monday to Saturday."),
    (f"{DESK} Phone: every day in summer.", "Phone support is available Monday to Sunday."),
    (f"{DESK} Phone in June: M-Sa.", "Phone support is available Monday to Saturday."),
    ("Breakfast is served Monday to Friday and lunch Weds-Sat.", "Lunch is served Wednesday to Saturday."),
    ("Orders placed on Friday arrive on the next working day.", "Orders placed on Friday arrive on Monday."),
    ("The fair starts on Saturday and runs for three days.", "The fair runs from Saturday to Monday."),
    (
        "Die Praxis ist von Montag bis Freitag und Sonnabend besetzt.",
        "Die Praxis ist von Montag bis Samstag besetzt.",
    ),
    (
        "Le magasin vend du pain du lundi au vendredi et le sam.",
        "Le magasin vend du pain du lundi au samedi.",
    ),
    (DESK, "The phone is shut Saturday and Sunday, and open Monday to Friday."),
    ("The meeting was moved from Monday to Thursday.", "The meeting is on Thursday."),
    ("Classes are on Mon, Wed and Fri.", "Classes are on Mondays, Wednesdays and Fridays."),
    ("垃圾收集时间为星期二。", "垃圾收集时间为周二。"),
    ("营业时间:周一至周五。", "周三营业。"),
    ("每周二收集垃圾。", "垃圾每周三次收集。"),
    ("月曜日から金曜日まで営業。", "水曜日は営業しています。"),
    ("収集日は火曜日です。", "水曜日には収集しません。"),
    ("O museu fecha às segundas-feiras.", "O museu fecha na segunda-feira."),
)


def verdicts(passage: str, answer: str) -> set[str]:
    """What is said of the claims."""
    return {claim.verdict for claim in Prepared(answered(answer, passage)).assessment.claims}


@pytest.mark.parametrize(("passage", "answer"), INVENTED)
def test_a_day_that_stands_nowhere_is_a_contradiction(passage: str, answer: str) -> None:
    """All other words stand in the sentence."""
    assert verdicts(passage, answer) == {"contradicted"}


@pytest.mark.parametrize(("passage", "answer"), LEFT_OPEN)
def test_a_day_that_may_be_so_is_none(passage: str, answer: str) -> None:
    """Within a range, said of another thing, denied, or open beside what is closed."""
    assert "contradicted" not in verdicts(passage, answer)


def test_many_ranges_are_looked_for_in_time() -> None:
    """Of all claims, each in all sentences: it was a minute."""
    passage = " ".join(f"Desk {one} answers calls Monday to Friday." for one in range(280))
    more = f"{passage}{' Monday, Tuesday' * 5000}"
    answer = " ".join(f"Desk {one} answers calls Monday to Sunday." for one in range(280))
    start = time.process_time()
    assert Prepared(answered(answer, more)).assessment.claims
    assert time.process_time() - start < 8
