-- +goose Up

-- Apps without registration need the decision of an owner from now on.
{sqlite}   UPDATE dealerships SET settings = json_set(settings, '$.allowed_apps', 'registered');
{postgres} UPDATE dealerships SET settings = (settings::jsonb || '{"allowed_apps": "registered"}')::text;
