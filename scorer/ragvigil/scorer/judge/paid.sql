-- Moments are seconds since the epoch. A key is the SHA-256 of all that a reply depends on.
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY,
    asked TEXT NOT NULL,
    answered_as TEXT NOT NULL,
    text BLOB NOT NULL,
    at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_at ON replies (at);

-- Whose content a reply is about: the first 16 bytes of the SHA-256 of the trace id.
CREATE TABLE IF NOT EXISTS replies_of (
    trace BLOB NOT NULL,
    key BLOB NOT NULL,
    PRIMARY KEY (trace, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_of_key ON replies_of (key);

-- Under which name each model answered last: replies of an earlier snapshot are not its own any more.
CREATE TABLE IF NOT EXISTS models (
    asked TEXT PRIMARY KEY,
    answered_as TEXT NOT NULL
) WITHOUT ROWID;

-- Who asks what at the moment.
CREATE TABLE IF NOT EXISTS asking (
    key BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    until REAL NOT NULL
) WITHOUT ROWID;

-- What each process spent, forgotten by e over a minute and over a day.
CREATE TABLE IF NOT EXISTS spent (
    owner TEXT PRIMARY KEY,
    at REAL NOT NULL,
    minute_calls REAL NOT NULL,
    minute_tokens REAL NOT NULL,
    minute_usd REAL NOT NULL,
    day_calls REAL NOT NULL,
    day_tokens REAL NOT NULL,
    day_usd REAL NOT NULL
) WITHOUT ROWID;
