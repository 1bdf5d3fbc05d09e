-- +goose Up

-- The lists across deals are sorted by ID.
CREATE INDEX payments_newest ON payments (env, id);
CREATE INDEX fundings_newest ON fundings (env, id);
CREATE INDEX documents_newest ON documents (env, id);

-- The few payments that were refunded, reversed or transferred.
CREATE INDEX payments_taken_back ON payments (env, refunds_payment_id) WHERE refunds_payment_id IS NOT NULL;
