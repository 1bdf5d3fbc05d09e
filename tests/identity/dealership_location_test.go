package identity

import (
	"net/http"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/hulls"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestLocation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var l, got dealership.Location
		body := `{"name": "Harbor East", "code": "HE", "address": ` + harbor + `, "phone": "+14105550123", "timezone": "America/Chicago"}`
		created := s.Test.Post("/v1/locations", body, 201, &l)
		path := "/v1/locations/" + l.ID
		read := s.Test.Get(path, 200, nil)
		assert.Equal(t, string(read.Bytes), string(created.Bytes), "read after create")
		assert.Equal(t, read.Header.Get("ETag"), `"1"`, "read after create")
		s.Test.Patch(path, `{"name": "Harbor West", "address": {"line1": "14 Dock Street", "line2": null}, "phone": null}`, 200, &got)
		want := l
		want.Name, want.Phone, want.Version, want.UpdatedAt = "Harbor West", nil, 2, got.UpdatedAt
		want.Address = &dealership.Address{Line1: "14 Dock Street", City: "Annapolis", Region: new("MD"), PostalCode: new("21401"), Country: "US"}
		assert.Equal(t, got, want)
		s.Test.Patch(path, `{"address": null, "timezone": null, "code": null}`, 200, &got)
		assert.Equal(t, got.Address, nil)
		assert.Equal(t, got.Timezone, nil)
		assert.Equal(t, got.Code, nil)
		assert.Equal(t, got.Version, 3)
		s.Test.With("If-Match", `"2"`).Do(http.MethodDelete, path, nil, 409, nil).WantDetail(t, "If-Match", "stale")
		s.Test.Delete(path, 204)
		s.Test.Get(path, 404, nil)
		s.Test.Delete(path, 404)
	})
}

func TestInvalidLocations(t *testing.T) {
	s := testkit.OnSQLite(t)
	path := "/v1/locations/" + s.Test.Location()
	for body, c := range map[string]struct {
		status      int
		field, code string
	}{
		`{"name": "A", "timezone": "Mars"}`:                     {422, "timezone", "enum"},
		`{"name": "A", "timezone": ""}`:                         {422, "timezone", "enum"},
		`{"name": "A", "code": "no spaces"}`:                    {422, "code", "pattern"},
		`{"name": "A", "code": ""}`:                             {422, "code", "pattern"},
		`{"name": "A", "phone": "555-0123"}`:                    {422, "phone", "format"},
		`{"name": ""}`:                                          {422, "name", "too_short"},
		`{"name": "A", "address": {"line1": "x", "city": "y"}}`: {400, "address.country", "required"},
		`{"name": "", "timezone": "Mars"}`:                      {422, "timezone", "enum"}, // reported together with the name
		`{"name": "A", "id": "loc_00000000000000000000000000"}`: {422, "id", "unknown_field"},
		`{"name": 7}`: {400, "name", "type"},
	} {
		for method, at := range map[string]string{"POST": "/v1/locations", "PATCH": path} {
			s.Test.Do(method, at, body, c.status, nil).WantDetail(t, c.field, c.code, method, body)
		}
	}
	s.Test.Post("/v1/locations", `{"code": "HE"}`, 400, nil) // no name
}

