SELECT t.trace_id
FROM traces t
WHERE NOT EXISTS (SELECT 1 FROM ledger l WHERE l.trace_id = t.trace_id)
