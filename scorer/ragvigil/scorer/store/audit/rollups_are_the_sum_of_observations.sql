WITH summed AS (
    SELECT series, service, environment, instrument_id, bucket, count(*) AS n, sum(weight) AS w,
           sum(weight * value) AS wx
    FROM observations
    GROUP BY 1, 2, 3, 4, 5
)
SELECT r.series || ' of ' || r.service || ' at ' || r.bucket || ': ' || r.n || ' against ' || (coalesce(s.n, 0) + r.settled_n)
FROM rollups r LEFT JOIN summed s USING (series, service, environment, instrument_id, bucket)
WHERE r.n <> coalesce(s.n, 0) + r.settled_n
   OR abs(r.w - r.settled_w - coalesce(s.w, 0)) > 1e-6 * max(1, abs(r.w))
   OR abs(r.wx - r.settled_wx - coalesce(s.wx, 0)) > 1e-6 * max(1, abs(r.w))
UNION ALL
SELECT s.series || ' of ' || s.service || ' at ' || s.bucket || ': none against ' || s.n
FROM summed s LEFT JOIN rollups r USING (series, service, environment, instrument_id, bucket)
WHERE r.n IS NULL
