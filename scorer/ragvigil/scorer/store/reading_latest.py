"""The latest answers of each service, so that a busy one hides no other."""

from __future__ import annotations

LATEST_OF_EACH = (
    "SELECT * FROM (SELECT id, service, environment FROM records ORDER BY started_at DESC LIMIT :latest) UNION "
    "SELECT r.id, r.service, r.environment FROM (SELECT DISTINCT service, environment FROM detectors) d "
    "CROSS JOIN records r ON r.id IN (SELECT s.record_id FROM sightings s INDEXED BY sightings_by_time "
    "WHERE s.service = d.service AND s.environment = d.environment ORDER BY s.started_at DESC LIMIT :latest)"
)
"""Columns `id`, `service`, `environment` of the `latest` records of all, and of as many of each that has a detector.

Records are in order of time only over all services; what detectors see of them is in order of time by service.
"""
STYLES_OF_EACH = (
    "SELECT r.service, j.key AS style, sum(j.value) AS markers "
    f"FROM ({LATEST_OF_EACH}) AS r CROSS JOIN instruments AS i ON i.name = 'citation_format' "
    "CROSS JOIN scores AS s ON s.record_id = r.id AND s.instrument_id = i.id AND s.current, "
    "json_each(s.details, '$.styles') AS j GROUP BY r.service, j.key ORDER BY r.service, markers DESC, style"
)
"""How many citation markers of each style they have: columns `service`, `style`, `markers`, most frequent first."""
