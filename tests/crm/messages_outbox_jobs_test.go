package crm

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"slipway/internal/leads"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// files lists the outbox folder.
func files(t *testing.T, s *testkit.Server) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Messages in the outbox folder must not outlive the contact that they were sent
// to, nor the time that events are stored.
func TestOutboxFolderIsSwept(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		setClock(t, s, noon(s))
		folder := filepath.Join(s.Data, "outbox")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		old := s.DB.Now().Add(-31 * 24 * time.Hour)
		for name, at := range map[string]time.Time{"old.eml": old, "old.sms.json": old, "other.txt": old, "new.eml": s.DB.Now()} {
			file := filepath.Join(folder, name)
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
		s.RunJobs()
		remaining := []string{filepath.Join(folder, "new.eml"), filepath.Join(folder, "other.txt")}
		assert.Eventually(t, "swept", func() bool { return len(files(t, s)) == 2 })
		assert.Equal(t, files(t, s), remaining)

		path := leadWithConsent(s, nil)
		s.Test.Post(path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`, 202, nil)
		s.Test.Post(path+"/messages", `{"channel":"email","purpose":"transactional","subject":"Your boat","body":"She is ready."}`, 202, nil)
		assert.Eventually(t, "written", func() bool { return len(files(t, s)) == 4 })
		assert.Eventually(t, "recorded", func() bool {
			return testkit.Rows[int64](s, `SELECT COUNT(*) FROM messages WHERE status = 'sent'`)[0] == 2
		})

		var l leads.Lead
		s.Test.Get(path, 200, &l)
		s.Test.Delete("/v1/contacts/"+l.ContactID, 204)
		assert.Eventually(t, "deleted", func() bool { return len(files(t, s)) == 2 })
		assert.Equal(t, files(t, s), remaining)
	})
}
