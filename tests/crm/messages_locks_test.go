package crm

import (
	"context"
	"testing"
	"time"

	"slipway/internal/consent"
	"slipway/internal/platform/db"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// Messages that are received for a lead lock the address before the lead, as the hooks do.
// Otherwise, two such messages of a sender would each wait for the other.
func TestReceiveLocksLikeHooks(t *testing.T) {
	s := testkit.OnPostgres(t)
	contact := s.Test.Contact(map[string]any{"phone": "+14105550123"})
	lead := s.Test.Lead(map[string]any{"contact_id": contact})
	env, locked, end, ended := s.TestEnv(), make(chan struct{}), make(chan struct{}), make(chan error)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		_, err := db.Write(ctx, s.DB, func(ctx context.Context, tx *db.Tx) (struct{}, error) {
			tx = tx.In(env)
			if err := consent.LockAddresses(ctx, tx, "+14105550123"); err != nil {
				return struct{}{}, err
			}
			close(locked)
			<-end
			// Before PostgreSQL looks for deadlocks, after a second.
			if err := db.SetLockTimeout(ctx, tx, 200*time.Millisecond); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, db.LockRow(ctx, tx, `SELECT id FROM leads WHERE env = ? AND id = ?`, env, lead)
		})
		ended <- err
	}()
	<-locked

	received := make(chan int)
	go func() {
		res, err := s.Test.Send("POST", "/v1/leads/"+lead+"/inbound_messages",
			`{"channel":"sms","from":"+14105550123","body":"Hello","provider_message_id":"SM1"}`)
		if err != nil {
			t.Error(err)
			received <- 0
			return
		}
		received <- res.StatusCode
	}()
	assert.Eventually(t, "the message to wait for the address", func() bool {
		return testkit.Rows[int64](s, `SELECT COUNT(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`)[0] == 1
	})
	close(end)
	assert.NoError(t, <-ended)
	assert.Equal(t, <-received, 201)
}
