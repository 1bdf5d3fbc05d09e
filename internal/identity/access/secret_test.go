package access

import (
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

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
		"current step":                 {at(0), 0, now, current, true},
		"step before":                  {at(-1), 0, now, current - 1, true},
		"step after":                   {at(1), 0, now, current + 1, true},
		"two steps before":             {at(-2), 0, now, 0, false},
		"two steps after":              {at(2), 0, now, 0, false},
		"already used":                 {at(0), current, now, 0, false},
		"older than the last one used": {at(-1), current, now, 0, false},
		"newer than the last one used": {at(1), current, now, current + 1, true},
		"first second of the step":     {at(0), 0, time.Unix(current*totpPeriod, 0), current, true},
		"last second that is accepted": {at(0), 0, time.Unix((current+2)*totpPeriod-1, 0), current, true},
		"one second later":             {at(0), 0, time.Unix((current+2)*totpPeriod, 0), 0, false},
		"empty":                        {"", 0, now, 0, false},
		"with a space":                 {at(0)[:3] + " " + at(0)[3:], 0, now, 0, false},
		"with an extra digit":          {at(0) + "0", 0, now, 0, false},
	} {
		if step, ok := matchTOTP(secret, c.code, c.last, c.now); step != c.step || ok != c.ok {
			t.Errorf("%s: got step %d, %t; want %d, %t", name, step, ok, c.step, c.ok)
		}
	}
}
