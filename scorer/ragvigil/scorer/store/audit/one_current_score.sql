SELECT r.trace_id || '/' || r.span_id || ' ' || i.name
FROM scores s JOIN records r ON r.id = s.record_id JOIN instruments i ON i.id = s.instrument_id
WHERE s.current
GROUP BY s.record_id, i.name
HAVING count(*) > 1
