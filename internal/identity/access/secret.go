package access

import (
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"slipway/internal/vocab/auth"
)

// newPassword returns a password with 100 bits that is easy to read aloud.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return text[:5] + "-" + text[5:10] + "-" + text[10:15] + "-" + text[15:20]
}

// newTOTPSecret returns a secret in the format of authenticator apps.
func newTOTPSecret() string { return (rand.Text() + rand.Text())[:32] }

// account is the name of an account in an authenticator app. The same person often
// has one in each environment.
func account(email string, mode auth.Mode) string {
	if mode == auth.Test {
		return email + " (test)"
	}
	return email
}

// otpauthURI returns the URI that authenticator apps read from a QR code.
func otpauthURI(account, secret string) string {
	return "otpauth://totp/" + url.PathEscape("Slipway:"+account) + "?secret=" + secret + "&issuer=Slipway"
}

// totpPeriod is how many seconds a code is shown.
const totpPeriod = 30

// matchTOTP returns the time step of a code. It also accepts the code of the step
// before or after, because clocks differ. A code must be newer than the last one
// that was used.
func matchTOTP(secret, code string, last int64, now time.Time) (step int64, ok bool) {
	options := totp.ValidateOpts{Period: totpPeriod, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}
	current := now.Unix() / totpPeriod
	for step := current - 1; step <= current+1; step++ {
		want, err := totp.GenerateCodeCustom(secret, time.Unix(step*totpPeriod, 0), options)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 && step > last {
			return step, true
		}
	}
	return 0, false
}
