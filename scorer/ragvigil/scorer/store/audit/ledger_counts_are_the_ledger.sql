SELECT state || ' ' || reason || ': ' || standing || ' counted, ' || n || ' standing'
FROM (SELECT state, reason, sum(standing) AS standing, sum(n) AS n
      FROM (SELECT state, reason, standing, 0 AS n FROM ledger_counts
            UNION ALL
            SELECT state, coalesce(reason, ''), 0, count(*) FROM ledger GROUP BY 1, 2)
      GROUP BY 1, 2)
WHERE standing <> n
