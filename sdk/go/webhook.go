package slipway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// EventData is the data of an event. Event.Object decodes the object.
type EventData struct {
	Object   json.RawMessage            `json:"object"`
	Previous map[string]json.RawMessage `json:"previous"` // old values of the changed fields
}

// Object returns the object of the event: a *Hull for hull.created, for example. It
// returns nil for a type of event that this SDK doesn't know.
//
//	switch o := object.(type) {
//	case *slipway.Hull:
func (e *Event) Object() (any, error) {
	create := eventObjects[e.Type]
	if create == nil {
		return nil, nil
	}
	o := create()
	return o, json.Unmarshal(e.Data.Object, o)
}

// ErrSignature is the error of a message that wasn't signed with the secret, or too long ago.
var ErrSignature = errors.New("slipway: invalid webhook signature")

// tolerance is how old a message can be, so that a recorded message can't be sent again.
const tolerance = 5 * time.Minute

// ParseWebhook verifies the signature of a message that your webhook received, and returns
// its event. The body must be the bytes that were received. Pass the header of the
// request. The secret starts with whsec_.
func ParseWebhook(body []byte, header http.Header, secret string) (*Event, error) {
	return parseWebhook(body, header, secret, time.Now())
}

func parseWebhook(body []byte, header http.Header, secret string, now time.Time) (*Event, error) {
	if err := verify(body, header, secret, now); err != nil {
		return nil, err
	}
	e := new(Event)
	return e, json.Unmarshal(body, e)
}

// verify implements https://www.standardwebhooks.com.
func verify(body []byte, header http.Header, secret string, now time.Time) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("slipway: the webhook secret must be whsec_ and base64")
	}
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return ErrSignature
	}

	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	for _, s := range strings.Fields(header.Get("webhook-signature")) { // one for each active secret
		encoded, ok := strings.CutPrefix(s, "v1,")
		got, err := base64.StdEncoding.DecodeString(encoded)
		if ok && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
