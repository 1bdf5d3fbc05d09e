-- +goose Up

-- How often a price below the hull's floor was refused. Three refusals look like a search for the floor.
ALTER TABLE deals ADD COLUMN floor_refusals BIGINT NOT NULL DEFAULT 0;
