-- The newest judged answers: what the live view shows of the records.
SELECT r.trace_id, r.query, r.answer, v.state AS verdict, v.passed,
       (SELECT s.value FROM scores s JOIN instruments i ON i.id = s.instrument_id
        WHERE s.record_id = r.id AND s.current AND i.name = 'citation_correctness') AS citation
FROM records r
JOIN verdicts v ON v.record_id = r.id AND v.current
ORDER BY r.started_at DESC
LIMIT ?;
