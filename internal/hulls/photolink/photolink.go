// Package photolink signs and checks the public links of photos.
package photolink

import (
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"slipway/internal/platform/db"
	"slipway/internal/platform/site"
	"slipway/internal/vocab/auth"
)

// minLifetime is how long a link works at least.
const minLifetime = 7 * 24 * time.Hour

// URL returns the public link to one size of a photo.
func URL(tx *db.Tx, key, size string) string {
	photo, expires := path.Base(key), Expiry(tx.Now).Unix()
	return fmt.Sprintf("%s/media/%d.%s/%s/%s.jpg", site.Of(tx).URL, expires, signature(site.Of(tx).MAC, photo, expires), photo, size)
}

// Expiry returns when a link that is created now expires. It is the same all
// day, so feeds and caches see the same link.
func Expiry(now time.Time) time.Time {
	return now.UTC().Truncate(24 * time.Hour).Add(minLifetime + 24*time.Hour)
}

// Check reports whether the pass of a link is valid for a photo, and for how
// many more seconds.
func Check(mac func([]byte) []byte, pass, photo string, now time.Time) (seconds int64, ok bool) {
	end, sig, _ := strings.Cut(pass, ".")
	expires, err := strconv.ParseInt(end, 10, 64)
	if err != nil || !hmac.Equal([]byte(sig), []byte(signature(mac, photo, expires))) || now.Unix() >= expires {
		return 0, false
	}
	return expires - now.Unix(), true
}

// Public returns the link to one size of a photo of a boat that is for sale. It
// doesn't change, so that marketplaces recognize the photo.
func Public(tx *db.Tx, hullID, key, size string) string {
	photo, hull := path.Base(key), strings.TrimPrefix(hullID, "hull_")
	return fmt.Sprintf("%s/media/%d-%s.%s/%s/%s.jpg", site.Of(tx).URL, tx.Env, hull, publicSignature(site.Of(tx).MAC, photo, tx.Env, hull), photo, size)
}

// CheckPublic reports whether the pass of a link is one of Public, and of which hull.
// The caller checks whether the hull is for sale.
func CheckPublic(mac func([]byte) []byte, pass, photo string) (env auth.Env, hullID string, ok bool) {
	of, sig, _ := strings.Cut(pass, ".")
	number, hull, _ := strings.Cut(of, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	env = auth.Env(n)
	return env, "hull_" + hull, err == nil && hmac.Equal([]byte(sig), []byte(publicSignature(mac, photo, env, hull)))
}

func publicSignature(mac func([]byte) []byte, photo string, env auth.Env, hull string) string {
	signed := fmt.Sprintf("media/%s/%d/%s", photo, env, hull)
	return base64.RawURLEncoding.EncodeToString(mac([]byte(signed))[:16])
}

// signature covers the photo and the expiry, but not the size. A client can
// use the same link for each size.
func signature(mac func([]byte) []byte, photo string, expires int64) string {
	signed := "media/" + photo + "/" + strconv.FormatInt(expires, 10)
	return base64.RawURLEncoding.EncodeToString(mac([]byte(signed))[:16])
}
