SELECT DISTINCT o.series || ' of record ' || o.record_id
FROM observations o LEFT JOIN records r ON r.id = o.record_id
WHERE r.id IS NULL
