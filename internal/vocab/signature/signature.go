// Package signature signs and verifies requests as defined by Standard Webhooks.
package signature

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// prefix of a secret as users see it.
const prefix = "whsec_"

// Tolerance is how far the time of a signature can be from the current time.
const Tolerance = 5 * time.Minute

// Format returns a secret as users see it.
func Format(key []byte) string { return prefix + base64.StdEncoding.EncodeToString(key) }

// Parse parses the output of Format.
func Parse(text string) (key []byte, err error) {
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(text, prefix))
}

// The length of a secret, in bytes, as Standard Webhooks recommends.
const (
	minKey = 24
	maxKey = 64
)

// IsSecret reports whether a text is a secret that is long enough.
func IsSecret(text string) bool {
	key, err := Parse(text)
	return err == nil && strings.HasPrefix(text, prefix) && len(key) >= minKey && len(key) <= maxKey
}

// Sign returns the signature of a body that is sent with this ID at this time.
func Sign(key []byte, id string, at time.Time, body []byte) string {
	return "v1," + base64.StdEncoding.EncodeToString(sum(key, id, strconv.FormatInt(at.Unix(), 10), body))
}

func sum(key []byte, id, timestamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return mac.Sum(nil)
}

// Headers are the headers of a signed request.
type Headers struct{ ID, Timestamp, Signature string }

// maxSignatures is how many signatures a request can have. A sender signs with
// two secrets while it replaces one.
const maxSignatures = 10

// Verify returns an error unless one of the signatures is valid for the body and
// not too old. A request that is repeated later is too old.
func Verify(key []byte, h Headers, body []byte, now time.Time) error {
	seconds, err := strconv.ParseInt(h.Timestamp, 10, 64)
	if err != nil || h.ID == "" || h.Signature == "" {
		return errors.New("the headers webhook-id, webhook-timestamp and webhook-signature are required")
	}
	if at := time.Unix(seconds, 0); at.Before(now.Add(-Tolerance)) || at.After(now.Add(Tolerance)) {
		return errors.New("webhook-timestamp is more than five minutes from the current time")
	}

	want := sum(key, h.ID, h.Timestamp, body)
	for i, one := range strings.Fields(h.Signature) {
		text, isV1 := strings.CutPrefix(one, "v1,")
		got, err := base64.StdEncoding.DecodeString(text)
		if i < maxSignatures && isV1 && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("webhook-signature is not valid")
}
