-- +goose Up

-- Where the boat was on the day of the delivery. The boat can come back and move, and the reports of that month must not change.
ALTER TABLE deals ADD COLUMN delivered_location_id {id};
UPDATE deals SET delivered_location_id = (SELECT location_id FROM hulls WHERE hulls.env = deals.env AND hulls.id = deals.hull_id)
    WHERE delivered_at IS NOT NULL;
