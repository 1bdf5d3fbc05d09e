package identity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/png"
	"testing"

	"slipway/internal/dealership"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// The logo is stored as a PNG, replaced and removed, and has its own environment.
func TestLogo(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		const path = "/v2-preview/dealership/logo"
		s.Test.Get(path, 404, nil)
		s.Test.Do("DELETE", path, nil, 404, nil)
		s.Test.Do("PUT", path, testkit.File{Type: "image/png", Bytes: []byte("%PDF-1.7")}, 422, nil).WantDetail(t, "file", "type")
		s.Test.Do("PUT", path, testkit.File{Type: "application/pdf", Bytes: []byte("%PDF-1.7")}, 415, nil)

		var d dealership.Dealership
		s.Test.Do("PUT", path, testkit.Picture(), 200, &d)
		res := s.Test.Get(path, 200, nil)
		sum := sha256.Sum256(res.Bytes)
		assert.Equal(t, d.LogoSHA256, new(hex.EncodeToString(sum[:])))
		if config, err := png.DecodeConfig(bytes.NewReader(res.Bytes)); err != nil || config.Width != 40 || config.Height != 30 {
			t.Errorf("got a logo of %d x %d pixels, %v; want 40 x 30", config.Width, config.Height, err)
		}
		s.Live.Get(path, 404, nil)

		first := *d.LogoSHA256
		s.Test.Do("PUT", path, testkit.Picture(), 200, &d)
		if *d.LogoSHA256 == first {
			t.Error("got the same logo, want the second one")
		}
		s.Test.Delete(path, 204)
		s.Test.Get("/v1/dealership", 200, &d)
		assert.Equal(t, d.LogoSHA256, nil)
	})
}
