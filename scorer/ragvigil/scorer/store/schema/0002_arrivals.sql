-- Some stores of version 1 have it: it was written there before there was a second one.
-- What came of each service in each minute (minutes since 1970): by it a service that stops is told from one that nobody
-- asks at this hour. `answers` are those that no rule filters; kept for some days.
CREATE TABLE IF NOT EXISTS arrivals (
    service TEXT NOT NULL,
    environment TEXT NOT NULL,
    minute INTEGER NOT NULL,
    traces INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (service, environment, minute)
) WITHOUT ROWID;
