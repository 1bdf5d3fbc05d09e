-- +goose Up

-- Users with a role for managers can make exceptions and book money. Users with own_locations are limited to their locations.
ALTER TABLE roles ADD COLUMN manager BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE roles ADD COLUMN own_locations BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE roles SET manager = TRUE WHERE built_in AND name IN ('owner', 'manager');
