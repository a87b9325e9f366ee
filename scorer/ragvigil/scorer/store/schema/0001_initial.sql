-- Moments are Unix nanoseconds, UTC. `current` marks the one score per check that series read.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- Counts that the ledger is held against; they change in the transaction that changes the ledger.
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;

-- Raw spans and log records, redacted: zstd over concatenated TracesData (LogsData) messages.
-- `updated_at` is when the trace was first stored: by it retention goes, and late words do not renew it.
-- `rules` are the filters that held by what was cut out, with spaces between.
CREATE TABLE traces (
    trace_id TEXT PRIMARY KEY,
    spans BLOB NOT NULL,
    logs BLOB,
    timed_out INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    span_count INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    rules TEXT NOT NULL DEFAULT '',
    dropped INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX traces_updated_at ON traces (updated_at);

-- `evidence` is JSON of documents and retrievals, compressed, whose passages point into the trace's spans
-- (store/_packing.py): they are stored once.
CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL,
    span_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    input_hash BLOB NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    service_version TEXT,
    started_at INTEGER NOT NULL,
    query TEXT,
    answer TEXT,
    evidence BLOB,
    model TEXT,
    response_model TEXT,
    finish_reason TEXT,
    prompt_version TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    retrieval_seconds REAL,
    generation_seconds REAL,
    total_seconds REAL,
    conversation_id TEXT,
    user_id TEXT,
    segment TEXT NOT NULL,
    feedback TEXT NOT NULL,
    evaluations TEXT NOT NULL,
    error TEXT,
    error_where TEXT,
    error_message TEXT,
    streaming INTEGER,
    cited TEXT,
    completeness TEXT NOT NULL,
    dialect TEXT,
    upstream_probability REAL CHECK (upstream_probability > 0 AND upstream_probability <= 1),
    upstream_sampler TEXT,
    UNIQUE (trace_id, span_id)
);
CREATE INDEX records_started_at ON records (started_at);
CREATE INDEX records_with_feedback ON records (started_at) WHERE feedback <> '[]';

-- One row per question answered; span_id is '' for a trace in which nobody asked anything.
CREATE TABLE ledger (
    trace_id TEXT NOT NULL,
    span_id TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('pending', 'judged', 'checked_only', 'filtered', 'shed', 'failed', 'expired')),
    reason TEXT,
    inclusion REAL NOT NULL,
    stratum TEXT,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (trace_id, span_id)
) WITHOUT ROWID;
CREATE INDEX ledger_unasked ON ledger (updated_at) WHERE span_id = '';
CREATE INDEX ledger_pending ON ledger (updated_at) WHERE state = 'pending';

-- How many records ever entered each state, and how many stand in it: so that nobody has to count the ledger.
CREATE TABLE ledger_counts (
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    entered INTEGER NOT NULL,
    standing INTEGER NOT NULL,
    PRIMARY KEY (state, reason)
) WITHOUT ROWID;
CREATE TRIGGER ledger_entered AFTER INSERT ON ledger BEGIN
    INSERT INTO ledger_counts VALUES (new.state, coalesce(new.reason, ''), 1, 1)
    ON CONFLICT DO UPDATE SET entered = entered + 1, standing = standing + 1;
END;
CREATE TRIGGER ledger_moved AFTER UPDATE OF state, reason ON ledger
WHEN new.state <> old.state OR new.reason IS NOT old.reason BEGIN
    INSERT INTO ledger_counts VALUES (new.state, coalesce(new.reason, ''), 1, 1)
    ON CONFLICT DO UPDATE SET entered = entered + 1, standing = standing + 1;
    UPDATE ledger_counts SET standing = standing - 1 WHERE state = old.state AND reason = coalesce(old.reason, '');
END;
CREATE TRIGGER ledger_left AFTER DELETE ON ledger BEGIN
    UPDATE ledger_counts SET standing = standing - 1 WHERE state = old.state AND reason = coalesce(old.reason, '');
END;

-- Requests for erasure that were carried out: a keyed hash of whose, and when.
CREATE TABLE erasures (
    kind TEXT NOT NULL CHECK (kind IN ('user', 'conversation', 'trace')),
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, digest)
) WITHOUT ROWID;

-- Traces that never come back: the first 16 bytes of the SHA-256 of the trace id.
CREATE TABLE forgotten (
    digest BLOB PRIMARY KEY
) WITHOUT ROWID;

-- What was changed: told by people and deploy tools, or a version seen in the traffic for the first time.
-- Service and environment are '' for a change that concerns all.
CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('told', 'traffic'))
) WITHOUT ROWID;
CREATE INDEX changes_at ON changes (at);
CREATE INDEX changes_place ON changes (source, service, environment, kind, at);

-- What measured: a check, or a judge with its prompt.
CREATE TABLE instruments (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    check_version TEXT NOT NULL,
    judge_version TEXT NOT NULL,
    prompt_digest TEXT NOT NULL,
    UNIQUE (name, check_version, judge_version, prompt_digest)
);

