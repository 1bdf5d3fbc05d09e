package crm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"slipway/internal/consent"
	"slipway/internal/contacts"
	"slipway/internal/imports"
	"slipway/internal/platform/jobs"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

func contactFile(lines ...string) testkit.File {
	return testkit.File{Type: "text/csv", Bytes: []byte(strings.Join(lines, "\n") + "\n")}
}

const contactImports = "/v2-preview/contact_imports"

// importContacts uploads a file, or starts a checked one, and runs the job.
func importContacts(t *testing.T, s *testkit.Server, path string, body any, status int) (i imports.ContactImport) {
	t.Helper()
	s.Test.Post(path, body, status, &i)
	return runContactImport(t, s, i.ID)
}

func runContactImport(t *testing.T, s *testkit.Server, id string) (i imports.ContactImport) {
	t.Helper()
	a := &imports.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs}
	assert.NoError(t, jobs.Run(t.Context(), a.RunImport, imports.RunImport{Env: s.Env("hull_imports", id), ImportID: id}))
	s.Test.Get(contactImports+"/"+id, 200, &i)
	return i
}

func contactBy(s *testkit.Server, query string) (all []contacts.Contact) {
	var p struct{ Data []contacts.Contact }
	s.Test.Get("/v1/contacts?"+query, 200, &p)
	return p.Data
}

func recordsOf(s *testkit.Server, id string) []consent.Consent {
	var p struct{ Data []consent.Consent }
	s.Test.Get("/v1/contacts/"+id+"/consents", 200, &p)
	return p.Data
}

// A file of contacts is checked, repaired and started. Duplicates are shown before anything is
// written, and a person chooses what happens to each.
func TestContactImport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var ann contacts.Contact
		s.Test.Post("/v1/contacts", `{"first_name":"Ann","last_name":"Bell","email":"ann@example.com","tags":["vip"]}`, 201, &ann)
		file := contactFile(
			"Customer,Cell Phone,E-Mail,Address,City,State,Zip,Tags,History,Comments,Slip",
			`"Bell, Ann",(410) 555-0123,Ann@Example.com,12 Dock Street,Annapolis,MD,21401,"vip, winter",Bought a Lund in 2019,Likes blue,B-12`,
			"Ben Cole,(410) 555-0124,ben@example.com,,,,,,,,",
			"Benjamin Cole,(410) 555-0124,,,,,,,Called in May,,",
			"Cy Dunn,call office,cy@example.com,,,,,,,,",
			",,,Nobody Street,,,,,,,",
			"Bay Charters LLC,,charters@example.com,,,,,,,,",
		)
		i := importContacts(t, s, contactImports+"?review=true", file, 202)
		assert.Equal(t, i.DryRun, true)
		assert.Equal(t, i.Duplicates, "skip")
		assert.Equal(t, []int64{i.Rows, i.Created, i.Updated, i.Skipped, i.Failed, i.DuplicateRows}, []int64{6, 3, 0, 2, 1, 2}, assert.Show(i.Errors))
		assert.Equal(t, i.IgnoredColumns, []string{"Slip"})
		assert.Len(t, contactBy(s, "q=cole"), 0, "nothing is saved")
		path := contactImports + "/" + i.ID

		var d struct {
			Data    []imports.ContactImportDuplicate
			HasMore bool `json:"has_more"`
		}
		s.Test.Get(path+"/duplicates?limit=1", 200, &d)
		assert.Equal(t, d.HasMore, true)
		assert.Equal(t, d.Data[0], imports.ContactImportDuplicate{
			Row: 2, Name: "Ann Bell", Email: new("ann@example.com"), Phone: new("+14105550123"), Matches: []string{"email"},
			ContactID: &ann.ID, ContactName: new("Ann Bell"), Action: "skip",
		})
		s.Test.Get(path+"/duplicates", 200, &d)
		assert.Equal(t, *d.Data[1].SameRow, 3)
		assert.Equal(t, d.Data[1].ContactID == nil, true, "the contact of row 3 doesn't exist yet")
		assert.Equal(t, d.Data[1].Matches, []string{"phone"})
		var chosen imports.ContactImportDuplicate
		s.Test.Put(path+"/duplicates/2", `{"action":"update"}`, 200, &chosen)
		assert.Equal(t, chosen.Chosen, true)
		s.Test.Put(path+"/duplicates/3", `{"action":"update"}`, 404, nil)
		s.Test.Put(path+"/duplicates/2", `{"action":"merge"}`, 422, nil)
		s.Test.Get(path, 200, &i)
		assert.Equal(t, []int64{i.Updated, i.Skipped}, []int64{1, 1})

		var rows imports.HullImportRows
		s.Test.Get(path+"/rows", 200, &rows)
		assert.Len(t, rows.Rows, 1)
		cells := rows.Rows[0].Cells
		cells[0] = "Dee Eads"
		var row imports.HullImportRow
		s.Test.Put(path+"/rows/6", map[string]any{"cells": cells}, 200, &row)
		assert.Len(t, row.Errors, 0)
		s.Test.Put(path+"/rows/6", map[string]any{"cells": cells, "fields": map[string]string{"price_usd": "1"}}, 422, nil).WantDetail(t, "fields", "enum", "")

		s.Test.Put(path+"/reading", `{"map":{"Slip":"price_usd"}}`, 422, nil).WantDetail(t, "map", "enum", "a field of hulls")
		s.Test.Put(path+"/reading", `{"map":{"Slip":"metadata.slip"},"duplicates":"update"}`, 200, &i)
		i = runContactImport(t, s, i.ID)
		assert.Equal(t, []int64{i.Created, i.Updated, i.Failed}, []int64{4, 2, 0}, assert.Show(i.Errors))

		i = importContacts(t, s, path+"/start", nil, 200)
		assert.Equal(t, i.State, "completed")
		assert.Equal(t, []int64{i.Created, i.Updated, i.Failed, i.HistoryNotes}, []int64{4, 2, 0, 3})
		assert.Len(t, i.Notes, 1)
		assert.Equal(t, i.Notes[0].Message, `"call office" is not a phone number and was left out`)
		got := contactBy(s, "email=ann@example.com")
		assert.Len(t, got, 1)
		assert.Equal(t, got[0].Tags, []string{"vip", "winter"})
		assert.Equal(t, *got[0].Address.Line1, "12 Dock Street")
		assert.Equal(t, got[0].Metadata["slip"], "B-12")
		cole := contactBy(s, "q=cole")
		assert.Len(t, cole, 1)
		assert.Equal(t, *cole[0].FirstName, "Benjamin", "the second row changed the contact of the first one")
		var acts struct{ Data []struct{ Body, Kind string } }
		s.Test.Get("/v2-preview/activities?object_id="+ann.ID, 200, &acts)
		assert.Len(t, acts.Data, 2)
		s.Test.Get("/v1/hull_imports/"+i.ID, 404, nil)
		s.Test.Put(path+"/duplicates/2", `{"action":"skip"}`, 409, nil)
		assert.Equal(t, s.EventTypes(i.ID), []string{
			"contact_import.created", "contact_import.completed", "contact_import.repaired", "contact_import.repaired", "contact_import.restarted",
			"contact_import.completed", "contact_import.restarted", "contact_import.completed",
		})

		again := importContacts(t, s, contactImports+"?duplicates=update", file, 202)
		assert.Equal(t, []int64{again.Created, again.Unchanged + again.Updated, again.HistoryNotes}, []int64{0, 5, 0}, "the same file changes nothing twice")
		fresh := importContacts(t, s, contactImports+"?duplicates=new", contactFile("First Name,Email", "Anna,ann@example.com"), 202)
		assert.Equal(t, fresh.Created, 1)
		assert.Len(t, contactBy(s, "email=ann@example.com"), 2)
	})
}

