-- +goose Up

-- The environments with work that waits, by the kind of work, so that servers don't look for it in all environments.
CREATE TABLE waiting_work (
    env    BIGINT NOT NULL,
    kind   TEXT NOT NULL,
    due_at TIMESTAMPTZ NOT NULL, -- when the work can start. For events: when the environment was last marked
    PRIMARY KEY (env, kind)
) {clustered};

CREATE INDEX waiting_work_due ON waiting_work (kind, due_at);

INSERT INTO waiting_work (env, kind, due_at)
    SELECT env, 'photos', MIN(created_at) FROM hull_photos WHERE state = 'processing' GROUP BY env;
INSERT INTO waiting_work (env, kind, due_at)
    SELECT env, 'summaries', MIN(next_at) FROM daily_summaries GROUP BY env;

-- An event in the outbox has the mark of its environment: events. Servers of the last release leave it empty.
ALTER TABLE outbox ADD COLUMN mark TEXT;
CREATE INDEX outbox_unmarked ON outbox (env) WHERE mark IS NULL;

-- A mark stays as long as there are events. SQLite has no events in the outbox.
{postgres}ALTER TABLE outbox ADD CONSTRAINT outbox_mark FOREIGN KEY (env, mark) REFERENCES waiting_work (env, kind);