CREATE TABLE scores (
    record_id INTEGER NOT NULL REFERENCES records (id),
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    input_hash BLOB NOT NULL,
    value REAL CHECK (value BETWEEN 0 AND 1),
    reason TEXT,
    details TEXT,
    current INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (record_id, instrument_id, input_hash)
) WITHOUT ROWID;

CREATE TABLE verdicts (
    record_id INTEGER NOT NULL REFERENCES records (id),
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    input_hash BLOB NOT NULL,
    state TEXT NOT NULL,
    support REAL CHECK (support BETWEEN 0 AND 1),
    faithfulness REAL CHECK (faithfulness BETWEEN 0 AND 1),
    passed INTEGER,
    claims TEXT NOT NULL,
    reason TEXT,
    details TEXT NOT NULL DEFAULT '{}',  -- what else the judge said and cost: scores, flags, usage
    current INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (record_id, instrument_id, input_hash)
) WITHOUT ROWID;

-- Scores ever given, by the upper edge of the bucket they fall into, with the latest answer of each bucket.
CREATE TABLE score_counts (
    score TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    edge REAL NOT NULL,
    n INTEGER NOT NULL,
    total REAL NOT NULL,
    trace_id TEXT,
    span_id TEXT,
    value REAL NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (score, service, environment, instrument_id, edge)
) WITHOUT ROWID;

-- Records whose scores are to be sent to other tools; a number is never used twice.
CREATE TABLE outgoing (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    record_id INTEGER NOT NULL,
    part TEXT NOT NULL CHECK (part IN ('checks', 'verdict'))
);

-- Up to which of those each tool has got, and how many went at the bound before it took them.
CREATE TABLE sinks (
    name TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    dropped INTEGER NOT NULL
) WITHOUT ROWID;

-- What the detectors read of each record, in event time: narrow, so that a batch never scans records. `batch` is the
-- end of the batch that it was taken into (NULL: it waits for one, 0: it came too late), `stream` its segment's code.
CREATE TABLE sightings (
    record_id INTEGER PRIMARY KEY REFERENCES records (id),
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    segment TEXT NOT NULL,
    conversation INTEGER NOT NULL,
    cheap REAL,
    citation_ok INTEGER,
    documents INTEGER,
    batch INTEGER,
    stream INTEGER
);
CREATE INDEX sightings_by_time ON sightings (service, environment, started_at);

-- One detector for each service and environment: what it remembers between two batches.
CREATE TABLE detectors (
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    state TEXT,
    core BLOB,
    PRIMARY KEY (service, environment)
) WITHOUT ROWID;

-- Verdicts of past traces that were judged again to tell the judge from the answers: no scores of record.
CREATE TABLE rejudged (
    record_id INTEGER NOT NULL REFERENCES records (id),
    at INTEGER NOT NULL,
    judge_version TEXT NOT NULL,
    passed_before INTEGER NOT NULL,
    passed_now INTEGER NOT NULL,
    PRIMARY KEY (record_id, at)
) WITHOUT ROWID;

-- Verdicts that are compared with, again and again, whatever the judge says of the same answers by then.
CREATE TABLE canaries (
    record_id INTEGER PRIMARY KEY REFERENCES records (id),
    input_hash BLOB NOT NULL,
    passed INTEGER NOT NULL,
    frozen_at INTEGER NOT NULL
);

-- Answers that people should read beside those that were drawn: judges do not agree on them. Not a sample of anything.
CREATE TABLE label_wishes (
    record_id INTEGER PRIMARY KEY REFERENCES records (id),
    reason TEXT NOT NULL,
    at INTEGER NOT NULL
);

-- Answers drawn for people to read, from one service's judged traffic: about faithfulness where `criterion` is '',
-- else about a criterion of the team's own. `frame` is that traffic as it stood then:
-- verdicts, probabilities and cheap scores, zstd over JSON, no content.
CREATE TABLE label_draws (
    id TEXT PRIMARY KEY,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    judge TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    frame BLOB NOT NULL,
    criterion TEXT NOT NULL DEFAULT ''
);

-- `place` is the record's place in the frame, `inclusion` the probability with which it was drawn in its stratum.
CREATE TABLE label_items (
    draw_id TEXT NOT NULL REFERENCES label_draws (id),
    record_id INTEGER NOT NULL REFERENCES records (id),
    place INTEGER NOT NULL,
    position INTEGER NOT NULL,
    inclusion REAL NOT NULL CHECK (inclusion > 0 AND inclusion <= 1),
    readers INTEGER NOT NULL,
    PRIMARY KEY (draw_id, record_id)
) WITHOUT ROWID;

-- What people say of answers; `input_hash` is of what they read, `final` is an adjudicator's.
CREATE TABLE labels (
    record_id INTEGER NOT NULL REFERENCES records (id),
    annotator TEXT NOT NULL,
    input_hash BLOB NOT NULL,
    label TEXT NOT NULL CHECK (label IN ('faithful', 'partial', 'unfaithful', 'pass', 'fail', 'skip')),
    note TEXT NOT NULL,
    final INTEGER NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('desk', 'file')),
    at INTEGER NOT NULL,
    criterion TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (record_id, criterion, annotator)
) WITHOUT ROWID;

