SELECT r.trace_id || '/' || r.span_id
FROM verdicts v JOIN records r ON r.id = v.record_id
WHERE v.current
GROUP BY v.record_id
HAVING count(*) > 1
