package signature

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/testkit/assert"
)

// The reference library accepts the signature with each unexpired secret, and
// with no other secret, body, ID or time.
func TestSignAll(t *testing.T) {
	old := NewSecret()
	now := time.Now().UTC().Truncate(time.Second) // the library checks the clock
	body := []byte(`{"type":"hull.created"}`)
	secrets := Rotate([]Secret{old}, now, time.Hour)
	verify := func(s Secret, id string, at time.Time, body []byte, signature string) error {
		wh, err := standard.NewWebhook(s.Text())
		if err != nil {
			t.Fatal(err)
		}
		return wh.Verify(body, http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)},
			"Webhook-Signature": {signature}})
	}
	signature := SignAll(secrets, "evt_1", now, body)
	for _, s := range secrets {
		if err := verify(s, "evt_1", now, body, signature); err != nil {
			t.Error(err)
		}
	}

	for name, err := range map[string]error{
		"secret": verify(NewSecret(), "evt_1", now, body, signature),
		"id":     verify(old, "evt_2", now, body, signature),
		"time":   verify(old, "evt_1", now.Add(time.Second), body, signature),
		"body":   verify(old, "evt_1", now, []byte(`{"type":"hull.sold"}`), signature),
	} {
		if err == nil {
			t.Errorf("got no error for a signature with another %s", name)
		}
	}

	later := now.Add(time.Hour)
	if err := verify(old, "evt_1", now, body, SignAll(secrets, "evt_1", later, body)); err == nil {
		t.Error("got a signature by a secret that has expired")
	}
}

func TestRotate(t *testing.T) {
	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	first := NewSecret()
	second := Rotate([]Secret{first}, noon, 7*24*time.Hour)
	assert.Len(t, second, 2)
	assert.Equal(t, second[0].Until, nil)
	assert.Equal(t, *second[1].Until, noon.Add(7*24*time.Hour))
	third := Rotate(second, noon.Add(time.Hour), 30*24*time.Hour)
	assert.Len(t, third, 3, "after a second rotation")
	assert.Equal(t, *third[2].Until, noon.Add(7*24*time.Hour), "after a second rotation")
	assert.Len(t, Rotate(second, noon, 0), 1, "without overlap")
}