-- What each record contributes to each series, so that a correction takes away exactly what was added.
CREATE TABLE observations (
    record_id INTEGER NOT NULL REFERENCES records (id),
    series TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    bucket INTEGER NOT NULL,
    value REAL NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (record_id, series)
) WITHOUT ROWID;
CREATE INDEX observations_by_time ON observations (series, service, environment, bucket, value);

-- `settled_` is the part of records that are deleted; the rest is the sum of `observations`.
-- One row per instrument: figures of two judges are never summed.
CREATE TABLE rollups (
    series TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    bucket INTEGER NOT NULL,
    n INTEGER NOT NULL,
    w REAL NOT NULL,
    wx REAL NOT NULL,
    w2 REAL NOT NULL,
    w2x REAL NOT NULL,
    w2x2 REAL NOT NULL,
    settled_n INTEGER NOT NULL DEFAULT 0,
    settled_w REAL NOT NULL DEFAULT 0,
    settled_wx REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (series, service, environment, instrument_id, bucket)
) WITHOUT ROWID;

-- The watched series, with the instrument that measures it now; another one begins its history anew.
CREATE TABLE series (
    series TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    instrument_id INTEGER NOT NULL REFERENCES instruments (id),
    first_bucket INTEGER NOT NULL,
    state TEXT NOT NULL,
    evaluated_at INTEGER,
    before TEXT,
    now TEXT,
    PRIMARY KEY (series, service, environment)
) WITHOUT ROWID;

CREATE TABLE incidents (
    id TEXT PRIMARY KEY,
    series TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    dedup_key TEXT NOT NULL,
    opened_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    before TEXT NOT NULL,
    worst TEXT NOT NULL,
    now TEXT NOT NULL,
    recovering_since INTEGER,
    resolved_at INTEGER,
    detector TEXT NOT NULL,
    segment TEXT,
    stream INTEGER,
    told INTEGER NOT NULL,
    note TEXT,
    first TEXT,
    first_until INTEGER,
    amended_at INTEGER,
    withdrawn INTEGER NOT NULL,
    reopened INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX one_open_incident ON incidents (series, service, environment) WHERE resolved_at IS NULL;

-- Why it fell, as it was last worked out: figures, names of segments and ids of records, no content.
CREATE TABLE diagnoses (
    incident_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    diagnosis TEXT NOT NULL
) WITHOUT ROWID;

-- Answers with personal data or a secret that nobody has been told of yet; which kinds, never what.
CREATE TABLE leaks (
    record_id INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL,
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    kinds TEXT NOT NULL
);

-- Who has an incident in hand.
CREATE TABLE acknowledgements (
    incident_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    note TEXT NOT NULL
) WITHOUT ROWID;

-- When somebody who had it in hand last let go of it: from then on it waits for an answer anew.
CREATE TABLE handed_back (
    incident_id TEXT PRIMARY KEY,
    at INTEGER NOT NULL
) WITHOUT ROWID;

-- Messages about matching incidents wait from starts_at until ends_at; NULL matches all.
CREATE TABLE silences (
    id TEXT PRIMARY KEY,
    series TEXT,
    service TEXT,
    environment TEXT,
    segment TEXT,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    comment TEXT NOT NULL,
    by TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- refused_at: it will never be delivered, and `reason` says why; `silenced` when its incident was over before the silence.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    incident_id TEXT NOT NULL REFERENCES incidents (id),
    channel TEXT NOT NULL,
    action TEXT NOT NULL,
    alert TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    next_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    delivered_at INTEGER,
    refused_at INTEGER,
    reason TEXT
);
CREATE INDEX outbox_told ON outbox (incident_id, channel);
CREATE INDEX outbox_waiting ON outbox (next_at) WHERE delivered_at IS NULL AND refused_at IS NULL;

-- What a channel calls its message about an incident: handed back with the next alert, so that it can edit or close it.
CREATE TABLE channel_messages (
    incident_id TEXT NOT NULL REFERENCES incidents (id),
    channel TEXT NOT NULL,
    reference TEXT NOT NULL,
    PRIMARY KEY (incident_id, channel)
) WITHOUT ROWID;

CREATE VIEW answers AS
SELECT datetime(r.started_at / 1000000000, 'unixepoch') AS asked_at, r.service, r.trace_id, r.query, r.answer,
       l.state AS ledger_state, v.state AS verdict, v.faithfulness, v.support,
       (SELECT s.value FROM scores s JOIN instruments i ON i.id = s.instrument_id
        WHERE s.record_id = r.id AND s.current AND i.name = 'citation_correctness') AS citation_correctness,
       nullif(r.feedback, '[]') AS feedback
FROM records r
JOIN ledger l USING (trace_id, span_id)
LEFT JOIN verdicts v ON v.record_id = r.id AND v.current;
