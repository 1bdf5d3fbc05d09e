-- +goose Up

ALTER TABLE hulls ADD COLUMN primary_photo {id}; -- key of the first photo

-- Blobs without a row: not claimed yet, or to be deleted. See blobs.Keeper.
CREATE TABLE loose_blobs (
    env    BIGINT NOT NULL,
    key    {id} NOT NULL,
    doomed BOOLEAN NOT NULL, -- it can't be claimed any more
    due_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, key)
) {clustered};

CREATE INDEX loose_blobs_due ON loose_blobs (due_at);

CREATE TABLE hull_photos (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    hull_id      {id} NOT NULL,
    position     BIGINT NOT NULL, -- 1, 2, 3 without gaps, guarded by a lock on the hull
    caption      TEXT,
    state        TEXT NOT NULL,
    problem      TEXT,
    sha256       {id} NOT NULL, -- of the file that was sent
    content_type TEXT NOT NULL,
    bytes        BIGINT NOT NULL,
    width        BIGINT NOT NULL,
    height       BIGINT NOT NULL,
    blob         {id} NOT NULL, -- key of its stored sizes
    version      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, hull_id) REFERENCES hulls (env, id)
) {clustered};

-- A file that is sent again is the same photo of the hull.
CREATE UNIQUE INDEX hull_photos_same ON hull_photos (env, hull_id, sha256);
CREATE INDEX hull_photos_order ON hull_photos (env, hull_id, position);

CREATE TABLE channels (
    env          BIGINT NOT NULL,
    id           {id} NOT NULL,
    name         TEXT NOT NULL,
    kind         TEXT NOT NULL,
    format       TEXT NOT NULL,
    push_url     TEXT,
    filter       TEXT NOT NULL,
    auto_publish BOOLEAN NOT NULL,
    push_after   TIMESTAMPTZ NOT NULL, -- until then, a node is pushing, or the partner has time to recover
    failures     BIGINT NOT NULL, -- in a row
    version      BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

-- A hull on a channel: what the dealer requested, and its state.
CREATE TABLE hull_listings (
    env          BIGINT NOT NULL,
    channel_id   {id} NOT NULL,
    hull_id      {id} NOT NULL,
    wanted       BOOLEAN NOT NULL,
    listed       BOOLEAN NOT NULL, -- whether it is public there
    state        TEXT NOT NULL,
    action       TEXT,
    external_id  TEXT,
    url          TEXT,
    code         TEXT,
    message      TEXT,
    attempts     BIGINT NOT NULL, -- failed attempts since it was queued
    due_at       TIMESTAMPTZ,
    attempted_at TIMESTAMPTZ,
    published_at TIMESTAMPTZ,
    revision     BIGINT NOT NULL, -- counts the changes that the channel must receive
    updated_at   TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, channel_id, hull_id)
) {clustered};

CREATE INDEX hull_listings_hull ON hull_listings (env, hull_id, channel_id);
CREATE INDEX hull_listings_feed ON hull_listings (env, channel_id, hull_id, revision, updated_at) WHERE listed;
CREATE INDEX hull_listings_due ON hull_listings (env, channel_id, due_at) WHERE state = 'queued';

CREATE TABLE hull_imports (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL,
    state           TEXT NOT NULL,
    format          TEXT NOT NULL,
    mode            TEXT NOT NULL,
    dry_run         BOOLEAN NOT NULL,
    location_id     {id},
    columns         TEXT NOT NULL,
    ignored_columns TEXT NOT NULL,
    bytes           BIGINT NOT NULL,
    bytes_done      BIGINT NOT NULL, -- where the next batch starts
    row_count       BIGINT NOT NULL,
    created         BIGINT NOT NULL,
    updated         BIGINT NOT NULL,
    failed          BIGINT NOT NULL,
    problem         TEXT,
    actor           TEXT NOT NULL, -- who requested it, recorded as the author of its changes
    request_id      TEXT,
    blob            {id} NOT NULL,
    beat_at         TIMESTAMPTZ NOT NULL, -- last sign of progress
    started_at      TIMESTAMPTZ,
    finished_at     TIMESTAMPTZ,
    version         BIGINT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id)
) {clustered};

CREATE INDEX hull_imports_open ON hull_imports (beat_at) WHERE state IN ('queued', 'running');

-- The rows of an atomic import, checked and waiting to be saved together.
CREATE TABLE hull_import_rows (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    row_no    BIGINT NOT NULL,
    fields    TEXT NOT NULL,
    PRIMARY KEY (env, import_id, row_no)
) {clustered};

CREATE TABLE hull_import_errors (
    env       BIGINT NOT NULL,
    import_id {id} NOT NULL,
    number    BIGINT NOT NULL,
    row_no    BIGINT NOT NULL,
    field     TEXT NOT NULL,
    code      TEXT NOT NULL,
    message   TEXT NOT NULL,
    PRIMARY KEY (env, import_id, number)
) {clustered};