// Only one location can use a code.
func TestLocationCodes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var first, second dealership.Location
		s.Test.Post("/v1/locations", `{"name": "East", "code": "HE"}`, 201, &first)
		s.Test.Post("/v1/locations", `{"name": "West", "code": "HW"}`, 201, &second)
		for name, c := range map[string]struct {
			client       *testkit.Client
			method, path string
			body         string
			status       int
		}{
			"new, same code":      {s.Test, "POST", "/v1/locations", `{"name": "X", "code": "HE"}`, 409},
			"changed to the code": {s.Test, "PATCH", "/v1/locations/" + second.ID, `{"code": "HE"}`, 409},
			"its own code again":  {s.Test, "PATCH", "/v1/locations/" + first.ID, `{"code": "HE"}`, 200},
			"no code":             {s.Test, "POST", "/v1/locations", `{"name": "X"}`, 201},
			"null":                {s.Test, "POST", "/v1/locations", `{"name": "X", "code": null}`, 201},
			"another environment": {s.Live, "POST", "/v1/locations", `{"name": "X", "code": "HE"}`, 201},
			"another dealership":  {s.Other, "POST", "/v1/locations", `{"name": "X", "code": "HE"}`, 201},
			"different case":      {s.Test, "POST", "/v1/locations", `{"name": "X", "code": "he"}`, 201},
		} {
			res := c.client.Do(c.method, c.path, c.body, c.status, nil)
			if c.status != 409 {
				continue
			}
			f := res.Fault(t)
			f.WantDetail(t, "code", "duplicate", name)
			assert.Equal(t, f.Details[0].Message, "is already used by "+first.ID, name)
		}
		s.Test.Delete("/v1/locations/"+first.ID, 204)
		s.Test.Patch("/v1/locations/"+second.ID, `{"code": "HE"}`, 200, nil)
		tally := testkit.Concurrently(t, 12, func(int) (*testkit.Response, error) {
			return s.Test.Send("POST", "/v1/locations", `{"name": "X", "code": "RACE"}`)
		})
		assert.Equal(t, tally[201], 1, "of 12 concurrent requests")
		assert.Equal(t, tally[409], 11, "of 12 concurrent requests")
	})
}

func TestLocationWithHullsIsNotDeleted(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		full, empty := s.Test.Location(), s.Test.Location()
		hull := s.Test.Hull(full, nil)
		checkRejected := func(when string) {
			s.Test.Delete("/v1/locations/"+full, 409).WantDetail(t, "location_id", "state", when)
		}
		checkRejected("with a hull")
		s.Test.Post("/v1/hulls/"+hull+"/archive", nil, 200, nil)
		checkRejected("with an archived hull, whose history refers to it")
		s.Test.Patch("/v1/hulls/"+hull, `{"location_id": "`+empty+`"}`, 200, nil)
		s.Test.Delete("/v1/locations/"+full, 204)
		s.Test.Delete("/v1/locations/"+empty, 409)
	})
}

// Either request can succeed, but a hull is never at a deleted location.
func TestDeleteLocationWhileHullsAreAdded(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for round := range 12 {
			location := s.Test.Location()
			var deleted int
			tally := testkit.Concurrently(t, 4, func(i int) (*testkit.Response, error) {
				// The delete is sent first, last or in between.
				if i == round%4 {
					res, err := s.Test.Send("DELETE", "/v1/locations/"+location, nil)
					if err == nil {
						deleted = res.StatusCode
					}
					return res, err
				}
				return s.Test.Send("POST", "/v1/hulls", testkit.HullBody(location, nil))
			})

			var list page.Page[hulls.Hull]
			s.Test.Get("/v1/hulls?location_id="+location, 200, &list)
			switch {
			case deleted == 204 && len(list.Data) == 0 && tally[422] == 3:
				s.Test.Get("/v1/locations/"+location, 404, nil)
			case deleted == 409 && len(list.Data) == tally[201] && tally[201]+tally[422] == 3:
				s.Test.Get("/v1/locations/"+location, 200, nil)
			default:
				t.Errorf("round %d: got status %d for the delete, statuses %v in total and %d hulls at the location",
					round, deleted, tally, len(list.Data))
			}
		}
	})
}

// Phone numbers of the dealership have the same formats as those of contacts.
func TestPhoneNumbersAsPeopleWriteThem(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var l dealership.Location
		s.Test.Post("/v1/locations", `{"name": "Dock", "phone": "(410) 555-0123"}`, 201, &l)
		assert.Equal(t, l.Phone, new("+14105550123"))
		s.Test.Patch("/v1/locations/"+l.ID, `{"phone": "410.555.0124"}`, 200, &l)
		assert.Equal(t, l.Phone, new("+14105550124"))
		s.Test.Patch("/v1/locations/"+l.ID, `{"name": "Dock 2"}`, 200, &l)
		assert.Equal(t, l.Phone, new("+14105550124"))

		var d dealership.Dealership
		s.Test.Patch("/v1/dealership", `{"settings": {"sender": {"sms": "410-555-0125"}}}`, 200, &d)
		assert.Equal(t, d.Settings.Sender.SMS, new("+14105550125"))
	})
}
