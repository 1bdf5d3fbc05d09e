package app

import (
	"image/color"
	"strings"

	"slipway/internal/imports"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
)

// setUp is how the owner sets up the dealership.
func (st *story) setUp(desk *teller) {
	desk.does("getMe", nil, nil)
	desk.does("getDealership", nil, nil)
	desk.does("updateDealership", object{
		"name": "Chesapeake Marine", "legal_name": "Chesapeake Marine Sales, Inc.", "timezone": "America/New_York",
		"postal_address": object{"line1": "12 Dock Street", "city": "Annapolis", "region": "MD", "postal_code": "21401", "country": "US"},
		"settings":       object{"default_hold_hours": 72, "default_tax_rate_percent": "5", "quiet_hours": object{"start": "20:00", "end": "09:00"}},
	}, nil)

	var east, west ref
	desk.does("createLocation", object{
		"name": "Harbor East", "code": "HE", "phone": "(410) 555-0123",
		"address": object{"line1": "12 Dock Street", "city": "Annapolis", "region": "MD", "postal_code": "21401", "country": "US"},
	}, &east)
	st.location = east.ID
	desk.does("getLocation", nil, nil, east.ID)
	desk.does("updateLocation", object{"phone": "+14105550124"}, nil, east.ID)
	desk.does("createLocation", object{"name": "Harbor West"}, &west)
	desk.does("listLocations", nil, nil, "?limit=2")
	desk.does("deleteLocation", nil, nil, west.ID)

	var role, ben, leaving ref
	desk.does("createRole", object{"name": "detailing", "scopes": []string{"hulls:read"}}, &role)
	desk.does("listRoles", nil, nil, "?limit=2")
	desk.does("updateRole", object{"scopes": []string{"hulls:read", "hulls:write"}}, nil, role.ID)
	sales := st.s.RoleID("sales")
	desk.does("provisionUser", object{
		"email": "ben@example.com", "name": "Ben Ortiz", "role_ids": []string{sales}, "location_ids": []string{east.ID},
	}, &ben)
	st.ben = ben.ID
	desk.does("updateUser", object{"name": "Benjamin Ortiz", "takes_leads": true}, nil, ben.ID)
	desk.does("assignUserRoles", object{"role_ids": []string{sales, role.ID}}, nil, ben.ID)
	desk.does("getUser", nil, nil, ben.ID)
	desk.does("provisionUser", object{"email": "kai@example.com", "name": "Kai Lund"}, &leaving)
	desk.does("deactivateUser", object{"revoke_keys": true}, nil, leaving.ID)
	desk.does("listUsers", nil, nil, "?limit=2")
	desk.does("createRole", object{"name": "temporary", "scopes": []string{"hulls:read"}}, &role)
	desk.does("deleteRole", nil, nil, role.ID)
}

