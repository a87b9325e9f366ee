SELECT bare || ' bare, ' || expired || ' whose content was taken out'
FROM (SELECT (SELECT count(DISTINCT l.trace_id) FROM ledger l
              WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_id = l.trace_id)) AS bare,
             (SELECT coalesce(sum(CASE name WHEN 'bare_deleted' THEN -value ELSE value END), 0) FROM counters
              WHERE name IN ('content_expired', 'content_expired_early', 'bare_deleted')) AS expired)
WHERE bare > expired
