-- The sums of one series over the buckets that start in [from, to].
SELECT sum(n) AS n, sum(w) AS w, sum(wx) AS wx, sum(w2) AS w2, sum(w2x) AS w2x, sum(w2x2) AS w2x2
FROM rollups
WHERE series = ? AND service = ? AND environment = ? AND bucket BETWEEN ? AND ?;
