"""How claims lie on evidence, and what the fitted model makes of it."""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files

import pytest
from tests.scorer.checks.laid_claims import EVIDENCE, laid, laid_on, supported

from ragvigil.scorer.checks.alignment.align import FIGURES, Stated, align
from ragvigil.scorer.checks.alignment.assess import Assessment, spread
from ragvigil.scorer.checks.alignment.model import ANSWER_FEATURES, CLAIM_FEATURES, MODELS, load
from ragvigil.scorer.checks.alignment.recent import Recent
from ragvigil.scorer.checks.alignment.tokens import TOKEN_FEATURES, Token
from ragvigil.scorer.checks.reading.claims import read_statements
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.trace import Document


def test_a_verbatim_claim_is_wholly_covered_by_its_passage() -> None:
    """Nothing is novel."""
    alignment, figures = laid("Tickets cost 12 euros for adults.")
    assert figures["best_segment"] == figures["bigrams"] == 1.0
    assert figures["novel_count"] == figures["novel_numbers"] == 0.0
    assert alignment.passages == (1,)


def test_claims_laid_together_are_laid_as_each_alone() -> None:
    """Also more than are laid at once, among them one that says nothing and one of which nothing is held."""
    claims = [
        "It opened in 1998.",
        "Honey.",
        "It is.",
        "Tickets do not cost 12 euros.",
        "Adults pay on Mondays.",
    ]
    asked = [(words(claim), claim) for claim in claims * 14]
    (together,) = align([Stated(asked, EVIDENCE, ())], load("lexical-1").weights)
    assert together == [laid(claim)[0] for claim in claims] * 14


def test_a_claim_from_two_passages_names_both() -> None:
    """The best sentence first."""
    assert set(
        laid("The Zeppelin museum opened in 1998, and tickets cost 12 euros for adults.")[0].passages
    ) == {0, 1}


def test_novel_numbers_and_names_are_counted() -> None:
    """What the evidence lacks."""
    _, figures = laid("In 2005 the museum moved to Hamburg.")
    assert figures["novel_numbers"] > 0
    assert figures["novel_names"] > 0


def test_names_of_the_evidence_that_stand_elsewhere_are_counted() -> None:
    """Beside those that it lacks."""
    _, near = laid("It says that the Zeppelin museum opened in 1998.")
    _, far = laid("At the Zeppelin museum tickets cost 12 euros for adults.")
    assert near["names_elsewhere"] == near["novel_names"] == far["novel_names"] == 0.0
    assert far["names_elsewhere"] > 0


def test_a_number_that_may_count_what_the_answer_says_is_told_from_others() -> None:
    """Small ones: two ways, ten steps."""
    assert laid("There are three museums.")[1]["novel_tallies"] > 0
    figures = laid("The museum has 2005 rooms.")[1]
    assert figures["novel_tallies"] == 0 < figures["novel_numbers"]


@pytest.mark.parametrize(
    "claim",
    [
        "The museum opens seven days a week.",
        "Repeat steps 3 and 4.",
        "The museum has 4 out of 5 stars.",
        "The two differ.",
        "It closed during COVID-19.",
    ],
)
def test_numbers_that_no_evidence_must_hold_are_no_novelty(claim: str) -> None:
    """Every day, an answer's own steps, marks, a count of what was named."""
    evidence = Evidence([Document("a", "The museum has 4 stars and differs. It closed.")])
    alignment, figures = laid_on(evidence, claim)
    assert figures["novel_numbers"] == 0.0
    assert not alignment.unfounded_number


def test_a_temperature_in_other_degrees_is_no_novelty_as_far_as_it_is_the_same() -> None:
    """180 degrees Celsius are 356 Fahrenheit, not 300."""
    evidence = Evidence([Document("a", "Bake it at 356 F.")])
    assert laid_on(evidence, "Bake it at 356 F (180 C).")[1]["novel_numbers"] == 0.0
    assert laid_on(evidence, "Bake it at 356 F (150 C).")[1]["novel_numbers"] > 0.0


def test_hours_that_are_right_are_found_however_they_are_written() -> None:
    """A record says 9:0-17:0; what else the sentence says is looked at alone."""
    record = {"hours": dict.fromkeys(["Monday", "Tuesday"], "9:0-17:0")}
    evidence = Evidence([Document("record", json.dumps(record))])
    right = laid_on(evidence, "A shop is open on Monday from 9 AM to 5 PM.")
    assert [token.stem for token in right[0].tokens] == ["shop", "open"]
    wrong = laid_on(evidence, "A shop is open on Monday from 9 AM to 6 PM.")
    assert "6" in [token.stem for token in wrong[0].tokens]
    assert (right[1]["hours_disagree"], wrong[1]["hours_disagree"]) == (0.0, 1.0)


