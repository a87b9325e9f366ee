"""Values as JSON that any store takes."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from ragvigil.scorer.store._json import to_json
from ragvigil.scorer.verdict import Claim, Source


@pytest.mark.parametrize("text", ["It opens at nine.", "half a pair: \ud800"])
@pytest.mark.parametrize("probability", [0.25, float("nan")])
def test_a_claim_is_an_object_of_its_fields_whatever_it_holds(text: str, probability: float) -> None:
    claim = Claim(text, 0, 9, ("a", "#2"), "supported", probability, Source("a", 0, 4), None, ((3, 5),))
    fields = asdict(claim) | {"text": text.replace("\ud800", "?"), "probability": None}
    known = fields | {"probability": 0.25} if probability == 0.25 else fields

    assert json.loads(to_json((claim,))) == [json.loads(json.dumps(known))]
