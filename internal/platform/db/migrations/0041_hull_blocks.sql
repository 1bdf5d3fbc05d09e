-- +goose Up

-- A filter by price that matches few hulls finds them here.
CREATE INDEX hulls_price ON hulls (env, price_usd, id);

-- Groups of older hulls in the order of their IDs. A job fills them. The hulls of a
-- block don't change, so the position of a hull in its block doesn't either.
CREATE TABLE hull_blocks (
    env      BIGINT NOT NULL,
    block    BIGINT NOT NULL,
    first_id {id} NOT NULL,
    last_id  {id} NOT NULL,
    members  {id} NOT NULL, -- the IDs, without prefix
    PRIMARY KEY (env, block)
) {clustered};

-- Which hulls of a block have a search term, a location or a make, if several do.
CREATE TABLE hull_block_keys (
    env       BIGINT NOT NULL,
    key       {id} NOT NULL,
    block     BIGINT NOT NULL,
    positions BYTEA NOT NULL,
    PRIMARY KEY (env, key, block)
) {clustered};

-- Hulls whose keys changed, until their block has the change.
CREATE TABLE hull_block_changes (
    env     BIGINT NOT NULL,
    id      {id} NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (env, id, version)
) {clustered};
