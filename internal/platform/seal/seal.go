// Package seal encrypts secrets at rest.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
)

// keySize is the size of a master key in bytes.
const keySize = 32

// Box encrypts and decrypts with data keys. The master key only encrypts the data
// keys, so it can be replaced without encrypting everything again. A ciphertext is
// bound to a place, so that it can't be decrypted in another row.
type Box struct {
	master []byte
	wrap   cipher.AEAD
	keys   atomic.Pointer[[]dataKey] // newest first

	// Reload sets the keys again, if it is not nil. Open calls it when no key fits:
	// another process might have added one.
	Reload func() error
}

type dataKey struct {
	aead cipher.AEAD
	mac  []byte
}

// NewBox returns a box with a master key. Until SetKeys, the master key is also
// the data key, as it was before there were data keys.
func NewBox(master []byte) (*Box, error) {
	if len(master) != keySize {
		return nil, fmt.Errorf("the master key has %d bytes, must have %d", len(master), keySize)
	}
	wrap, err := newAEAD(master, "slipway data keys v1")
	if err != nil {
		return nil, err
	}
	b := &Box{master: master, wrap: wrap}
	return b, b.SetKeys(master)
}

// Master returns the master key.
func (b *Box) Master() []byte { return b.master }

// NewKey returns a new master key or data key.
func NewKey() []byte {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return key
}

// SetKeys sets the data keys, newest first.
func (b *Box) SetKeys(keys ...[]byte) error {
	ring := make([]dataKey, 0, len(keys))
	for _, key := range keys {
		aead, err := newAEAD(key, "slipway secrets at rest v1")
		if err != nil {
			return err
		}
		mac, err := hkdf.Key(sha256.New, key, nil, "slipway marks v1", keySize)
		if err != nil {
			return err
		}
		ring = append(ring, dataKey{aead, mac})
	}
	b.keys.Store(&ring)
	return nil
}

func newAEAD(secret []byte, purpose string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Wrap encrypts a data key with the master key.
func (b *Box) Wrap(key []byte, id int64) []byte {
	return b.wrap.Seal(nil, nil, key, fmt.Appendf(nil, "data key %d", id))
}

// Unwrap decrypts a data key. It fails with another master key.
func (b *Box) Unwrap(wrapped []byte, id int64) ([]byte, error) {
	return b.wrap.Open(nil, nil, wrapped, fmt.Appendf(nil, "data key %d", id))
}

// Seal encrypts plain with the newest key for the given place, such as
// "mfa_factor/17/mfa_01…".
func (b *Box) Seal(plain []byte, place string) []byte {
	return (*b.keys.Load())[0].aead.Seal(nil, nil, plain, []byte(place))
}

// Open decrypts a ciphertext that was sealed for the same place.
func (b *Box) Open(sealed []byte, place string) ([]byte, error) {
	plain, ok := b.open(sealed, place)
	if !ok && b.Reload != nil {
		if err := b.Reload(); err != nil {
			return nil, err
		}
		plain, ok = b.open(sealed, place)
	}
	if !ok {
		return nil, errors.New("can't decrypt: wrong key, or copied from another row")
	}
	return plain, nil
}

func (b *Box) open(sealed []byte, place string) ([]byte, bool) {
	for _, k := range *b.keys.Load() {
		if plain, err := k.aead.Open(nil, nil, sealed, []byte(place)); err == nil {
			return plain, true
		}
	}
	return nil, false
}

// IsCurrent reports whether a ciphertext was sealed with the newest key.
func (b *Box) IsCurrent(sealed []byte, place string) bool {
	_, err := (*b.keys.Load())[0].aead.Open(nil, nil, sealed, []byte(place))
	return err == nil
}

// MAC returns a message authentication code. It uses the oldest key, because
// stored codes can't be calculated again: their data is sometimes erased.
func (b *Box) MAC(data []byte) []byte {
	keys := *b.keys.Load()
	h := hmac.New(sha256.New, keys[len(keys)-1].mac)
	h.Write(data)
	return h.Sum(nil)
}

// MasterKey decodes the configured key. If there is none, it returns the key in
// the data folder, which it generates the first time.
func MasterKey(given, folder string) ([]byte, error) {
	if given != "" {
		return decode(given)
	}
	path := filepath.Join(folder, "master.key")
	text, err := os.ReadFile(path)
	if err == nil {
		if err := checkMode(path); err != nil {
			return nil, err
		}
		return decode(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}

	key := NewKey()
	written, err := writeKey(folder, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(written) }() // the link remains
	// Creating a link is atomic. If two processes start at the same time, one creates the key and the other reads it.
	if err := os.Link(written, path); errors.Is(err, fs.ErrExist) {
		return MasterKey("", folder)
	} else if err != nil {
		return nil, err
	}
	return key, nil
}

// ReplaceMasterKey writes a new key to the data folder.
func ReplaceMasterKey(folder string, key []byte) error {
	written, err := writeKey(folder, key)
	if err != nil {
		return err
	}
	return os.Rename(written, filepath.Join(folder, "master.key"))
}

// Encode returns a key as text, for SLIPWAY_MASTER_KEY.
func Encode(key []byte) string { return base64.StdEncoding.EncodeToString(key) }

// writeKey writes a key to a new file that only this user can read.
func writeKey(folder string, key []byte) (path string, err error) {
	f, err := os.CreateTemp(folder, "master-*.key") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(Encode(key) + "\n")
	return f.Name(), errors.Join(err, f.Sync(), f.Close())
}

// checkMode rejects a key file that other users can read.
func checkMode(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("other users can read the master key. Run: chmod 600 %s", path)
	}
	return nil
}

func decode(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("the master key must be %d bytes in base64", keySize)
	}
	return key, nil
}
