// Package site is the identity of an installation: its public URL, and the key
// that authenticates the data it wrote.
package site

import (
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/platform/seal"
)

// Site identifies an installation.
type Site struct {
	URL string // public URL, without a slash at the end
	box *seal.Box
}

// Attach sets the site of a database.
func Attach(d *db.DB, baseURL string, box *seal.Box) {
	d.Attach(&Site{URL: strings.TrimSuffix(baseURL, "/"), box: box})
}

// Of returns the site of a database or a transaction.
func Of(h db.Handle) *Site { return db.Attached[*Site](h) }

// MAC authenticates data that this installation wrote.
func (s *Site) MAC(data []byte) []byte { return s.box.MAC(data) }
