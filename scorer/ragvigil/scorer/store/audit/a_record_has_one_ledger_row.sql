SELECT r.trace_id || '/' || r.span_id
FROM records r LEFT JOIN ledger l USING (trace_id, span_id)
WHERE l.state IS NULL
