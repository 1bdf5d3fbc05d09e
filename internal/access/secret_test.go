package access

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"golang.org/x/crypto/argon2"
)

func TestPasswordHash(t *testing.T) {
	const password = "pâté on the aft deck"
	hash := hashPassword(password)
	if again := hashPassword(password); again == hash || strings.Contains(hash, password) {
		t.Errorf("got %s and %s; want two different hashes without the password", hash, again)
	}
	for name, c := range map[string]struct {
		password, hash string
		ok, broken     bool
	}{
		"the one":          {password, hash, true, false},
		"another":          {"pate on the aft deck", hash, false, false},
		"none":             {"", hash, false, false},
		"the decoy's":      {password, decoy, false, false},
		"a foreign scheme": {password, "$2b$12$x", false, true},
		"no scheme":        {password, "", false, true},
		"a broken cost":    {password, "$argon2id$v=19$m=x,t=2,p=1$c2FsdA$aGFzaA", false, true},
		"a broken salt":    {password, "$argon2id$v=19$m=8,t=1,p=1$!$aGFzaA", false, true},
		"a broken hash":    {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!", false, true},
	} {
		if ok, err := checkPassword(c.password, c.hash); ok != c.ok || (err != nil) != c.broken {
			t.Errorf("%s: got %t, %v; want %t, an error: %t", name, ok, err, c.ok, c.broken)
		}
	}
}

// Whether an account is there, has a password or gets the right one: a sign-in
// takes as many hashes, at the same cost.
func TestSignInTakesAsLongForStrangers(t *testing.T) {
	const password = "right"
	cheap := fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$%s", base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte(password), []byte("saltsalt"), 1, 8, 1, 32)))
	known, uninvited := candidate{ID: "usr_known", PasswordHash: &cheap}, candidate{ID: "usr_without"}
	for name, c := range map[string]struct {
		candidates []candidate
		password   string
		found      string
		hashes     int64
	}{
		"nobody":                            {nil, password, "", 1},
		"somebody, wrong password":          {[]candidate{known}, "wrong", "", 1},
		"somebody, right password":          {[]candidate{known}, password, "usr_known", 1},
		"somebody who has none yet":         {[]candidate{uninvited}, password, "", 1},
		"two of them, wrong password":       {[]candidate{uninvited, known}, "wrong", "", 2},
		"two of them, right password":       {[]candidate{uninvited, known}, password, "usr_known", 2},
		"two of them, the other way around": {[]candidate{known, uninvited}, password, "usr_known", 2},
	} {
		t.Run(name, func(t *testing.T) {
			count := countHashes(t)
			found, err := match(c.candidates, c.password)
			if err != nil || (found == nil) != (c.found == "") || found != nil && found.ID != c.found || count() != c.hashes {
				t.Errorf("got user %+v, error %v, %d hashes; want user %q, no error, %d hashes", found, err, count(), c.found, c.hashes)
			}
		})
	}
	// The decoy costs what a real one costs.
	cost := func(hash string) string { return hash[:strings.LastIndex(hash[:strings.LastIndex(hash, "$")], "$")] }
	if real := hashPassword(password); cost(real) != cost(decoy) {
		t.Errorf("got %s and %s, want cost(real) = %q", real, decoy, cost(decoy))
	}
}

// countHashes stands at the gate that every hash passes, and counts. It lets
// one at a time through.
func countHashes(t *testing.T) func() int64 {
	t.Helper()
	var n atomic.Int64
	before, gate, done := hashing, make(chan struct{}), make(chan struct{})
	hashing = gate
	go func() {
		for {
			select {
			case <-gate:
				n.Add(1)
				gate <- struct{}{} // taken when the hash is worked out
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() {
		hashing = before
		close(done)
	})
	return n.Load
}

func TestMatchTOTP(t *testing.T) {
	const secret = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
	now := time.Date(2026, 11, 15, 9, 30, 10, 0, time.UTC)
	current := now.Unix() / totpPeriod
	at := func(step int64) string {
		code, err := totp.GenerateCode(secret, time.Unix((current+step)*totpPeriod, 0))
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	for name, c := range map[string]struct {
		code string
		last int64
		now  time.Time
		step int64
		ok   bool
	}{
		"this step's":                     {at(0), 0, now, current, true},
		"the one before's":                {at(-1), 0, now, current - 1, true},
		"the next one's":                  {at(1), 0, now, current + 1, true},
		"two before":                      {at(-2), 0, now, 0, false},
		"two after":                       {at(2), 0, now, 0, false},
		"used before":                     {at(0), current, now, 0, false},
		"older than the last one used":    {at(-1), current, now, 0, false},
		"newer than the last one used":    {at(1), current, now, current + 1, true},
		"at the first moment of its step": {at(0), 0, time.Unix(current*totpPeriod, 0), current, true},
		"at the last moment it counts":    {at(0), 0, time.Unix((current+2)*totpPeriod-1, 0), current, true},
		"a moment later":                  {at(0), 0, time.Unix((current+2)*totpPeriod, 0), 0, false},
		"nothing":                         {"", 0, now, 0, false},
		"with a space in it":              {at(0)[:3] + " " + at(0)[3:], 0, now, 0, false},
		"with one digit more":             {at(0) + "0", 0, now, 0, false},
	} {
		if step, ok := matchTOTP(secret, c.code, c.last, c.now); step != c.step || ok != c.ok {
			t.Errorf("%s: got %d %t; want step = %v, ok = %v", name, step-current, ok, c.step, c.ok)
		}
	}
}
