-- Of each service and environment what arrived in a stretch of time: records by what became of them, traces, spans.
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
answered AS (
    SELECT t.service, t.environment, count(*) AS records, sum(l.state IN ('shed', 'failed', 'expired')) AS unscored,
           sum(r.completeness <> 'complete') AS incomplete
    FROM traces t JOIN records r USING (trace_id) JOIN ledger l USING (trace_id, span_id)
    WHERE t.updated_at >= :since AND t.updated_at < :until AND t.service <> '' AND l.state <> 'filtered'
    GROUP BY 1, 2
)
SELECT t.service, t.environment, t.traces, t.spans, t.lost, t.unasked, coalesce(a.records, 0) + t.failed AS records,
       coalesce(a.unscored, 0) + t.failed AS unscored, coalesce(a.incomplete, 0) + t.failed AS incomplete
FROM taken t LEFT JOIN answered a USING (service, environment)
ORDER BY 1, 2
