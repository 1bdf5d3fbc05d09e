-- +goose Up

-- A deal has any number of taxes instead of one rate.
ALTER TABLE deals ADD COLUMN taxes TEXT NOT NULL DEFAULT '[]';
UPDATE deals SET taxes = '[{"name":"Sales tax","rate_percent":"' || tax_rate_percent
    || '","base":"deal","base_cap_cents":null,"cap_cents":null,"exempt_reason":null,"amount_cents":0}]'
WHERE tax_rate_percent NOT IN ('0', '0.0', '0.00', '0.000', '0.0000');
ALTER TABLE deals DROP COLUMN tax_rate_percent;

-- Defaults of a location. NULL means those of the dealership.
ALTER TABLE locations ADD COLUMN default_taxes TEXT;
ALTER TABLE locations ADD COLUMN trade_tax_credit BOOLEAN;

-- Sums of the selected structure.
ALTER TABLE deals ADD COLUMN products_taxable_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE deals ADD COLUMN reserve_cents BIGINT NOT NULL DEFAULT 0;

ALTER TABLE finance_structures ADD COLUMN contract_on TEXT; -- NULL for earlier structures
ALTER TABLE finance_structures ADD COLUMN odd_days BIGINT NOT NULL DEFAULT 0;
ALTER TABLE finance_structures ADD COLUMN odd_days_interest TEXT;
ALTER TABLE finance_structures ADD COLUMN odd_days_interest_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE finance_structures ADD COLUMN balloon_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE finance_structures ADD COLUMN first_payment_cents BIGINT NOT NULL DEFAULT 0;
UPDATE finance_structures SET first_payment_cents = CASE WHEN term_months = 1 THEN final_payment_cents ELSE payment_cents END;
ALTER TABLE finance_structures ADD COLUMN product_tax_cents BIGINT NOT NULL DEFAULT 0;
ALTER TABLE finance_structures ADD COLUMN buy_rate_percent TEXT;
ALTER TABLE finance_structures ADD COLUMN reserve_split_percent TEXT;
ALTER TABLE finance_structures ADD COLUMN reserve_cents BIGINT;
ALTER TABLE finance_structures ADD COLUMN disclosed_apr_percent TEXT NOT NULL DEFAULT '';
UPDATE finance_structures SET disclosed_apr_percent = apr_percent;
