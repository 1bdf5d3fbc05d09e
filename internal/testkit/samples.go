package testkit

import (
	"fmt"
	"maps"
)

// Location makes a location and returns its id.
func (c *Client) Location() string {
	c.server.t.Helper()
	var l struct{ ID string }
	c.Post("/v1/locations", map[string]any{"name": "Harbor East"}, 201, &l)
	return l.ID
}

// HullBody is the body of a hull at a location, with changes.
func HullBody(location string, changes map[string]any) map[string]any {
	body := map[string]any{
		"make": "Grady-White", "model": "Freedom 235", "year": 2024, "length_ft": 23.58, "price_usd": 124900,
		"location_id": location, "hin": fmt.Sprintf("GRT%05dB324", copies.Add(1)%100_000),
	}
	maps.Copy(body, changes)
	return body
}

// Hull makes a hull at a location and returns its id.
func (c *Client) Hull(location string, changes map[string]any) string {
	c.server.t.Helper()
	var h struct{ ID string }
	c.Post("/v1/hulls", HullBody(location, changes), 201, &h)
	return h.ID
}
