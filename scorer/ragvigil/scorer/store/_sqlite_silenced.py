"""Which messages a silence holds back."""

from __future__ import annotations

_MATCHES = (
    "coalesce(silences.series, incidents.series) = incidents.series "
    "AND coalesce(silences.service, incidents.service) = incidents.service "
    "AND coalesce(silences.environment, incidents.environment) = incidents.environment "
    "AND (silences.segment IS NULL OR silences.segment = incidents.segment)"
)
SILENCED = (
    "EXISTS (SELECT 1 FROM silences JOIN incidents ON incidents.id = outbox.incident_id "
    f"WHERE silences.starts_at <= :now AND silences.ends_at > :now AND {_MATCHES})"
)
"""Whether a row of `outbox` must wait at :now."""
HELD_UNTIL = (
    f"SELECT max(silences.ends_at) FROM silences JOIN incidents ON {_MATCHES} WHERE incidents.id = :incident "
    "AND silences.starts_at < silences.ends_at AND silences.ends_at > :began AND silences.ends_at <= :now"
)
"""When the last silence ended that held messages about :incident back since :began; NULL: none did."""
LET_GO = (
    "EXISTS (SELECT 1 FROM silences WHERE silences.starts_at < silences.ends_at "
    f"AND silences.ends_at > outbox.created_at AND silences.ends_at <= :now AND {_MATCHES})"
)
"""Whether a silence that is over at :now held a row of `outbox` back, which is joined with `incidents`."""
