-- The sums of one series, as it is measured now, over the buckets that start in [from, to].
SELECT sum(n) AS n, sum(w) AS w, sum(wx) AS wx, sum(w2) AS w2, sum(w2x) AS w2x, sum(w2x2) AS w2x2
FROM series JOIN rollups USING (series, service, environment, instrument_id)
WHERE series = ? AND service = ? AND environment = ? AND bucket BETWEEN ? AND ?;