// Consents need evidence. Opt-outs don't, and are recorded for rows that are skipped too.
func TestContactImportConsents(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		var known contacts.Contact
		s.Test.Post("/v1/contacts", `{"last_name":"Known","email":"known@example.com","phone":"4105550150"}`, 201, &known)
		const header = "Last Name,Email,Phone,Text Opt-In,Email Opt In,Consent Text,Consent Date,Consent Source,Consent Scope,Consent Basis,Do Not Call,Unsubscribed"
		file := contactFile(header,
			"Full,full@example.com,4105550101,Yes,Y,I agree to texts,3/4/2026,web form,Marketing,written,,",
			"Quiet,quiet@example.com,4105550102,yes,,I agree,2026-03-04,paper,,,,",
			"Nothing,nothing@example.com,4105550103,yes,,,2026-03-04,paper,marketing,written,,",
			"Future,future@example.com,4105550104,yes,,I agree,2036-03-04,paper,marketing,written,,",
			"No,no@example.com,4105550105,no,,,,,,,,",
			"Out,out@example.com,4105550106,yes,,I agree,2026-03-04,paper,all,written,x,requested",
			"Known,known@example.com,,please stop,,,,,,,,",
			"Maybe,maybe@example.com,4105550108,maybe,,I agree,2026-03-04,paper,all,written,no,0",
		)
		i := importContacts(t, s, contactImports, file, 202)
		assert.Equal(t, []int64{i.Created, i.Skipped, i.Failed}, []int64{7, 1, 0}, assert.Show(i.Errors))
		assert.Equal(t, []int64{i.Consents, i.Unproven, i.OptOuts}, []int64{3, 2, 3}, assert.Show(i.Notes))

		reach := func(email string, want ...string) {
			t.Helper()
			c := contactBy(s, "email="+email)[0]
			var got []string
			for _, r := range recordsOf(s, c.ID) {
				got = append(got, fmt.Sprint(r.Direction, " ", r.Scope, " ", r.Channels))
			}
			assert.Equal(t, got, want, email)
		}
		reach("full@example.com", "granted marketing [sms email]")
		reach("quiet@example.com", "granted transactional [sms]")
		reach("nothing@example.com")
		reach("future@example.com")
		reach("no@example.com", "revoked marketing [sms]")
		reach("out@example.com", "granted all [sms]", "revoked all [email voice]")
		reach("known@example.com", "revoked all [sms]")
		reach("maybe@example.com")
		record := recordsOf(s, contactBy(s, "email=full@example.com")[0].ID)[0]
		assert.Equal(t, *record.ConsentText, "I agree to texts")
		assert.Equal(t, *record.Source, "web form")
		assert.Equal(t, record.CapturedAt.Format(time.DateOnly), "2026-03-04")
		assert.Equal(t, record.Evidence["import_id"], any(i.ID))
		assert.Equal(t, i.Notes[1].Message, "was not recorded, because its text is missing")

		again := importContacts(t, s, contactImports+"?duplicates=update", file, 202)
		assert.Equal(t, []int64{again.Consents, again.OptOuts}, []int64{0, 0}, "recorded once")
		after := importContacts(t, s, contactImports+"?duplicates=update", contactFile(header,
			"Known,known@example.com,4105550150,yes,,I agree,2026-06-01,paper,all,written,,"), 202)
		assert.Equal(t, after.Consents, 0, "an opt-out stays")
		assert.Equal(t, after.Notes[0].Code, "revoked")
	})
}

