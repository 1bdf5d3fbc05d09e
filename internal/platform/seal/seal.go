// Package seal encrypts secrets with the master key.
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
	"strings"
)

// keySize is the size of a master key in bytes.
const keySize = 32

// Box encrypts and decrypts. A ciphertext is bound to a place, so that it can't be
// decrypted in another row.
type Box struct {
	aead cipher.AEAD
	mac  []byte
}

// NewBox returns a box with a master key.
func NewBox(master []byte) (*Box, error) {
	if len(master) != keySize {
		return nil, fmt.Errorf("the master key has %d bytes, must have %d", len(master), keySize)
	}
	key, err := hkdf.Key(sha256.New, master, nil, "slipway secrets at rest v1", keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	mac, err := hkdf.Key(sha256.New, master, nil, "slipway marks v1", keySize)
	return &Box{aead, mac}, err
}

// Seal encrypts plain for the given place, such as "mfa_factor/17/mfa_01…".
func (b *Box) Seal(plain []byte, place string) []byte {
	return b.aead.Seal(nil, nil, plain, []byte(place))
}

// Open decrypts a ciphertext that was sealed for the same place.
func (b *Box) Open(sealed []byte, place string) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, sealed, []byte(place))
	if err != nil {
		return nil, errors.New("can't decrypt: wrong master key, or copied from another row")
	}
	return plain, nil
}

// MAC returns a message authentication code with the master key.
func (b *Box) MAC(data []byte) []byte {
	h := hmac.New(sha256.New, b.mac)
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
		return decode(string(text))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key)                           // never fails
	f, err := os.CreateTemp(folder, "master-*.key") // mode 0600
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(f.Name()) }() // the link remains
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	// Creating a link is atomic. If two processes start at the same time, one creates the key and the other reads it.
	if err := os.Link(f.Name(), path); errors.Is(err, fs.ErrExist) {
		return MasterKey("", folder)
	} else if err != nil {
		return nil, err
	}
	return key, nil
}

func decode(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("the master key must be %d bytes in base64", keySize)
	}
	return key, nil
}