def test_that_a_claim_says_what_the_evidence_lacks_is_seen() -> None:
    """It speaks of its evidence, and denies."""
    assert laid("The passages do not mention prices.")[1]["evidence_lacks"] > 0.0
    assert laid("The passages mention prices.")[1]["evidence_lacks"] == 0.0
    assert laid("Tickets do not cost 12 euros.")[1]["evidence_lacks"] == 0.0


def test_words_of_one_origin_with_a_word_of_the_evidence_are_told_from_other_novel_ones() -> None:
    """By the letters that they begin with."""
    assert laid("Tickets for adulthood.")[1]["kindred_share"] > 0
    assert laid("Tickets for penguins.")[1]["kindred_share"] == 0


def test_how_much_a_claim_speaks_of_its_evidence_is_seen() -> None:
    """It says that something is mentioned somewhere."""
    assert laid("The passage mentions tickets.")[1]["about_evidence"] > 0
    assert laid("Tickets cost 12 euros.")[1]["about_evidence"] == 0


def test_a_word_that_answers_often_use_unfounded_weighs_more_than_one_of_their_own_wording() -> None:
    """Where the evidence lacks both; where it has them neither counts."""
    model = load("lexical-1")
    ranked = sorted(model.token.novel, key=model.token.novel.__getitem__)

    def odds(stem: str, *, missing: bool) -> float:
        return model.token.log_odds([Token(0, [], 0.5, missing, stem)])[0]

    assert odds(ranked[0], missing=True) < odds("zeppelin-like", missing=True)
    assert odds(ranked[0], missing=True) + 1 < odds(ranked[-1], missing=True)
    assert odds(ranked[0], missing=False) == odds(ranked[-1], missing=False)


def test_an_opposite_or_renumbered_sentence_contradicts() -> None:
    """Only when it is nearly identical."""
    assert laid("The Zeppelin museum opened in 2003.")[0].contradiction == "number"
    assert laid("The Zeppelin museum never opened in 1998.")[0].contradiction == "negation"
    assert laid("Hamburg has no harbour.")[0].contradiction is None


@pytest.mark.parametrize(
    ("claim", "contradiction"),
    [
        ("15 euros.", "number"),
        ("Tickets cost 15 euros.", "number"),
        ("Did you know tickets cost 15 euros for adults?", "number"),
        ("The museum opened in 2003.", "number"),
        ("12 euros.", None),
        ("15 children.", None),
        ("15 bridges.", None),
    ],
)
def test_a_lone_number_that_conflicts_contradicts(claim: str, contradiction: str | None) -> None:
    """The evidence counts the same thing and has no such number anywhere."""
    assert laid(claim)[0].contradiction == contradiction


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("The old shop opens at nine, but it does not open on holidays.", "The old shop opens at nine."),
        ("Prosecutors aren't swayed and will seek the death penalty.", "Prosecutors seek the death penalty."),
        ("O museu fica no centro da cidade.", "O museu fica em centro da cidade."),
    ],
)
def test_what_another_clause_denies_contradicts_nothing(sentence: str, claim: str) -> None:
    """A negation counts for its own clause and the word after it; Portuguese "no" is none."""
    alignment, figures = laid_on(Evidence([Document("a", sentence)]), claim)
    assert (alignment.contradiction, figures["negation_mismatch"]) == (None, 0.0)


def test_a_claim_with_a_number_found_nowhere_is_never_supported() -> None:
    """However well the rest is covered, unless the question brought it up."""
    evidence = Evidence(
        [Document("a", "The fee must be paid at the desk of the main office in the old town hall.")]
    )
    claim = "The fee of 90 must be paid at the desk of the main office in the old town hall."
    model = load("lexical-1")
    assert supported(laid_on(evidence, claim)[0]) < model.supported_at
    assert not laid_on(evidence, claim, {"90"})[0].unfounded_number


def test_a_passage_that_is_pointed_at_is_no_number() -> None:
    """As far as there is such a passage."""
    assert not laid("Tickets cost 12 euros for adults according to passage 2.")[0].unfounded_number
    assert laid("Tickets cost 12 euros for adults according to passage 7.")[0].unfounded_number


def test_the_claims_of_a_sample_lie_at_even_distances() -> None:
    """From the beginning to the end."""
    statements = read_statements(" ".join(f"Fact {number} is true." for number in range(10)), [])
    assert [one.words[1].stem for one in spread(statements, 5)] == ["1", "3", "5", "7", "9"]
    assert spread(statements, 10) == spread(statements, None) == statements


