-- Of each service and environment what arrived in a stretch of time: records by what became of them, traces, spans.
-- Of a trace whose content went before its time, at the ceiling of the disk, only the records are left to be counted.
-- An error counts where question and answer would have been kept, and nobody stopped asking; a refusal that says nothing else.
WITH taken AS (
    SELECT t.service, t.environment, count(*) AS traces, sum(t.span_count) AS spans, sum(t.lost) AS lost,
           sum(EXISTS (SELECT 1 FROM ledger l WHERE l.trace_id = t.trace_id AND l.span_id = ''
                       AND l.reason = 'no_question')) AS unasked,
           sum(EXISTS (SELECT 1 FROM ledger l WHERE l.trace_id = t.trace_id AND l.span_id = ''
                       AND l.state = 'failed')) AS failed
    FROM traces t
    WHERE t.updated_at >= :since AND t.updated_at < :until AND t.service <> ''
    GROUP BY 1, 2
),
asked AS (
    SELECT t.service, t.environment, l.state, l.reason, r.completeness, r.id, r.query, r.answer, r.error
    FROM traces t JOIN records r USING (trace_id) JOIN ledger l USING (trace_id, span_id)
    WHERE t.updated_at >= :since AND t.updated_at < :until AND t.service <> ''
    UNION ALL
    SELECT r.service, r.environment, l.state, l.reason, r.completeness, r.id, r.query, r.answer, r.error
    FROM records r JOIN ledger l USING (trace_id, span_id)
    WHERE :since < (SELECT coalesce(min(updated_at), :until) FROM traces)
      AND r.started_at >= :since AND r.started_at < :until AND r.service <> ''
      AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_id = r.trace_id)
),
answered AS (
    SELECT service, environment, count(*) AS records, sum(state IN ('shed', 'failed', 'expired')) AS unscored,
           sum(completeness NOT IN ('complete', 'withheld')) AS incomplete, sum(state = 'shed') AS shed,
           sum(state = 'expired') AS expired,
           sum(state = 'judged' AND reason IN (SELECT value FROM json_each(:not_scoreable))
               AND completeness <> 'withheld') AS not_scoreable,
           sum(completeness = 'withheld') AS withheld, sum(answer IS NULL AND query IS NOT NULL AND error IS NOT NULL AND completeness = 'complete'
               AND error NOT LIKE '%CancelledError' AND error NOT LIKE '%GeneratorExit') AS errors,
           sum(EXISTS (SELECT 1 FROM scores s WHERE s.record_id = asked.id AND s.current AND s.value = 1
                       AND json_extract(s.details, '$.pure') AND s.instrument_id IN (SELECT i.id FROM instruments i WHERE i.name = 'abstention'))) AS refused
    FROM asked WHERE state <> 'filtered'
    GROUP BY 1, 2
),
places AS (
    SELECT service, environment FROM taken UNION SELECT service, environment FROM answered
)
SELECT service, environment, coalesce(t.traces, 0), coalesce(t.spans, 0), coalesce(t.lost, 0), coalesce(t.unasked, 0),
       coalesce(a.records, 0) + coalesce(t.failed, 0) AS records, coalesce(a.unscored, 0) + coalesce(t.failed, 0) AS unscored,
       coalesce(a.incomplete, 0) + coalesce(t.failed, 0) AS incomplete,
       coalesce(a.shed, 0), coalesce(a.expired, 0), coalesce(a.not_scoreable, 0),
       coalesce(a.withheld, 0), coalesce(a.errors, 0), coalesce(a.refused, 0)
FROM places LEFT JOIN taken t USING (service, environment) LEFT JOIN answered a USING (service, environment)
ORDER BY 1, 2
