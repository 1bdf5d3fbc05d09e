-- +goose Up

-- The legal name of a contact in Latin letters, for documents.
ALTER TABLE contacts ADD COLUMN legal_name_latin TEXT;

-- Numbers for people, in the order in which the rows were added.
ALTER TABLE deals ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
UPDATE deals SET number = n.number FROM (
    SELECT env, id, 1000 + ROW_NUMBER() OVER (PARTITION BY env ORDER BY id) AS number FROM deals
) n WHERE n.env = deals.env AND n.id = deals.id;
CREATE UNIQUE INDEX deals_number ON deals (env, number);

ALTER TABLE documents ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
UPDATE documents SET number = n.number FROM (
    SELECT env, id, 1000 + ROW_NUMBER() OVER (PARTITION BY env ORDER BY id) AS number FROM documents
) n WHERE n.env = documents.env AND n.id = documents.id;
CREATE UNIQUE INDEX documents_number ON documents (env, number);

-- The last number of each kind.
CREATE TABLE numbers (
    env  BIGINT NOT NULL,
    kind {id} NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (env, kind)
) {clustered};
INSERT INTO numbers (env, kind, last) SELECT env, 'deal', MAX(number) FROM deals GROUP BY env;
INSERT INTO numbers (env, kind, last) SELECT env, 'document', MAX(number) FROM documents GROUP BY env;
