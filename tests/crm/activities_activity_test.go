package crm

import (
	"maps"
	"testing"
	"time"

	"slipway/internal/activities"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

const activitiesPath = "/v2-preview/activities"

func createActivity(c *testkit.Client, changes map[string]any) (a activities.Activity) {
	body := map[string]any{"kind": "note", "body": "Prefers the blue one"}
	maps.Copy(body, changes)
	if body["object_id"] == nil {
		body["object_id"] = c.Lead(nil)
	}
	c.Post(activitiesPath, body, 201, &a)
	return a
}

func list(c *testkit.Client, query string) (ids []string) {
	var p page.Page[activities.Activity]
	c.Get(activitiesPath+"?"+query, 200, &p)
	ids = []string{}
	for _, a := range p.Data {
		ids = append(ids, a.ID)
	}
	return ids
}

func TestActivities(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		p := s.Person("sales")
		lead := s.Test.Lead(nil)
		a := createActivity(p.Client, map[string]any{"object_id": lead, "kind": "call", "outcome": "left voicemail"})
		assert.Equal(t, a.ObjectType, "lead")
		assert.Equal(t, *a.UserID, p.ID, "defaults to the session's user")
		assert.Equal(t, a.Author, auth.Actor{Type: "user", ID: p.ID, Label: "Uma"})
		assert.Equal(t, a.OccurredAt, a.CreatedAt, "defaults to now")
		var found activities.Activity
		s.Test.Get(activitiesPath+"/"+a.ID, 200, &found)
		assert.Equal(t, found, a)
		assert.Equal(t, createActivity(s.Test, nil).Author.Type, "api_key")

		due := s.DB.Now().Add(24 * time.Hour).UTC().Truncate(time.Second)
		task := createActivity(s.Test, map[string]any{"object_id": lead, "kind": "task", "due_at": due, "user_id": p.ID})
		assert.Equal(t, *task.DueAt, due)
		var done activities.Activity
		s.Test.With("If-Match", `"1"`).Patch(activitiesPath+"/"+task.ID, map[string]any{"done_at": s.DB.Now(), "outcome": "ok"}, 200, &done)
		assert.Equal(t, done.DoneAt != nil && *done.Outcome == "ok" && *done.Body == "Prefers the blue one", true)
		s.Test.With("If-Match", `"1"`).Delete(activitiesPath+"/"+task.ID, 409)
		s.Test.Patch(activitiesPath+"/"+task.ID, `{"done_at": null, "body": "Another"}`, 200, &done)
		assert.Equal(t, done.DoneAt, nil)
		s.Test.Delete(activitiesPath+"/"+task.ID, 204)
		s.Test.Get(activitiesPath+"/"+task.ID, 404, nil)
		assert.Equal(t, s.EventTypes(task.ID),
			[]string{"activity.created", "activity.updated", "activity.updated", "activity.deleted"})
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted} WHERE object_id = ?`, task.ID) {
			assert.Excludes(t, data, "Prefers the blue one", "events of a deleted activity")
			assert.Excludes(t, data, "Another", "events of a deleted activity")
		}
		for _, changes := range testkit.Rows[string](s, `SELECT changes FROM audit_entries WHERE action LIKE 'activity.%'`) {
			assert.Excludes(t, changes, "Prefers", "audit log")
			assert.Excludes(t, changes, "voicemail", "audit log")
		}
	})
}

func TestListActivities(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lead, user := s.Test.Lead(nil), s.Test.User(nil)
		soon, later := s.DB.Now().Add(time.Hour).UTC().Truncate(time.Second), s.DB.Now().Add(72*time.Hour)
		note := createActivity(s.Test, map[string]any{"object_id": lead}).ID
		open := createActivity(s.Test, map[string]any{"object_id": lead, "kind": "task", "due_at": soon, "user_id": user}).ID
		last := createActivity(s.Test, map[string]any{"kind": "task", "due_at": later, "user_id": user}).ID
		done := createActivity(s.Test, map[string]any{"object_id": lead, "kind": "task", "due_at": soon, "done_at": s.DB.Now()}).ID
		for query, want := range map[string][]string{
			"":                  {done, last, open, note},
			"object_id=" + lead: {done, open, note},
			"kind=note":         {note},
			"user_id=" + user:   {last, open},
			"done=false":        {last, open},
			"done=true":         {done},
			"due_before=" + soon.Format(time.RFC3339):                             {},
			"done=false&due_before=" + soon.Add(time.Second).Format(time.RFC3339): {open},
			"limit=2&starting_after=" + done:                                      {last, open},
			"object_id=lead_00000000000000000000000000":                           {},
		} {
			assert.Equal(t, list(s.Test, query), want, query)
		}
		s.Test.Get(activitiesPath+"?object_id=usr_00000000000000000000000000", 400, nil).WantDetail(t, "object_id", "format")
		s.Test.Get(activitiesPath+"?object_id=lead_1", 400, nil).WantDetail(t, "object_id", "format")
	})
}

// Each type of object has its own scopes. A list without an object has only what the
// caller can read.
func TestActivityScopes(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		objects := map[string]string{
			"lead": s.Test.Lead(nil), "contact": s.Test.Contact(nil), "deal": s.Test.Deal(nil), "hull": s.Test.Hull(s.Test.Location(), nil),
		}
		ids := map[string]string{}
		for name, object := range objects {
			ids[name] = createActivity(s.Test, map[string]any{"object_id": object}).ID
		}
		for _, c := range []struct {
			read, write auth.Scope
			nouns       []string
		}{
			{auth.LeadsRead, auth.LeadsWrite, []string{"lead", "contact"}},
			{auth.DealsRead, auth.DealsWrite, []string{"deal"}},
			{auth.HullsRead, auth.HullsWrite, []string{"hull"}},
		} {
			reader, writer := s.As(s.Key(c.read)), s.As(s.Key(c.write))
			own := map[string]bool{}
			for _, n := range c.nouns {
				own[n] = true
			}
			for name, object := range objects {
				status := func(ok int) int {
					if own[name] {
						return ok
					}
					return 403
				}
				reader.Get(activitiesPath+"/"+ids[name], status(200), nil)
				reader.Get(activitiesPath+"?object_id="+object, status(200), nil)
				reader.Patch(activitiesPath+"/"+ids[name], `{"outcome": "x"}`, 403, nil)
				writer.Get(activitiesPath+"/"+ids[name], 403, nil)
				writer.Patch(activitiesPath+"/"+ids[name], `{"outcome": "x"}`, status(200), nil)
				var created activities.Activity
				res := writer.Post(activitiesPath, map[string]any{"object_id": object, "kind": "note", "body": "x"}, status(201), &created)
				if !own[name] {
					res.WantDetail(t, "Authorization", "scope", name)
					writer.Delete(activitiesPath+"/"+ids[name], 403)
					continue
				}
				writer.Delete(activitiesPath+"/"+created.ID, 204)
			}
			assert.Equal(t, len(list(reader, "")), len(c.nouns), string(c.read))
			for _, id := range list(reader, "") {
				reader.Get(activitiesPath+"/"+id, 200, nil)
			}
		}
		both := s.As(s.Key(auth.DealsRead, auth.HullsRead))
		assert.Equal(t, len(list(both, "")), 2)
		s.As(s.Key(auth.Admin)).Get(activitiesPath, 403, nil)
	})
}

func TestInvalidActivities(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		gone := s.Test.User(nil)
		s.Test.Post("/v1/users/"+gone+"/deactivate", nil, 200, nil)
		erased := s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": erased})
		s.Test.Delete("/v1/contacts/"+erased, 204)
		later, foreign := s.DB.Now().Add(time.Hour), s.Other.Hull(s.Other.Location(), nil)
		for name, c := range map[string]struct {
			changes     map[string]any
			status      int
			field, code string
		}{
			"lead of the other mode":    {map[string]any{"object_id": s.Live.Lead(nil)}, 422, "object_id", "not_found"},
			"hull of another dealer":    {map[string]any{"object_id": foreign}, 422, "object_id", "not_found"},
			"unknown deal":              {map[string]any{"object_id": "deal_00000000000000000000000000"}, 422, "object_id", "not_found"},
			"unknown contact":           {map[string]any{"object_id": "con_00000000000000000000000000"}, 422, "object_id", "not_found"},
			"another type":              {map[string]any{"object_id": s.Test.Location()}, 422, "object_id", "format"},
			"not an ID":                 {map[string]any{"object_id": "lead_x"}, 422, "object_id", "format"},
			"erased contact":            {map[string]any{"object_id": erased}, 409, "contact_id", "state"},
			"lead of an erased contact": {map[string]any{"object_id": lead}, 409, "contact_id", "state"},
			"unknown user":              {map[string]any{"user_id": "usr_1"}, 422, "user_id", "not_found"},
			"deactivated user":          {map[string]any{"user_id": gone}, 422, "user_id", "state"},
			"a due note":                {map[string]any{"due_at": later}, 422, "due_at", "exclusive"},
			"a done call":               {map[string]any{"kind": "call", "done_at": s.DB.Now()}, 422, "done_at", "exclusive"},
			"done in the future":        {map[string]any{"kind": "task", "done_at": later}, 422, "done_at", "maximum"},
			"a call in the future":      {map[string]any{"kind": "call", "occurred_at": later}, 422, "occurred_at", "maximum"},
			"blank":                     {map[string]any{"body": "  "}, 422, "body", "too_short"},
		} {
			body := map[string]any{"kind": "note", "body": "x", "object_id": s.Test.Lead(nil)}
			maps.Copy(body, c.changes)
			s.Test.Post(activitiesPath, body, c.status, nil).WantDetail(t, c.field, c.code, name)
		}
		assert.Equal(t, list(s.Test, ""), []string{})
		task := createActivity(s.Test, map[string]any{"kind": "task", "due_at": later})
		s.Test.Patch(activitiesPath+"/"+task.ID, `{"kind": "note"}`, 422, nil).WantDetail(t, "due_at", "exclusive")
		s.Test.Patch(activitiesPath+"/"+task.ID, map[string]any{"user_id": gone}, 422, nil).WantDetail(t, "user_id", "state")
	})
}

// Activities follow their contact: a merge moves them, and an erasure removes the
// text of those on the contact, its leads and its deals.
func TestContactOfActivity(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		duplicate, contact := s.Test.Contact(nil), s.Test.Contact(nil)
		lead := s.Test.Lead(map[string]any{"contact_id": duplicate})
		deal := s.Test.Deal(map[string]any{"buyer_id": duplicate})
		var ids []string
		for _, object := range []string{duplicate, lead, deal} {
			ids = append(ids, createActivity(s.Test, map[string]any{"object_id": object, "outcome": "secret words"}).ID)
		}
		other := createActivity(s.Test, nil)
		s.Test.Post("/v1/contacts/"+contact+"/merge", map[string]any{"duplicate_id": duplicate}, 200, nil)
		assert.Equal(t, list(s.Test, "object_id="+contact), ids[:1])
		var export struct{ Activities []activities.Activity }
		s.Test.Get("/v1/contacts/"+contact+"/export", 200, &export)
		assert.Len(t, export.Activities, 3)

		s.Test.Post("/v1/deals/"+deal+"/cancel", `{"reason": "x"}`, 200, nil)
		s.Test.Delete("/v1/contacts/"+contact, 204)
		for _, id := range ids {
			var a activities.Activity
			s.Test.Get(activitiesPath+"/"+id, 200, &a)
			assert.Equal(t, a.Body == nil && a.Outcome == nil, true, id)
		}
		for _, data := range testkit.Rows[string](s, `SELECT data FROM {emitted}`) {
			assert.Excludes(t, data, "secret words", "events")
		}
		s.Test.Get(activitiesPath+"/"+other.ID, 200, &other)
		assert.Equal(t, *other.Body, "Prefers the blue one", "of another contact")
	})
}

// A call is work on the lead. A task is not yet.
func TestActivityTouchesLead(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lead := s.Test.Lead(nil)
		touched := func() (l struct {
			At time.Time `json:"last_touched_at"`
		}) {
			s.Test.Get("/v1/leads/"+lead, 200, &l)
			return l
		}
		before := touched()
		s.Advance(time.Hour)
		createActivity(s.Test, map[string]any{"object_id": lead, "kind": "task"})
		assert.Equal(t, touched(), before)
		createActivity(s.Test, map[string]any{"object_id": lead, "kind": "call"})
		assert.Equal(t, touched().At.After(before.At), true)
	})
}
