-- A scratch file: nothing in it needs to survive.
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE events (
  at INTEGER NOT NULL,       -- Unix time, nanoseconds
  trace_id BLOB NOT NULL,
  span_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  payload BLOB NOT NULL
);
