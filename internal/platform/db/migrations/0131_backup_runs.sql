-- +goose Up

-- The results of backups, and of checks that they can be restored.
CREATE TABLE backup_runs (
    id          {id} NOT NULL PRIMARY KEY,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL,
    problem     TEXT,
    detail      TEXT NOT NULL,
    name        TEXT NOT NULL, -- of the archive
    node        TEXT NOT NULL, -- in job_nodes
    bytes       BIGINT NOT NULL,
    files       BIGINT NOT NULL,
    missing     BIGINT NOT NULL,
    started_at  TIMESTAMPTZ NOT NULL,
    finished_at TIMESTAMPTZ
);

CREATE INDEX backup_runs_by_kind ON backup_runs (kind, state, id);

-- One row, which a server locks to start a run.
CREATE TABLE backup_turns (id BIGINT NOT NULL PRIMARY KEY);

INSERT INTO backup_turns (id) VALUES (1);
