SELECT DISTINCT l.trace_id
FROM ledger l JOIN records r ON r.trace_id = l.trace_id
WHERE l.span_id = ''
