SELECT counted || ' counted, ' || standing || ' standing'
FROM (SELECT (SELECT coalesce(max(value), 0) FROM counters WHERE name = 'ingested') AS counted,
             (SELECT count(*) FROM ledger) AS standing)
WHERE counted <> standing