// stockBoats is how boats come into stock.
func (st *story) stockBoats(desk *teller) {
	desk.does("decodeHin", nil, nil, "US-GRT40912G324")
	var hull, old ref
	desk.does("createHull", object{
		"make": "Grady-White", "model": "Freedom 235", "year": 2024, "length_ft": 23.58, "price_usd": 124900, "hin": "US-GRT40912G324",
		"stock_number": "GW-1042", "boat_class": "power-dualconsole", "location_id": st.location,
	}, &hull)
	st.hull = hull.ID
	desk.does("updateHull", object{"title": "2024 Grady-White Freedom 235, one owner", "metadata": object{"slip": "B14"}}, nil, hull.ID)
	desk.does("replaceHullSpecs", object{
		"beam_ft": 8.5, "draft_ft": object{"max": 1.83}, "dry_weight_lb": 4200, "hull_material": "fiberglass", "hull_shape": "deep_vee",
		"engines": []object{{"position": "single", "make": "Yamaha", "model": "F300", "hp": 300, "fuel": "gas", "type": "outboard_4s"}},
		"tanks":   object{"fuel_gal": 109},
	}, nil, hull.ID)
	desk.does("getHullSpecs", nil, nil, hull.ID, "?units=metric")
	desk.does("adjustHullPricing", object{
		"price_usd": 119900, "msrp_usd": 138000, "price_type": "sale", "floor_usd": 112000,
		"cost": object{"invoice_cents": 9850000, "freight_cents": 320000}, "reason": "Winter sale",
	}, nil, hull.ID)
	desk.does("getHullPricing", nil, nil, hull.ID)
	desk.does("listHullPriceChanges", nil, nil, hull.ID, "?limit=2")
	desk.does("transitionHull", object{"to": "on_hold", "reason": "Survey on Thursday", "expires_at": "2026-12-03T17:00:00Z"}, nil, hull.ID)
	desk.does("getHull", nil, nil, hull.ID)
	desk.does("transitionHull", object{"to": "available"}, nil, hull.ID)
	desk.does("listHullHistory", nil, nil, hull.ID, "?limit=2")

	desk.does("createHull", object{
		"make": "Catalina", "model": "315", "year": 2015, "length_ft": 31.83, "price_usd": 98500, "hin": "CTYM0123E515",
		"category": "sail", "condition": "used", "location_id": st.location,
	}, &old)
	desk.does("archiveHull", object{"reason": "Returned to its owner"}, nil, old.ID)
	desk.does("listHulls", nil, nil, "?status=available&limit=1")

	var imported ref
	desk.does("createHullImport", testkit.File{Type: "text/csv", Bytes: []byte("Stock #,HIN,Make,Model,Year,Length,Price\n" +
		"BW-2001,BWCE0456A626,Boston Whaler,230 Vantage,2026,22.83,\"$142,500\"\n")}, &imported, "?location_id="+st.location)
	job := imports.RunImport{Env: st.s.Env("hull_imports", imported.ID), ImportID: imported.ID}
	feature := &imports.API{DB: st.s.DB, Jobs: st.s.Jobs, Blobs: st.s.Blobs}
	if err := jobs.Run(st.t.Context(), feature.RunImport, job); err != nil {
		st.t.Fatal(err)
	}
	desk.does("getHullImport", nil, nil, imported.ID)
}

// showBoats is how boats get to the public.
func (st *story) showBoats(desk *teller) {
	var first, second, channel ref
	desk.does("uploadHullPhoto", drawing(color.RGBA{135, 190, 235, 255}), &first, st.hull, "?caption=At+the+dock")
	desk.does("uploadHullPhoto", drawing(color.RGBA{245, 170, 110, 255}), &second, st.hull)
	st.s.MakeSizes(first.ID)
	st.s.MakeSizes(second.ID)
	desk.does("updateHullPhoto", object{"caption": "At the dock in Annapolis", "position": 1}, nil, st.hull, first.ID)
	desk.does("getHullPhotoContent", nil, nil, st.hull, first.ID, "?variant=thumb")
	desk.does("deleteHullPhoto", nil, nil, st.hull, second.ID)
	var list struct {
		Data []struct{ URLs struct{ Card string } }
	}
	desk.does("listHullPhotos", nil, &list, st.hull)
	public := strings.Split(list.Data[0].URLs.Card, "/")
	st.teller(st.s.As("")).does("getMedia", nil, nil, public[len(public)-3:]...)

	desk.does("createChannel", object{
		"name": "Our website", "kind": "website", "format": "json", "filter": object{"conditions": []string{"new", "demo"}, "price_min": 10000},
	}, &channel)
	desk.does("publishHull", nil, nil, st.hull, channel.ID)
	desk.does("listHullSyndication", nil, nil, st.hull)
	desk.does("getChannelFeed", nil, nil, channel.ID)
	desk.does("listChannels", nil, nil)
	desk.does("withdrawHull", nil, nil, st.hull, channel.ID)
	desk.does("deleteChannel", nil, nil, channel.ID)
}
