-- +goose Up

-- How the file is read.
ALTER TABLE hull_imports ADD COLUMN encoding TEXT NOT NULL DEFAULT 'utf-8';
ALTER TABLE hull_imports ADD COLUMN map TEXT NOT NULL DEFAULT '{}';
ALTER TABLE hull_imports ADD COLUMN header TEXT NOT NULL DEFAULT '[]'; -- all columns, for errors.csv
ALTER TABLE hull_imports ADD COLUMN day_first BOOLEAN NOT NULL DEFAULT FALSE;

-- Hulls that are not in the file.
ALTER TABLE hull_imports ADD COLUMN missing TEXT NOT NULL DEFAULT 'ignore';
ALTER TABLE hull_imports ADD COLUMN forced BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hull_imports ADD COLUMN missing_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN archived BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN stage TEXT NOT NULL DEFAULT 'rows'; -- rows, then missing
ALTER TABLE hull_imports ADD COLUMN compared_to {id} NOT NULL DEFAULT ''; -- the last hull that was compared with the file

ALTER TABLE hull_imports ADD COLUMN unchanged BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN noted BIGINT NOT NULL DEFAULT 0;
ALTER TABLE hull_imports ADD COLUMN photo_count BIGINT NOT NULL DEFAULT 0; -- URLs that were queued

ALTER TABLE hull_import_rows ADD COLUMN record TEXT NOT NULL DEFAULT '';

-- The text of rejected rows, for errors.csv.
CREATE TABLE hull_import_failures (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    record    TEXT NOT NULL,
    PRIMARY KEY (env, import_id, row_no)
) {clustered};

CREATE TABLE hull_import_notes (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    number    BIGINT NOT NULL,
    row_no    BIGINT NOT NULL,
    field     TEXT NOT NULL,
    code      TEXT NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (env, import_id, number)
) {clustered};

CREATE TABLE hull_import_missing (
    env          BIGINT NOT NULL,
    import_id    {id} NOT NULL,
    hull_id      {id} NOT NULL,
    stock_number TEXT,
    hin          TEXT,
    archived     BOOLEAN NOT NULL,
    message      TEXT, -- why it was not archived
    PRIMARY KEY (env, import_id, hull_id)
) {clustered};

-- URLs of photos. They are kept, so that the next file doesn't download them again.
CREATE TABLE hull_import_photos (
    env       BIGINT NOT NULL,
    hull_id   {id} NOT NULL,
    url_hash  TEXT NOT NULL,
    url       TEXT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    position  BIGINT NOT NULL,
    state     TEXT NOT NULL, -- queued, added or failed
    attempts  BIGINT NOT NULL,
    due_at    TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, hull_id, url_hash)
) {clustered};

CREATE INDEX hull_import_photos_queued ON hull_import_photos (env, import_id, state, row_no, position);
