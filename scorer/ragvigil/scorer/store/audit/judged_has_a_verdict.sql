SELECT l.trace_id || '/' || l.span_id
FROM ledger l JOIN records r USING (trace_id, span_id)
WHERE l.state = 'judged'
  AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.record_id = r.id AND v.current AND v.input_hash = r.input_hash)
