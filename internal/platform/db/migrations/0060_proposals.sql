-- +goose Up

-- Operations that wait until a person approves them. The arguments, the reason and the
-- preview are sealed. About has the IDs that they mention.
CREATE TABLE proposals (
    env            BIGINT NOT NULL,
    id             {id} NOT NULL,
    operation_id   TEXT NOT NULL,
    status         TEXT NOT NULL,
    object_id      {id},
    proposed_by    TEXT NOT NULL,
    for_user_id    {id},
    expires_at     TIMESTAMPTZ NOT NULL,
    decided_by     {id},
    decided_at     TIMESTAMPTZ,
    decline_reason TEXT,
    result         TEXT,
    claimed_by     {id},
    claimed_at     TIMESTAMPTZ,
    about          TEXT NOT NULL,
    sealed         BYTEA NOT NULL,
    version        BIGINT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
);

CREATE INDEX proposals_open ON proposals (env, id) WHERE status = 'pending';
CREATE INDEX proposals_expires ON proposals (expires_at);
