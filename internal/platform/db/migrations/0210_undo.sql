-- +goose Up

-- What a funding was before its last step, for undoing it.
ALTER TABLE fundings ADD COLUMN undo TEXT;

-- The user who recorded a payment, who can undo it.
ALTER TABLE payments ADD COLUMN recorded_by TEXT;
