-- +goose Up

CREATE TABLE deals (
    env                    BIGINT NOT NULL,
    id                     {id} NOT NULL,
    hull_id                {id} NOT NULL,
    buyer_id               {id} NOT NULL,
    co_buyer_id            {id},
    lead_id                {id},
    owner_id               {id},
    sale_type              TEXT NOT NULL,
    deal_type              TEXT NOT NULL,
    status                 TEXT NOT NULL,
    offer_usd              BIGINT NOT NULL, -- the opening offer
    price_usd              BIGINT NOT NULL, -- the accepted offer, or else the newest pending one
    accepted_offer_id      {id},
    line_items             TEXT NOT NULL,
    tax_rate_percent       TEXT NOT NULL,
    trade_tax_credit       BOOLEAN NOT NULL,
    trade_allowance_cents  BIGINT NOT NULL, -- sums of the trade-ins
    trade_equity_cents     BIGINT NOT NULL,
    over_allowance_cents   BIGINT NOT NULL,
    paid_cents             BIGINT NOT NULL, -- payments less refunds
    products_cents         BIGINT NOT NULL, -- products of the selected structure
    products_cost_cents    BIGINT NOT NULL,
    selected_structure_id  {id},
    funding_state          TEXT NOT NULL,
    signed_agreement_id    {id},
    hull_status            TEXT, -- status that the hull returns to if the deal is cancelled
    hull_hold              TEXT,
    cancel_reason          TEXT,
    deposit_outcome        TEXT,
    revision               BIGINT NOT NULL,
    metadata               TEXT NOT NULL,
    accepted_at            TIMESTAMPTZ,
    contracted_at          TIMESTAMPTZ,
    funded_at              TIMESTAMPTZ,
    delivered_at           TIMESTAMPTZ,
    closed_at              TIMESTAMPTZ,
    cancelled_at           TIMESTAMPTZ,
    version                BIGINT NOT NULL,
    created_at             TIMESTAMPTZ NOT NULL,
    updated_at             TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, id),
    FOREIGN KEY (env, hull_id) REFERENCES hulls (env, id)
) {clustered};

-- A hull can have any number of open deals, but only one accepted deal.
CREATE UNIQUE INDEX deals_one_sale ON deals (env, hull_id)
    WHERE status IN ('accepted', 'in_finance', 'contracted', 'funded', 'delivered', 'closed');

CREATE INDEX deals_hull ON deals (env, hull_id, id);
CREATE INDEX deals_buyer ON deals (env, buyer_id, id);
CREATE INDEX deals_co_buyer ON deals (env, co_buyer_id, id);
CREATE INDEX deals_lead ON deals (env, lead_id, id);
CREATE INDEX deals_owner ON deals (env, owner_id, id);
CREATE INDEX deals_status ON deals (env, status, id);
CREATE INDEX deals_updated ON deals (env, updated_at, id);

