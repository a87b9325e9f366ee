SELECT counted || ' counted, ' || standing || ' standing, ' || deleted || ' deleted'
FROM (SELECT (SELECT coalesce(max(value), 0) FROM counters WHERE name = 'ingested') AS counted,
             (SELECT coalesce(sum(value), 0) FROM counters
              WHERE name IN ('records_expired', 'records_expired_early', 'records_forgotten')) AS deleted,
             (SELECT count(*) FROM ledger) AS standing)
WHERE counted <> standing + deleted
