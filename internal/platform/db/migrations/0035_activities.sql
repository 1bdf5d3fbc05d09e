-- +goose Up

-- Calls, notes, visits and tasks on leads, contacts, deals and hulls.
CREATE TABLE activities (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    object_type TEXT NOT NULL,
    object_id   {id} NOT NULL,
    kind        TEXT NOT NULL,
    body        TEXT,
    outcome     TEXT,
    user_id     {id},
    author      TEXT NOT NULL,
    occurred_at TIMESTAMPTZ NOT NULL,
    due_at      TIMESTAMPTZ,
    done_at     TIMESTAMPTZ,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE INDEX activities_object ON activities (env, object_id, id);
CREATE INDEX activities_user ON activities (env, user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX activities_open ON activities (env, due_at) WHERE kind = 'task' AND done_at IS NULL;
