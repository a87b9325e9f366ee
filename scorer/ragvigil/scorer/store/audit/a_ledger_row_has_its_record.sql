SELECT l.trace_id || '/' || l.span_id
FROM ledger l LEFT JOIN records r USING (trace_id, span_id)
WHERE l.span_id <> '' AND r.id IS NULL
