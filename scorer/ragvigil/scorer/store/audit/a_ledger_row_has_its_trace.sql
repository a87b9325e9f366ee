SELECT DISTINCT l.trace_id
FROM ledger l
WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_id = l.trace_id)