@pytest.mark.parametrize("name", MODELS)
def test_every_shipped_model_says_where_it_is_from(name: str) -> None:
    """Sets with licences, date, command; and weights for every feature."""
    data = json.loads(files("ragvigil.scorer.data").joinpath(f"{name}.json").read_text("utf-8"))
    assert {"sets", "date", "command"} <= data["provenance"].keys()
    assert not any("NC" in one["from"] for one in data["provenance"]["sets"])
    assert set(data["claim"]) == {"intercept", *CLAIM_FEATURES}
    assert set(data["lone"]) == {"intercept", *CLAIM_FEATURES}
    assert set(data["answer"]) == {"intercept", *ANSWER_FEATURES}
    assert set(data["token"]) == {"intercept", *TOKEN_FEATURES}


def test_length_and_style_are_no_features() -> None:
    """They tell who wrote an answer, not whether it is supported."""
    assert not any(
        word in feature
        for feature in (*FIGURES, *ANSWER_FEATURES[:5])
        for word in ("length", "position", "style", "words")
    )


def test_an_unknown_model_is_a_config_error_that_names_the_known() -> None:
    """It names the setting."""
    with pytest.raises(ConfigError, match=r"judge.model: unknown model 'gpt' \(known: lexical-1\)"):
        load("gpt")


def test_recent_assessments_are_made_once_and_forgotten_in_order() -> None:
    """Bounded by the number of claims."""
    recent, made = Recent[str, Assessment](2, lambda one: 1 + len(one.claims)), list[str]()

    def make(name: str) -> Assessment:
        made.append(name)
        return Assessment((), None, None, truncated=False, refuses=False)

    for name in "aabcab":
        recent.recall(name, partial(make, name))
    assert made == ["a", "b", "c", "a", "b"]
    assert len(recent) == 2


@pytest.mark.parametrize(
    ("sentence", "claim", "contradiction"),
    [
        ("The dose is 500 mg a day.", "The dose is 500 g a day.", "number"),
        ("The warranty lasts 24 months.", "The warranty lasts 24 years.", "number"),
        ("A garantia dura 24 meses.", "A garantia dura 24 anos.", "number"),
        ("The plan costs $1.2 million per year.", "The plan costs $1.2 billion per year.", "number"),
        ("The plan costs $1.2 million per year.", "The plan costs $1.2 million per month.", "number"),
        ("The meeting is on 3 May 2024.", "The meeting is on 3 June 2024.", "number"),
        ("The temperature is -5 \u00b0C.", "The temperature is 5 \u00b0C.", "number"),
        ("At least 5 people must attend.", "At most 5 people must attend.", "negation"),
        ("Refunds are allowed within 30 days.", "Refunds are allowed after 30 days.", "negation"),
        ("Revenue rose 12% in 2023.", "Revenue fell 12% in 2023.", "negation"),
        ("Der Umsatz ist 2023 gestiegen.", "Der Umsatz ist 2023 gesunken.", "negation"),
        ("Model A is faster than model B.", "Model A is slower than model B.", "negation"),
        ("Revenue rose 12% in 2023.", "Revenue increased 12% in 2023.", None),
        ("Revenue rose 12% in 2023.", "Revenue did not fall in 2023.", None),
        ("The temperature is -5 \u00b0C.", "The temperature is minus 5 \u00b0C.", None),
        ("The dose is 500 mg a day.", "The dose is 500 milligrams a day.", None),
        ("The shop opens at 9 and closes at 5.", "The shop opens at 9.", None),
        ("The meeting is on 3 May 2024.", "The meeting is on May 3 2024.", None),
        ("Pages 5-7 tell of the dose.", "Pages 5 to 7 tell of the dose.", None),
        ("Sales of pumps fell.", "Prices of lamps rose.", None),
        ("Model A is faster than model B.", "Model B is slower than model A.", None),
        ("The big red car is faster than the bus.", "The big blue car is slower than the bus.", None),
        ("The trail is 5 km long.", "The trail is 5000 m long.", None),
        ("The trail is 5 km long.", "The trail is 6 km long.", "number"),
        ("The ratio is 3/4.", "The ratio is 75%.", None),
    ],
)
def test_another_unit_scale_sign_month_or_the_opposite_word_contradicts(
    sentence: str, claim: str, contradiction: str | None
) -> None:
    """In a sentence that is much like the claim; the same said in other words does not."""
    assert laid_on(Evidence([Document("a", sentence)]), claim)[0].contradiction == contradiction
