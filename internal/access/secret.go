package access

import (
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

// newPassword is easy to read out and has 100 bits.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:20]
}

// newTOTPSecret is in the form that authenticator apps take.
func newTOTPSecret() string { return (rand.Text() + rand.Text())[:32] }

// otpauthURI is the secret as authenticator apps read it from a QR code.
func otpauthURI(account, secret string) string {
	return "otpauth://totp/" + url.PathEscape("Slipway:"+account) + "?secret=" + secret + "&issuer=Slipway"
}

// totpPeriod is how long a code is shown.
const totpPeriod = 30

// matchTOTP returns the time step whose code this is. A code of the step
// before or after counts too, for clocks that differ, but never one that is
// not newer than the last one used.
func matchTOTP(secret, code string, last int64, now time.Time) (step int64, ok bool) {
	current := now.Unix() / totpPeriod
	for step := current - 1; step <= current+1; step++ {
		want, err := totp.GenerateCodeCustom(secret, time.Unix(step*totpPeriod, 0), totp.ValidateOpts{Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 && step > last {
			return step, true
		}
	}
	return 0, false
}
