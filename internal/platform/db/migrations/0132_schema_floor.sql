-- +goose Up

-- The oldest schema whose version of Slipway can use this database. A change that removes or
-- renames something sets it to its own number, and servers of older versions become unready.
CREATE TABLE schema_floor (
    id      BIGINT NOT NULL PRIMARY KEY, -- always 1
    version BIGINT NOT NULL
);

INSERT INTO schema_floor (id, version) VALUES (1, 0);
