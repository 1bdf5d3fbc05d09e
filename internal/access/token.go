// Package access issues and checks credentials.
package access

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"slipway/internal/vocab/auth"
)

// A token is <kind>_<mode>_ followed by the public ID of its row, the secret, and
// a checksum that detects typos without a lookup. All three are lower-case base
// 32, so that a double click selects the whole token.
const (
	publicLen   = 16
	secretLen   = 26 // 130 bits
	checksumLen = 7
)

// The kinds of token.
const (
	kindKey     = "sk"
	kindSession = "st"
)

// newToken generates a token.
func newToken(kind string, mode auth.Mode) (token, publicID string) {
	publicID = strings.ToLower(rand.Text()[:publicLen])
	token = kind + "_" + string(mode) + "_" + publicID + strings.ToLower(rand.Text()[:secretLen])
	return token + checksum(token), publicID
}

// parseToken checks the format and the checksum of a token.
func parseToken(token string) (kind string, mode auth.Mode, publicID string, ok bool) {
	parts := strings.Split(token, "_")
	if len(parts) != 3 || len(parts[2]) != publicLen+secretLen+checksumLen {
		return "", "", "", false
	}
	kind, mode = parts[0], auth.Mode(parts[1])
	if (kind != kindKey && kind != kindSession) || (mode != auth.Live && mode != auth.Test) {
		return "", "", "", false
	}
	end := len(token) - checksumLen
	return kind, mode, parts[2][:publicLen], checksum(token[:end]) == token[end:]
}

// publicPart returns the part of a token that is not secret, to identify it in logs.
func publicPart(token string) string { return token[:len(token)-secretLen-checksumLen] }

func checksum(s string) string {
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s)))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
}

// hashToken needs no salt and no slow hash, because the secret is random.
func hashToken(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}
