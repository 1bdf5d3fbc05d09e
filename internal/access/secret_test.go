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
