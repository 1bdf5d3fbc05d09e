-- +goose Up

-- What a boat needs before a channel lists it. Existing channels have no rules.
ALTER TABLE channels ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';
ALTER TABLE channels ADD COLUMN party_number TEXT; -- of the dealership at the marketplace
