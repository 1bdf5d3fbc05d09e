package signature

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"slipway/internal/testkit/assert"
)

var key = []byte("0123456789abcdef0123456789abcdef")

// What the reference library signs is accepted, and it accepts what Sign returns.
func TestReferenceLibrary(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Second) // the library checks the clock
	body := []byte(`{"text":"STOP"}`)
	wh, err := standard.NewWebhook(Format(key))
	if err != nil {
		t.Fatal(err)
	}

	signed, err := wh.Sign("id_1", now, body)
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(key, Headers{"id_1", strconv.FormatInt(now.Unix(), 10), signed}, body, now); err != nil {
		t.Errorf("got %v for a signature of the library", err)
	}
	h := http.Header{"Webhook-Id": {"id_1"}, "Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {Sign(key, "id_1", now, body)}}
	if err := wh.Verify(body, h); err != nil {
		t.Errorf("the library returned %v", err)
	}
}

func TestVerify(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	body := []byte(`{"text":"STOP"}`)
	other := []byte("another key, which is not the one")
	stamp := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
	good := Headers{"id_1", stamp(now), Sign(key, "id_1", now, body)}
	for name, c := range map[string]struct {
		headers Headers
		body    string
		ok      bool
	}{
		"valid":              {good, string(body), true},
		"two secrets":        {Headers{"id_1", stamp(now), Sign(other, "id_1", now, body) + " " + good.Signature}, string(body), true},
		"another body":       {good, `{"text":"START"}`, false},
		"another ID":         {Headers{"id_2", good.Timestamp, good.Signature}, string(body), false},
		"another time":       {Headers{"id_1", stamp(now.Add(time.Second)), good.Signature}, string(body), false},
		"another key":        {Headers{"id_1", stamp(now), Sign(other, "id_1", now, body)}, string(body), false},
		"another scheme":     {Headers{"id_1", stamp(now), strings.Replace(good.Signature, "v1,", "v1a,", 1)}, string(body), false},
		"no scheme":          {Headers{"id_1", stamp(now), strings.TrimPrefix(good.Signature, "v1,")}, string(body), false},
		"no signature":       {Headers{"id_1", stamp(now), ""}, string(body), false},
		"only a scheme":      {Headers{"id_1", stamp(now), "v1,"}, string(body), false},
		"no ID":              {Headers{"", stamp(now), Sign(key, "", now, body)}, string(body), false},
		"no time":            {Headers{"id_1", "", good.Signature}, string(body), false},
		"a huge time":        {Headers{"id_1", strings.Repeat("9", 40), good.Signature}, string(body), false},
		"many signatures":    {Headers{"id_1", stamp(now), strings.Repeat("v1,AA== ", 100) + good.Signature}, string(body), false},
		"four minutes ago":   {at(now.Add(-4*time.Minute), body), string(body), true},
		"six minutes ago":    {at(now.Add(-6*time.Minute), body), string(body), false},
		"six minutes ahead":  {at(now.Add(6*time.Minute), body), string(body), false},
		"a repeat in a week": {at(now.Add(-7*24*time.Hour), body), string(body), false},
	} {
		if err := Verify(key, c.headers, []byte(c.body), now); (err == nil) != c.ok {
			t.Errorf("%s: got %v, want valid: %v", name, err, c.ok)
		}
	}
}

func at(when time.Time, body []byte) Headers {
	return Headers{"id_1", strconv.FormatInt(when.Unix(), 10), Sign(key, "id_1", when, body)}
}

func TestIsSecret(t *testing.T) {
	for text, want := range map[string]bool{
		Format(key): true, Format(make([]byte, 24)): true, Format(make([]byte, 64)): true,
		Format(make([]byte, 23)): false, Format(make([]byte, 65)): false, "whsec_": false, "": false, "whsec_not base64": false,
		strings.TrimPrefix(Format(key), "whsec_"): false,
	} {
		assert.Equal(t, IsSecret(text), want, text)
	}
}
