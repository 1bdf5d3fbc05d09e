// Package seal encrypts secrets at rest under the installation's master key.
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

// Box encrypts and decrypts. What it seals is bound to a place, so that a
// ciphertext copied to another row does not open there.
type Box struct {
	aead cipher.AEAD
	mac  []byte
}

// NewBox makes a box from a master key.
func NewBox(master []byte) (*Box, error) {
	if len(master) != keySize {
		return nil, fmt.Errorf("master key has %d bytes, needs %d", len(master), keySize)
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

// Open decrypts what was sealed for the same place.
func (b *Box) Open(sealed []byte, place string) ([]byte, error) {
	plain, err := b.aead.Open(nil, nil, sealed, []byte(place))
	if err != nil {
		return nil, errors.New("sealed data does not open: wrong master key or a copied row")
	}
	return plain, nil
}

// MAC marks data so that only a holder of the master key can have done it.
func (b *Box) MAC(data []byte) []byte {
	h := hmac.New(sha256.New, b.mac)
	h.Write(data)
	return h.Sum(nil)
}

// MasterKey returns the key given in base64 by the operator or, without one,
// the key kept in the data folder, which it makes the first time.
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
	defer func() { _ = os.Remove(f.Name()) }() // it has another name by then, or is of no use
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(key) + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	// A link appears whole or not at all: of two processes that start at once, one makes the key and the other reads it.
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
		return nil, fmt.Errorf("master key must be %d bytes in base64", keySize)
	}
	return key, nil
}
