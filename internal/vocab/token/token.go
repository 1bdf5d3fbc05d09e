// Package token generates and parses the secrets that clients send, such as API
// keys. Only their hashes are stored.
package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"

	"slipway/internal/vocab/auth"
)

// A token is <kind>_<mode>_ followed by the public ID of its row, the secret, and
// a checksum that detects typos without a lookup. All three are lower-case base
// 32, so that a double click selects the whole token.
//
// The last seven characters of the public ID name the environment: two that
// check the others, and its number. Earlier versions used random ones.
const (
	publicLen   = 16
	secretLen   = 26 // 130 bits
	checksumLen = 7
	checkLen    = 2
	envLen      = 5 // 33 million environments
	nameLen     = checkLen + envLen
	linkLen     = 2 * secretLen
)

// Kind is the first part of a token.
type Kind string

// The kinds of token.
const (
	Key          Kind = "sk" // an API key
	Session      Kind = "st"
	Access       Kind = "at" // OAuth access token
	Refresh      Kind = "rt" // OAuth refresh token
	Code         Kind = "ac" // OAuth authorization code
	ClientSecret Kind = "cs" // secret of an OAuth app
	SCIM         Kind = "scim"
)

var kinds = []Kind{Key, Session, Access, Refresh, Code, ClientSecret, SCIM}

// Token is what a token says about itself.
type Token struct {
	Kind     Kind
	Mode     auth.Mode
	PublicID string
	Env      auth.Env // 0 if it names none. A token of an earlier version can seem to name one
}

// New generates a token that names an environment, or none if it is 0.
func New(kind Kind, mode auth.Mode, env auth.Env) (text, publicID string) {
	publicID = withEnv(strings.ToLower(rand.Text()[:publicLen]), env)
	return format(kind, mode, publicID, strings.ToLower(rand.Text()[:secretLen])), publicID
}

// Derive returns the token whose public ID and secret are these random bytes, of
// which it needs 27. The same bytes return the same token.
func Derive(kind Kind, mode auth.Mode, env auth.Env, random []byte) (text, publicID string) {
	parts := encode(random)
	publicID = withEnv(parts[:publicLen], env)
	return format(kind, mode, publicID, parts[publicLen:publicLen+secretLen]), publicID
}

// Link generates the token of a link. It names an environment, and nothing else.
func Link(env auth.Env) string {
	return withEnv(strings.ToLower(rand.Text()+rand.Text()), env)
}

// LinkEnv returns the environment that the token of a link names, or 0. Like a token, a
// link of an earlier version can seem to name one.
func LinkEnv(text string) auth.Env {
	if len(text) != linkLen {
		return 0
	}
	return envOf(text)
}

// withEnv replaces the end of a text by the name of an environment. It leaves the text
// if the number is too large.
func withEnv(text string, env auth.Env) string {
	if env <= 0 || env >= 1<<(5*envLen) {
		return text
	}
	number := make([]byte, envLen)
	for i := range number {
		number[i] = alphabet[env>>(5*(envLen-1-i))&31]
	}
	start := text[:len(text)-nameLen]
	return start + check(start, string(number)) + string(number)
}

// envOf returns the environment at the end of a text, or 0.
func envOf(text string) (env auth.Env) {
	start, number := text[:len(text)-nameLen], text[len(text)-envLen:]
	if text[len(start):len(start)+checkLen] != check(start, number) {
		return 0
	}
	for _, c := range []byte(number) {
		env = env<<5 | auth.Env(strings.IndexByte(alphabet, c))
	}
	return max(0, env)
}

func check(start, number string) string { return checksum(start + number)[:checkLen] }

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

func format(kind Kind, mode auth.Mode, publicID, secret string) string {
	text := string(kind) + "_" + string(mode) + "_" + publicID + secret
	return text + checksum(text)
}

// Parse checks the format and the checksum of a token.
func Parse(text string) (t Token, ok bool) {
	parts := strings.Split(text, "_")
	if len(parts) != 3 || len(parts[2]) != publicLen+secretLen+checksumLen {
		return Token{}, false
	}
	t = Token{Kind: Kind(parts[0]), Mode: auth.Mode(parts[1]), PublicID: parts[2][:publicLen]}
	if !slices.Contains(kinds, t.Kind) || (t.Mode != auth.Live && t.Mode != auth.Test) {
		return Token{}, false
	}
	end := len(text) - checksumLen
	if checksum(text[:end]) != text[end:] {
		return t, false
	}
	t.Env = envOf(t.PublicID)
	return t, true
}

// Public returns the part of a token that is not secret, to identify it in logs.
func Public(text string) string { return text[:max(0, len(text)-secretLen-checksumLen)] }

func checksum(s string) string {
	return encode(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))))
}

func encode(b []byte) string {
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b))
}

// Hash returns what is stored of a token. It needs no salt and no slow hash,
// because the secret is random.
func Hash(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// WithOtherSecret returns a well-formed token with the public ID of another one,
// for tests of guesses.
func WithOtherSecret(text string) string {
	t, _ := Parse(text)
	return format(t.Kind, t.Mode, t.PublicID, strings.Repeat("a", secretLen))
}
