-- +goose Up

-- Filters, sort and columns of a list, under a name. A view without shared is only for its owner.
CREATE TABLE saved_views (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    owner_id   {id} NOT NULL,
    screen     TEXT NOT NULL,
    name       TEXT NOT NULL,
    query      TEXT NOT NULL,
    columns    TEXT NOT NULL,
    shared     BOOLEAN NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- Short texts that people insert while they write to a lead.
CREATE TABLE message_snippets (
    env        BIGINT NOT NULL,
    id         {id} NOT NULL,
    name       TEXT NOT NULL,
    body       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE UNIQUE INDEX message_snippets_name ON message_snippets (env, name);
