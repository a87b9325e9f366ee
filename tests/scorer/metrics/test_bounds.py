"""Label values keep their names while they are there, and give them up when they have gone."""

from __future__ import annotations

import logging

import pytest

from ragvigil.scorer.metrics.bounds import Admission


def test_a_value_that_has_gone_gives_its_place_to_one_that_is_there(caplog: pytest.LogCaptureFixture) -> None:
    """Versions come and go: the live ones must not end in `other` until a restart."""
    caplog.set_level(logging.WARNING)
    versions = Admission("segment version", 2)
    assert [versions.admits(one) for one in ("1", "2", "3")] == [True, True, False]
    for _ in range(60):
        versions.next_look()
        assert versions.admits("2")
        assert not versions.admits("3")
    assert versions.folded == 1
    versions.next_look()
    assert [versions.admits(one) for one in ("2", "3", "4", "1")] == [True, True, False, False]
    assert versions.folded == 2
    assert len(caplog.records) == 1


def test_a_value_that_comes_back_in_time_keeps_its_place() -> None:
    """Also in the very snapshot in which it would have lost it; and what is gone is folded no more."""
    tenants = Admission("segment tenant", 1)
    assert [tenants.admits(one) for one in ("quiet", "loud")] == [True, False]
    for _ in range(200):
        tenants.next_look()
    assert tenants.folded == 0
    assert [tenants.admits(one) for one in ("quiet", "loud")] == [True, False]
