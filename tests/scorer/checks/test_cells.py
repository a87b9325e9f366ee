"""Claims about one row of a table, or one record, beside what that says."""

from __future__ import annotations

import pytest
from tests.scorer.checks.test_days import claim_of

PLANS = """| Plan | Users | Storage | Price |
|---|---|---|---|
| Basic | 3 | 5 GB | $9 |
| Pro | 10 | 50 GB | $29 |
| Enterprise | Unlimited | 1 TB | Contact us |"""
FEATURES = "| Feature | Basic | Pro |\n|---|---|---|\n| SSO | No | Yes |\n| Audit log | No | Yes |\n| API | Yes | Yes |"
SEATS = "| Plan | Price | Seats |\n|---|---|---|\n| Free | $0 | 1 |\n| Team | $12 per seat | up to 25 |"
DINER = """{"name": "Luigi's", "attributes": {"OutdoorSeating": true, "RestaurantsReservations": false},
"hours": {"Monday": "11:0-22:0", "Sunday": "12:0-21:0"}}"""
ROOMS = """| Room | Price | Breakfast |
|---|---|---|
| Single room | 80 EUR | included |
| Double room | 120 EUR | 12 EUR |
| Dorm | 30 EUR | no |"""
SIGNING = "| Plan | Price | SSO |\n|---|---|---|\n| Basic | $9 | no |\n| Plus | $29 | yes |"
PACOTES = "| Plano | Preço | Wi-Fi |\n|---|---|---|\n| Básico | R$ 29 | não |\n| Completo | R$ 59 | sim |"
PETS = "| Room | Beds | Pets |\n|---|---|---|\n| Alster | 2 | never |\n| Elbe | 3 | allowed |"
KETTLE = "product: kettle\nvolume: 1.7 l\ninduction: no\ndishwasher-safe: yes"
NUMBERED = "| # | Plan | Price | SSO |\n|---|---|---|---|\n| 1 | Basic | $9 | no |\n| 2 | Plus | $29 | yes |"
YEARS = """| Year | Country | Debt |
|---|---|---|
| 2019 | Germany | 52 |
| 2020 | Germany | 47 |
| 2019 | France | 36 |"""
PERIODS = """| Plan | Period | Price |
|---|---|---|
| Basic | monthly | $9 |
| Basic | yearly | $90 |
| Pro | monthly | $29 |"""
SMOKING = "We have one rule for smoking in rooms: never."

OTHERWISE = (
    ("Basic costs $29.", NUMBERED),
    ("Basic has SSO.", NUMBERED),
    ("Plus has no SSO.", NUMBERED),
    ("Germany had a debt of 36 in 2019.", YEARS),
    ("Basic costs $29 monthly.", PERIODS),
    ("You may smoke in rooms.", SMOKING),
    ("The kettle is suitable for induction.", KETTLE.replace("no", "`no`")),
    ("The Basic plan has SSO.", SIGNING),
    ("The Plus plan has no SSO.", SIGNING),
    ("O plano Básico tem Wi-Fi.", PACOTES),
    ("Pets are allowed in room Alster.", PETS),
    ("The kettle is suitable for induction.", KETTLE),
    ("The single room costs 120 EUR including breakfast.", ROOMS),
    ("Breakfast in the double room costs 120 EUR.", ROOMS),
    ("The dorm costs 80 EUR and has no breakfast.", ROOMS),
    ("The Basic plan includes 50 GB of storage.", PLANS),
    ("The Basic plan costs $29.", PLANS),
    ("The Pro plan is for 3 users.", PLANS),
    ("The Basic plan includes SSO.", FEATURES),
    ("The Pro plan does not include SSO.", FEATURES),
    ("The Team plan has 12 seats.", SEATS),
    ("The Free plan costs $12 per seat.", SEATS),
    ("Luigi's takes reservations.", DINER),
    ("Luigi's has no outdoor seating.", DINER),
    ("On Sundays Luigi's closes at 10 PM.", DINER),
)
SO = (
    ("Plus costs $29.", NUMBERED),
    ("Basic has no SSO.", NUMBERED),
    ("Germany had a debt of 47 in 2020.", YEARS),
    ("Basic costs $90 yearly.", PERIODS),
    ("The Basic plan costs $9.", SIGNING.replace("no", "**no**")),
    ("The Basic plan costs $9.", SIGNING.replace("no", "no ❌")),
    ("The Basic plan costs $9.", SIGNING),
    ("The Basic plan has no SSO.", SIGNING),
    ("O plano Básico custa R$ 29.", PACOTES),
    ("Room Alster has 2 beds.", PETS),
    ("The kettle is dishwasher-safe and holds 1.7 l.", KETTLE),
    ("The single room costs 80 EUR including breakfast.", ROOMS),
    ("The double room costs 120 EUR without breakfast.", ROOMS),
    ("Breakfast in the double room costs 12 EUR.", ROOMS),
    ("The dorm costs 30 EUR and has no breakfast.", ROOMS),
    ("The Pro plan includes 50 GB of storage and 10 users.", PLANS),
    ("The Pro plan costs $29.", PLANS),
    ("The Pro plan includes SSO.", FEATURES),
    ("The Basic plan does not include SSO.", FEATURES),
    ("The Team plan costs $12 per seat.", SEATS),
    ("The Team plan has up to 25 seats.", SEATS),
    ("The restaurant has outdoor seating but does not take reservations.", DINER),
    ("On Mondays Luigi's is open from 11 AM until 10 PM.", DINER),
    ("On Sundays Luigi's closes at 9 PM.", DINER),
)


@pytest.mark.parametrize(("answer", "passage"), OTHERWISE)
def test_what_stands_in_another_row_or_day_is_not_supported(answer: str, passage: str) -> None:
    """Everything in it stands somewhere in the passage."""
    assert claim_of(answer, passage).verdict != "supported"


@pytest.mark.parametrize(("answer", "passage"), SO)
def test_what_stands_in_its_row_is_supported(answer: str, passage: str) -> None:
    """Also two things of one row at once."""
    assert claim_of(answer, passage).verdict == "supported"
