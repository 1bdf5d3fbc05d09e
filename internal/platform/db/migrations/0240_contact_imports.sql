-- +goose Up

-- Imports of contacts are in the table of imports of hulls: files are read, repaired and started in
-- the same way.
ALTER TABLE hull_imports ADD COLUMN subject TEXT NOT NULL DEFAULT 'hulls'; -- or contacts
ALTER TABLE hull_imports ADD COLUMN duplicates TEXT NOT NULL DEFAULT 'skip'; -- what happens to rows of known contacts
ALTER TABLE hull_imports ADD COLUMN duplicate_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN consent_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN unproven_count BIGINT NOT NULL DEFAULT 0; -- consents without evidence, which are not recorded
ALTER TABLE hull_imports ADD COLUMN opt_out_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN history_count BIGINT NOT NULL DEFAULT 0; -- notes on contacts

-- Rows whose email or phone a contact or an earlier row has.
CREATE TABLE contact_import_duplicates (
    env        BIGINT NOT NULL,
    import_id  {id} NOT NULL,
    row_no     BIGINT NOT NULL,
    name       TEXT NOT NULL,
    email      TEXT,
    phone      TEXT,
    matches    TEXT NOT NULL, -- email, phone or both
    contact_id {id}, -- null if only an earlier row is the same
    same_row   BIGINT, -- the earlier row
    PRIMARY KEY (env, import_id, row_no)
) {clustered};

-- What a person chose for one of these rows. It stays when the file is read again.
CREATE TABLE contact_import_choices (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    action    TEXT NOT NULL,
    PRIMARY KEY (env, import_id, row_no)
) {clustered};
