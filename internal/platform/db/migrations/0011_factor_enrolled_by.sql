-- +goose Up

-- The actor who enrolled a two-factor method. Methods that other people enrolled are deleted when
-- their user becomes an administrator. Null for methods that are older than this column.
ALTER TABLE mfa_factors ADD COLUMN enrolled_by {id};
