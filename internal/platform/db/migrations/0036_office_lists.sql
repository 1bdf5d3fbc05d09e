-- +goose Up

-- The lists across deals are sorted by ID.
CREATE INDEX payments_newest ON payments (env, id);
CREATE INDEX fundings_newest ON fundings (env, id);
CREATE INDEX documents_newest ON documents (env, id);

-- A filter that matches few rows doesn't read all others.
CREATE INDEX payments_type ON payments (env, type, id);
CREATE INDEX payments_kind ON payments (env, kind, id);
CREATE INDEX payments_method ON payments (env, method, id);
CREATE INDEX fundings_status ON fundings (env, status, id);
CREATE INDEX documents_status ON documents (env, status, id);
CREATE INDEX documents_kind ON documents (env, kind, id);

-- The few payments that were refunded, reversed or transferred.
CREATE INDEX payments_taken_back ON payments (env, refunds_payment_id) WHERE refunds_payment_id IS NOT NULL;
