package crm

import (
	"slices"
	"testing"

	"slipway/internal/contacts"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/page"
)

func TestCreateGetUpdate(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var c, got contacts.Contact
		res := s.Test.Post("/v1/contacts", `{"first_name":"Ann","last_name":" Bell ","email":"Ann@Example.com","phone":"(410) 555-0123",
			"address":{"city":"Annapolis","region":"MD"},"timezone":"America/New_York","tags":["boat show"],"metadata":{"a":"1"}}`, 201, &c)
		assert.Equal(t, res.Header.Get("ETag"), `"1"`)
		assert.Equal(t, c.Email, new("ann@example.com"))
		assert.Equal(t, c.Phone, new("+14105550123"))
		assert.Equal(t, c.LastName, new("Bell"))
		assert.Equal(t, c.Address.City, new("Annapolis"))
		assert.Equal(t, c.Address.Line1, nil)

		read := s.Test.Get("/v1/contacts/"+c.ID, 200, nil)
		assert.Equal(t, string(read.Bytes), string(res.Bytes), "read after create")
		s.Test.Patch("/v1/contacts/"+c.ID, `{"phone":null,"address":{"line1":"12 Dock Street"},"tags":null,"metadata":{"a":null,"b":"2"}}`,
			200, &got)
		assert.Equal(t, got.Phone, nil)
		assert.Equal(t, got.Address.Line1, new("12 Dock Street"))
		assert.Equal(t, got.Address.City, new("Annapolis"))
		assert.Len(t, got.Tags, 0)
		assert.Equal(t, got.Metadata["b"], "2")
		assert.Equal(t, len(got.Metadata), 1)
		assert.Equal(t, got.Version, 2)

		f := s.Test.Post("/v1/contacts", `{"email":"ann@example.com.","phone":"12","timezone":"Mars"}`, 422, nil).Fault(t)
		for field, code := range map[string]string{"email": "format", "phone": "format", "timezone": "enum"} {
			f.WantDetail(t, field, code)
		}
		s.Test.Post("/v1/contacts", `{}`, 400, nil)
		s.Test.Patch("/v1/contacts/"+c.ID, `{"first_name":null,"last_name":null,"email":null}`, 400, nil)
		s.Test.With("If-Match", `"1"`).Patch("/v1/contacts/"+c.ID, `{"first_name":"Anna"}`, 409, nil).WantDetail(t, "If-Match", "stale")
	})
}

func TestFilters(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		ann := s.Test.Contact(map[string]any{"first_name": "Ann", "last_name": "Bell", "email": "ann@example.com", "phone": "+14105550123",
			"tags": []string{"Boat Show", "vip"}})
		zoe := s.Test.Contact(map[string]any{"first_name": "Zoë", "last_name": "Bellamy", "email": "zoe@example.org", "phone": "+12125550199"})
		inc := s.Test.Contact(map[string]any{"kind": "company", "company_name": "Severn Charters", "first_name": nil, "last_name": nil,
			"email": "ann@example.com", "phone": nil})
		for query, want := range map[string][]string{
			"":                                    {inc, zoe, ann},
			"email=ANN@example.com":               {inc, ann},
			"phone=(410)%20555-0123":              {ann},
			"phone=nonsense":                      {},
			"q=bell":                              {zoe, ann},
			"q=bell+ann":                          {ann},
			"q=zoe":                               {zoe},
			"q=zo%C3%AB":                          {zoe},
			"q=charters":                          {inc},
			"q=555-0199":                          {zoe},
			"q=410%20555%200123":                  {ann},
			"q=tag":                               {},
			"q=!":                                 {},
			"tag=boat%20show":                     {ann},
			"tag=boat":                            {},
			"tag=vip&q=ann":                       {ann},
			"gone=true":                           {},
			"updated_after=2199-01-01T00:00:00Z":  {},
			"created_before=2020-01-01T00:00:00Z": {},
		} {
			var p page.Page[contacts.Contact]
			s.Test.Get("/v1/contacts?"+query, 200, &p)
			ids := []string{}
			for _, c := range p.Data {
				ids = append(ids, c.ID)
				if c.ID == ann && !slices.Equal(c.PossibleDuplicates, []string{inc}) {
					t.Errorf("%s: got duplicates %v, want %s", query, c.PossibleDuplicates, inc)
				}
			}
			if !slices.Equal(ids, want) {
				t.Errorf("%s: %v, want %v", query, ids, want)
			}
		}

		var c contacts.Contact
		s.Test.Get("/v1/contacts/"+inc, 200, &c)
		assert.Equal(t, c.PossibleDuplicates, []string{ann})
		s.Test.Patch("/v1/contacts/"+ann, `{"last_name":"Shore"}`, 200, nil)

		var p page.Page[contacts.Contact]
		if s.Test.Get("/v1/contacts?q=shore", 200, &p); len(p.Data) != 1 {
			t.Error("not found by a new name")
		}
		if s.Test.Get("/v1/contacts?q=bell+ann", 200, &p); len(p.Data) != 0 {
			t.Error("found by an old name")
		}
	})
}

// Possible duplicates are listed newest first, whether they share the email, the
// phone or both.
func TestPossibleDuplicatesOrder(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		byEmail := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": nil})
		byPhone := s.Test.Contact(map[string]any{"email": nil, "phone": "+14105550123"})
		ann := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": "+14105550123"})
		both := s.Test.Contact(map[string]any{"email": "ann@example.com", "phone": "+14105550123"})
		newest := s.Test.Contact(map[string]any{"email": nil, "phone": "+14105550123"})
		want := []string{newest, both, byPhone, byEmail}

		var c contacts.Contact
		s.Test.Get("/v1/contacts/"+ann, 200, &c)
		assert.Equal(t, c.PossibleDuplicates, want, "retrieve")

		var p page.Page[contacts.Contact]
		s.Test.Get("/v1/contacts", 200, &p)
		i := slices.IndexFunc(p.Data, func(c contacts.Contact) bool { return c.ID == ann })
		assert.Equal(t, p.Data[i].PossibleDuplicates, want, "list")
	})
}

// The audit log contains no personal data, because it can't be erased.
func TestAuditWithoutPersonalData(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		id := s.Test.Contact(nil)
		s.Test.Patch("/v1/contacts/"+id, `{"first_name":"Anna","metadata":{"ssn":"123"},"kind":"company","company_name":"Bell Charters"}`,
			200, nil)
		entries := testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE target_id = ? ORDER BY id DESC`, id)
		assert.Len(t, entries, 2)
		assert.Equal(t, entries[0], `{"kind":["person","company"]}`)
	})
}
