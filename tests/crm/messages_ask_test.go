package crm

import (
	"errors"
	"testing"
	"time"

	"slipway/internal/messages"
	"slipway/internal/platform/jobs"
	"slipway/internal/platform/sms"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// ask runs the job that asks the provider about a message in doubt, if there is one.
func (w *worker) ask(t *testing.T) (asked bool) {
	t.Helper()
	if len(testkit.Rows[int64](w.s, `SELECT id FROM river_job WHERE kind = 'ask_provider'`)) == 0 {
		return false
	}
	job := testkit.LastJob[messages.AskProvider](w.s)
	w.s.Exec(`DELETE FROM river_job WHERE kind = 'ask_provider'`)
	assert.NoError(t, jobs.Run(t.Context(), w.AskProvider, job))
	return true
}

// Slipway asks the provider about a message that might have been sent. If the provider has it,
// it was sent. If the provider certainly doesn't, it is sent again. If the provider can't be
// asked, a person decides.
func TestAskProvider(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		lose := func() (m messages.LeadMessage) {
			t.Helper()
			s.Test.Post(path+"/messages", aText, 202, &m)
			assert.NoError(t, w.sendAll(t))
			m = messagesOf(s, path)[0]
			assert.Equal(t, m.Status, messages.Unknown)
			return m
		}
		status := func() messages.MessageStatus { return messagesOf(s, path)[0].Status }

		// Accepted, but the answer was lost. Another message with the same text is not it.
		s.Test.Post(path+"/messages", aText, 202, nil)
		assert.NoError(t, w.sendAll(t))
		net.silent = 1
		lost := lose()
		assert.Equal(t, w.ask(t), true)
		m := messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Sent)
		assert.Equal(t, *m.ProviderMessageID, "net-"+lost.ID)
		assert.Equal(t, len(net.messages()), 2)

		// Not accepted: it is sent again when the provider can't be busy with it any more.
		net.next = []error{&sms.Unanswered{Err: errors.New("timeout")}}
		again := lose()
		for range 2 {
			assert.Equal(t, w.ask(t), true)
			assert.Equal(t, status(), messages.Unknown)
		}
		assert.Equal(t, w.ask(t), true)
		assert.Equal(t, status(), messages.Queued)
		assert.NoError(t, w.sendAll(t))
		assert.Equal(t, status(), messages.Sent)
		assert.Equal(t, len(net.messages()), 3)
		assert.Equal(t, net.messages()[2].Token, again.ID)
		assert.Equal(t, w.ask(t), false)

		// The provider can't be asked for hours.
		net.next = []error{&sms.Unanswered{Err: errors.New("timeout")}}
		lose()
		net.unreachable = errors.New("unavailable")
		for w.ask(t) {
			assert.Equal(t, status(), messages.Unknown)
		}
		assert.Equal(t, len(net.messages()), 3)

		// A person was faster.
		net.unreachable, net.next = nil, []error{&sms.Unanswered{Err: errors.New("timeout")}}
		decided := lose()
		s.Test.Post("/v2-preview/unknown_messages/"+decided.ID+"/resolve", map[string]string{"outcome": "not_sent"}, 200, nil)
		assert.Equal(t, w.ask(t), true)
		assert.Equal(t, status(), messages.Failed)
		assert.Equal(t, w.ask(t), false)
	})
}

// A server that was given up, for example because it was frozen, still records that the
// provider accepted its message.
func TestLateResultOfAGivenUpServer(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		net := &textProvider{}
		w := newWorker(t, s, nil, net)
		path := leadWithConsent(s, nil)
		var m messages.LeadMessage
		s.Test.Post(path+"/messages", aText, 202, &m)
		job := messages.SendMessage{Env: w.env, MessageID: m.ID}
		net.during = func() { // another server takes over while this one waits for the provider
			s.Advance(5 * time.Minute)
			assert.NoError(t, jobs.Run(t.Context(), w.SendMessage, job))
			assert.Equal(t, messagesOf(s, path)[0].Status, messages.Unknown)
		}
		assert.NoError(t, jobs.Run(t.Context(), w.SendMessage, job))
		m = messagesOf(s, path)[0]
		assert.Equal(t, m.Status, messages.Sent)
		assert.Equal(t, m.ErrorCode, nil)
		assert.Equal(t, len(net.messages()), 1)
	})
}
