-- +goose Up

-- Two common words are found with the index of words. See decision 31.
DROP TABLE hull_block_changes;
DROP TABLE hull_block_keys;
DROP TABLE hull_blocks;

-- Filters by these are ranges of an index in the order of the list.
CREATE INDEX hulls_condition ON hulls (env, condition, id);
CREATE INDEX hulls_category ON hulls (env, category, id);
