-- +goose Up

-- Recovery codes are created when the first two-factor method is verified, and
-- are stored as MACs with the master key. Codes in the old form stop working.
DELETE FROM recovery_codes;

ALTER TABLE recovery_codes DROP COLUMN factor_id;
