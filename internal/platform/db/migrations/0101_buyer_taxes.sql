-- +goose Up

-- Taxes of new deals by the region where the buyer lives.
ALTER TABLE locations ADD COLUMN buyer_taxes TEXT;