CREATE TABLE deal_history (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    deal_id     {id} NOT NULL,
    from_status TEXT,
    to_status   TEXT NOT NULL,
    reason      TEXT,
    actor       TEXT NOT NULL,
    at          TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

CREATE TABLE offers (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    deal_id     {id} NOT NULL,
    amount_usd  BIGINT NOT NULL,
    made_by     TEXT NOT NULL,
    in_reply_to {id},
    expires_at  TIMESTAMPTZ,
    note        TEXT,
    status      TEXT NOT NULL,
    reason      TEXT,
    decided_at  TIMESTAMPTZ,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

-- Each party has one pending offer.
CREATE UNIQUE INDEX offers_live ON offers (env, deal_id, made_by) WHERE status = 'pending';

CREATE TABLE trade_ins (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL,
    deal_id         {id} NOT NULL,
    description     TEXT,
    hin             TEXT,
    year            BIGINT,
    make            TEXT,
    model           TEXT,
    length_ft       DOUBLE PRECISION,
    allowance_cents BIGINT NOT NULL,
    acv_cents       BIGINT,
    payoff_cents    BIGINT NOT NULL,
    lienholder      TEXT,
    stock_in        BOOLEAN NOT NULL,
    hull_id         {id}, -- hull that was created from it
    created_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

CREATE TABLE finance_structures (
    env                     BIGINT NOT NULL,
    id                      {id} NOT NULL,
    deal_id                 {id} NOT NULL,
    name                    TEXT,
    lender                  TEXT,
    cash_down_cents         BIGINT NOT NULL,
    apr_percent             TEXT NOT NULL,
    term_months             BIGINT NOT NULL,
    first_payment_on        TEXT NOT NULL,
    products                TEXT NOT NULL,
    deal_cents              BIGINT NOT NULL, -- total of the deal without products
    deposit_cents           BIGINT NOT NULL,
    amount_financed_cents   BIGINT NOT NULL,
    payment_cents           BIGINT NOT NULL,
    final_payment_cents     BIGINT NOT NULL,
    finance_charge_cents    BIGINT NOT NULL,
    total_of_payments_cents BIGINT NOT NULL,
    created_at              TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

CREATE TABLE fundings (
    env             BIGINT NOT NULL,
    id              {id} NOT NULL,
    deal_id         {id} NOT NULL,
    lender          TEXT NOT NULL,
    structure_id    {id} NOT NULL,
    reference       TEXT,
    status          TEXT NOT NULL,
    requested_cents BIGINT NOT NULL,
    amount_cents    BIGINT NOT NULL,
    decision        TEXT,
    reason          TEXT,
    funded_at       TIMESTAMPTZ,
    version         BIGINT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL,
    updated_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

-- A deal can have several lenders, but only one contract.
CREATE UNIQUE INDEX fundings_one_contract ON fundings (env, deal_id)
    WHERE status IN ('contract_sent', 'signed', 'package_submitted', 'pending_docs', 'approved_to_fund', 'funded');

CREATE TABLE stipulations (
    env         BIGINT NOT NULL,
    id          {id} NOT NULL,
    deal_id     {id} NOT NULL,
    funding_id  {id} NOT NULL,
    kind        TEXT NOT NULL,
    description TEXT,
    status      TEXT NOT NULL,
    note        TEXT,
    resolved_at TIMESTAMPTZ,
    version     BIGINT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    updated_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, funding_id, id)
) {clustered};

CREATE TABLE documents (
    env              BIGINT NOT NULL,
    id               {id} NOT NULL,
    deal_id          {id} NOT NULL,
    kind             TEXT NOT NULL,
    title            TEXT NOT NULL,
    status           TEXT NOT NULL,
    required_signers TEXT NOT NULL,
    signatures       TEXT NOT NULL,
    sha256           TEXT NOT NULL,
    size_bytes       BIGINT NOT NULL,
    page_count       BIGINT NOT NULL,
    supersedes_id    {id},
    void_reason      TEXT,
    voided_at        TIMESTAMPTZ,
    signed_at        TIMESTAMPTZ,
    issued_by        TEXT NOT NULL,
    version          BIGINT NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};

-- The bytes are in a separate table, so that lists don't read them, and in the
-- database, so that they commit with their document and a backup has both.
CREATE TABLE document_files (
    env   BIGINT NOT NULL,
    id    {id} NOT NULL, -- ID of the document
    bytes BYTEA NOT NULL,
    PRIMARY KEY (env, id)
);

-- Payments are never changed. A refund is a separate row.
CREATE TABLE payments (
    env                BIGINT NOT NULL,
    id                 {id} NOT NULL,
    deal_id            {id} NOT NULL,
    kind               TEXT NOT NULL,
    method             TEXT NOT NULL,
    amount_cents       BIGINT NOT NULL CHECK (amount_cents > 0),
    reference          TEXT,
    received_on        TEXT NOT NULL,
    refunds_payment_id {id},
    reason             TEXT,
    created_at         TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (env, deal_id, id)
) {clustered};
