// Package link signs and checks the public links of photos.
package link

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

// signature covers the photo and the expiry, but not the size. A client can
// use the same link for each size.
func signature(mac func([]byte) []byte, photo string, expires int64) string {
	signed := "media/" + photo + "/" + strconv.FormatInt(expires, 10)
	return base64.RawURLEncoding.EncodeToString(mac([]byte(signed))[:16])
}
