SELECT trace_id || '/' || span_id || ' ' || inclusion
FROM ledger
WHERE state IN ('pending', 'judged', 'shed', 'expired') AND NOT (inclusion > 0 AND inclusion <= 1)
