-- +goose Up

-- Bodies were masked by lists of names, which left conditions of lenders, costs and floors
-- in clear text.
UPDATE request_logs SET request_body = NULL WHERE request_body IS NOT NULL;
