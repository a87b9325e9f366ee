SELECT DISTINCT l.trace_id || '/' || l.span_id
FROM verdicts v JOIN records r ON r.id = v.record_id JOIN ledger l USING (trace_id, span_id)
WHERE v.current AND l.state <> 'judged'
