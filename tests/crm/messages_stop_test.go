package crm

import (
	"context"
	"testing"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// A STOP is recorded although many messages to the sender and to others are being created.
func TestStopDuringManySends(t *testing.T) {
	s := testkit.OnPostgres(t)
	setClock(t, s, noon(s))
	p := newProvider(t, s, s.Test, ownNumber, twilioToken)
	contact := s.Test.Contact(map[string]any{"phone": "+14105550123"})
	path := "/v1/leads/" + s.Test.Lead(map[string]any{"contact_id": contact})
	s.Test.Post(path+"/consents", `{"channels":["sms"],"scope":"all","basis":"express_written","consent_text":"I agree."}`, 201, nil)

	env, locked, end, ended := s.TestEnv(), make(chan struct{}), make(chan struct{}), make(chan error)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		_, err := db.Write(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			_, err := db.One[string](ctx, tx, `SELECT id FROM contacts WHERE env = ? AND id = ? FOR UPDATE`, env, contact)
			close(locked)
			<-end
			return struct{}{}, err
		})
		ended <- err
	}()
	<-locked

	const sends = 60
	statuses := make(chan int, sends)
	for range sends {
		go func() {
			res, err := s.Test.Send("POST", path+"/messages", `{"channel":"sms","purpose":"transactional","body":"She is ready."}`)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			statuses <- res.StatusCode
		}()
	}
	assert.Eventually(t, "the sends to wait", func() bool {
		for _, l := range s.Router.Load() {
			if l.Class == "writes" && l.Waiting == sends-1 {
				return true
			}
		}
		return false
	})

	p.send(text("SM1", "+14105550188", ownNumber, "STOP"), 200) // of another sender, while the contact is locked
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		p.send(text("SM2", "+14105550123", ownNumber, "STOP"), 200)
	}()
	assert.Eventually(t, "the STOP to wait for the contact", func() bool {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)[0] == 2
	})
	close(end)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-stopped

	tally := map[int]int{}
	for range sends {
		tally[<-statuses]++
	}
	if tally[202]+tally[422]+tally[429] != sends || tally[422] == 0 {
		t.Errorf("got the statuses %v, want sends after the STOP to be blocked with 422", tally)
	}
	if code := blockCode(t, s, path, "sms", "transactional"); code != "consent_revoked" {
		t.Errorf("got %q for a message after the STOP, want consent_revoked", code)
	}
}
