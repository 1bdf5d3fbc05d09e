-- +goose Up

-- The place of an entry among those of its transaction in the environment: the ID
-- of the first one, the number of the entry, and how many there are. Then a
-- missing entry shows even before it is linked. Older entries have none.
ALTER TABLE audit_entries ADD COLUMN group_id {id};
ALTER TABLE audit_entries ADD COLUMN number BIGINT;
ALTER TABLE audit_entries ADD COLUMN total BIGINT;
