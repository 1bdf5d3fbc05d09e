package photolink

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"
)

func mac(data []byte) []byte {
	h := hmac.New(sha256.New, []byte("key"))
	h.Write(data)
	return h.Sum(nil)
}

func TestExpiry(t *testing.T) {
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ now, want time.Time }{
		"midnight":          {day, day.AddDate(0, 0, 8)},
		"end of the day":    {day.Add(24*time.Hour - time.Second), day.AddDate(0, 0, 8)},
		"next day":          {day.AddDate(0, 0, 1), day.AddDate(0, 0, 9)},
		"another time zone": {day.In(time.FixedZone("", -5*60*60)), day.AddDate(0, 0, 8)},
	} {
		if got := Expiry(c.now); !got.Equal(c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	const photo = "01jcqz8t5n8m2x4v6b7c9d0e1f"
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	expires := Expiry(now).Unix()
	sig := signature(mac, photo, expires)
	valid := fmt.Sprintf("%d.%s", expires, sig)
	lifetime := expires - now.Unix()

	for name, c := range map[string]struct {
		pass, photo string
		now         time.Time
		seconds     int64
		ok          bool
	}{
		"new link":             {valid, photo, now, lifetime, true},
		"last second":          {valid, photo, now.Add(time.Duration(lifetime-1) * time.Second), 1, true},
		"expired":              {valid, photo, now.Add(time.Duration(lifetime) * time.Second), 0, false},
		"another photo":        {valid, "01jcqz8t5n8m2x4v6b7c9d0e1g", now, 0, false},
		"extended":             {fmt.Sprintf("%d.%s", expires+1, sig), photo, now, 0, false},
		"signature missing":    {fmt.Sprintf("%d.", expires), photo, now, 0, false},
		"signature incomplete": {valid[:len(valid)-1], photo, now, 0, false},
		"expiry missing":       {"." + sig, photo, now, 0, false},
		"expiry not a number":  {"soon." + sig, photo, now, 0, false},
		"no period":            {sig, photo, now, 0, false},
		"empty":                {"", photo, now, 0, false},
	} {
		seconds, ok := Check(mac, c.pass, c.photo, c.now)
		if seconds != c.seconds || ok != c.ok {
			t.Errorf("%s: got %d seconds and %t, want %d and %t", name, seconds, ok, c.seconds, c.ok)
		}
	}
}

func TestCheckPublic(t *testing.T) {
	const photo, hull = "01jcqz8t5n8m2x4v6b7c9d0e1f", "01jcqz8t5n8m2x4v6b7c9d0e2g"
	sig := publicSignature(mac, photo, 7, hull)
	for name, c := range map[string]struct {
		pass, photo string
		ok          bool
	}{
		"valid":               {"7-" + hull + "." + sig, photo, true},
		"another environment": {"8-" + hull + "." + sig, photo, false},
		"another hull":        {"7-" + photo + "." + sig, photo, false},
		"another photo":       {"7-" + hull + "." + sig, hull, false},
		"signature missing":   {"7-" + hull + ".", photo, false},
		"not a number":        {"seven-" + hull + "." + sig, photo, false},
		"without a hull":      {"7." + sig, photo, false},
		"a link that expires": {"7." + signature(mac, photo, 7), photo, false},
	} {
		env, id, ok := CheckPublic(mac, c.pass, c.photo)
		if ok != c.ok || ok && (env != 7 || id != "hull_"+hull) {
			t.Errorf("%s: got environment %d, hull %s and %t, want %t", name, env, id, ok, c.ok)
		}
	}
	if _, ok := Check(mac, "7-"+hull+"."+sig, photo, time.Time{}); ok {
		t.Error("a public link is also one that expires, want only one kind")
	}
}
