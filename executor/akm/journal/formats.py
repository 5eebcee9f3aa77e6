"""The journal's formats: what the tables are, as the steps that made them.

A new store takes every step; an older one those that it has not taken. So there is one way to a table, and a
migration is no second one. A step that was released is never changed.
"""

#: "akm " as a number: marks the file as ours.
APPLICATION_ID = 0x616B6D20

_FIRST = """
CREATE TABLE plans (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    run TEXT PRIMARY KEY, plan_hash TEXT NOT NULL REFERENCES plans (hash), workspace TEXT NOT NULL,
    status TEXT NOT NULL, sequence INTEGER NOT NULL, head TEXT NOT NULL, summary TEXT NOT NULL,
    created_utc TEXT NOT NULL, updated_utc TEXT NOT NULL,
    boot_id TEXT NOT NULL, boottime_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL, seal TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
    run TEXT NOT NULL REFERENCES runs (run), sequence INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE TABLE inbox (
    run TEXT NOT NULL REFERENCES runs (run), number INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, utc TEXT NOT NULL, hash TEXT NOT NULL, taken INTEGER,
    PRIMARY KEY (run, number), UNIQUE (run, key)
) WITHOUT ROWID;
CREATE TABLE leases (
    run TEXT PRIMARY KEY REFERENCES runs (run), token INTEGER NOT NULL, holder TEXT NOT NULL, host TEXT NOT NULL,
    boot_id TEXT NOT NULL, pid_namespace TEXT NOT NULL, pid INTEGER NOT NULL, start_time INTEGER NOT NULL,
    taken_utc TEXT NOT NULL, expires_boottime_ms INTEGER NOT NULL, expires_utc TEXT NOT NULL, released_utc TEXT
) WITHOUT ROWID;
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""

# `home` has one row: which runtime this store is, for ever, and the project that it synchronizes with, if any.
# `blob_uses` says which runs need a blob; of an older store the events that name it do.
# `outbox` has a row for each event that may leave; a `release` above 0 is an operator's new row for a rejected one.
_SECOND = """
CREATE TABLE home (
    one INTEGER PRIMARY KEY CHECK (one = 1), runtime TEXT NOT NULL, project TEXT
);
INSERT INTO home VALUES (1, lower(hex(randomblob(16))), NULL);
CREATE TABLE blob_uses (
    run TEXT NOT NULL REFERENCES runs (run), hash TEXT NOT NULL REFERENCES blobs (hash), PRIMARY KEY (run, hash)
) WITHOUT ROWID;
CREATE INDEX blob_users ON blob_uses (hash);
INSERT OR IGNORE INTO blob_uses
    SELECT events.run, blobs.hash
    FROM events, json_each(
        CASE WHEN json_valid(body) THEN body ELSE '{}' END, '$.data.result.evidence.files'
    ) AS file JOIN blobs ON blobs.hash = json_extract(file.value, '$.sha256')
    WHERE events.run IN (SELECT run FROM runs);
CREATE INDEX runs_newest ON runs (created_utc DESC, run);
CREATE INDEX runs_by_status ON runs (status, created_utc DESC, run);
CREATE INDEX runs_by_plan ON runs (plan_hash);
CREATE TABLE outbox (
    run TEXT NOT NULL REFERENCES runs (run), sequence INTEGER NOT NULL, release INTEGER NOT NULL,
    state TEXT NOT NULL, payload TEXT NOT NULL, hash TEXT NOT NULL, tries INTEGER NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (run, sequence, release)
) WITHOUT ROWID;
CREATE TABLE requests (
    key TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL, run TEXT UNIQUE, runtime TEXT,
    note TEXT NOT NULL, queued_utc TEXT NOT NULL, updated_utc TEXT NOT NULL
) WITHOUT ROWID;
"""

# `batches` has a row for each append, up to the event `last`; `events` stays as it was written.
# `snapshots` spares a driver the way from a run's first event: what is there may be thrown away at any time.
_THIRD = """
CREATE TABLE batches (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL REFERENCES runs (run), first INTEGER NOT NULL,
    last INTEGER NOT NULL, body BLOB NOT NULL, hash TEXT NOT NULL, UNIQUE (run, last)
);
CREATE TABLE snapshots (
    run TEXT PRIMARY KEY REFERENCES runs (run), sequence INTEGER NOT NULL, body BLOB NOT NULL, seal TEXT NOT NULL
);
"""

#: Step N, from 1, leads from format N - 1 to format N.
STEPS = (_FIRST, _SECOND, _THIRD)
FORMAT = len(STEPS)