func TestContactImportFiles(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		book := excelize.NewFile()
		for n, row := range [][]any{{"First", "Last", "Mobile"}, {"Ann", "Bell", "410-555-0123"}} {
			assert.NoError(t, book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", n+1), &row))
		}
		var b bytes.Buffer
		assert.NoError(t, book.Write(&b))
		i := importContacts(t, s, contactImports, testkit.File{Type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Bytes: b.Bytes()}, 202)
		assert.Equal(t, i.Created, 1)

		s.Test.Post(contactImports, contactFile("Tags,Zip", "a,21401"), 400, nil).WantDetail(t, "file", "required", "nothing identifies the contacts")
		s.Test.Post(contactImports, testkit.File{Type: "application/x-ndjson", Bytes: []byte("{}")}, 415, nil)
		s.Test.Post(contactImports+"?duplicates=merge", contactFile("Email", "a@example.com"), 422, nil).WantDetail(t, "duplicates", "enum", "")
		all := importContacts(t, s, contactImports, contactFile("Email,City", ",Annapolis", "nobody,Annapolis"), 202)
		assert.Equal(t, all.State, "failed")
		res := s.Test.With("Accept", "text/csv").Get(contactImports+"/"+all.ID+"/errors", 200, nil)
		assert.Equal(t, strings.Count(string(res.Bytes), "\n"), 3)

		s.Advance(31 * 24 * time.Hour)
		assert.NoError(t, jobs.Run(t.Context(), (&imports.API{DB: s.DB, Jobs: s.Jobs, Blobs: s.Blobs}).ResumeImports, imports.ResumeImports{}))
		s.Test.Get(contactImports+"/"+all.ID, 200, &all)
		assert.Len(t, all.Errors, 0, "the texts of contacts are deleted after 30 days")
		assert.Equal(t, all.KeptUntil == nil, true)
	})
}

// An export has all contacts that match, and an import reads it.
func TestContactExport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		lines := []string{"First Name,Last Name,Email,Tags"}
		for n := range 1100 { // more than two batches
			lines = append(lines, fmt.Sprintf("=Ann,Bell %d,ann%d@example.com,a;b", n, n))
		}
		importContacts(t, s, contactImports, contactFile(lines...), 202)
		res := s.Test.With("Accept", "text/csv").Get("/v2-preview/contacts", 200, nil)
		assert.Equal(t, strings.Count(string(res.Bytes), "\n"), 1101)
		assert.Contains(t, string(res.Bytes), ",person,'=Ann,Bell 1099,,,ann1099@example.com,")
		res = s.Test.With("Accept", "text/csv").Get("/v2-preview/contacts?q=bell+10", 200, nil)
		assert.Equal(t, strings.Count(string(res.Bytes), "\n"), 112)
		s.Test.With("Accept", "text/csv").Get("/v2-preview/contacts?limit=1000", 400, nil)
		assert.Len(t, testkit.Rows[string](s, `SELECT id FROM audit_entries WHERE action = 'contact.exported'`), 2)

		i := importContacts(t, s, contactImports+"?duplicates=update", testkit.File{Type: "text/csv", Bytes: res.Bytes}, 202)
		assert.Equal(t, i.Unchanged, 111, assert.Show(i.Errors))
		s.Test.Get("/v2-preview/contacts?tag=b&limit=2", 200, nil)
	})
}
