-- +goose Up

-- Imports that are checked, repaired and then started.
ALTER TABLE hull_imports ADD COLUMN review BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE hull_imports ADD COLUMN words TEXT NOT NULL DEFAULT '{}'; -- what words of a field mean
ALTER TABLE hull_imports ADD COLUMN kept_until TIMESTAMPTZ; -- while the file of a checked import is kept

CREATE INDEX hull_imports_kept ON hull_imports (kept_until) WHERE kept_until IS NOT NULL;

-- Rows of a checked file that were repaired.
CREATE TABLE hull_import_repairs (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    cells     TEXT NOT NULL,
    fields    TEXT NOT NULL, -- without a column in the file
    PRIMARY KEY (env, import_id, row_no)
) {clustered};

-- How files with the same columns were read the last time.
CREATE TABLE hull_import_readings (
    env        BIGINT NOT NULL,
    headers    TEXT NOT NULL, -- a hash of the names of the columns
    map        TEXT NOT NULL,
    words      TEXT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, headers)
) {clustered};

-- What the rows of a file say, to compare it with the inventory.
CREATE TABLE hull_import_figures (
    env         BIGINT NOT NULL,
    import_id   {id} NOT NULL,
    row_no      BIGINT NOT NULL,
    hull_id     {id}, -- of the boat; null for a row that was rejected or skipped
    price_usd   BIGINT,
    cost_cents  BIGINT,
    status      TEXT,
    location_id TEXT,
    hin         TEXT,
    PRIMARY KEY (env, import_id, row_no)
) {clustered};
