SELECT bare || ' bare, ' || expired || ' whose content was taken out'
FROM (SELECT (SELECT count(DISTINCT l.trace_id) FROM ledger l
              WHERE NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_id = l.trace_id)) AS bare,
             (SELECT coalesce(sum(value), 0) FROM counters
              WHERE name IN ('content_expired', 'content_expired_early')) AS expired)
WHERE bare > expired
