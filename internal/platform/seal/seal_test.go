package seal_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"slipway/internal/platform/seal"
	"slipway/internal/testkit/assert"
)

func newBox(t *testing.T) *seal.Box {
	t.Helper()
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	box, err := seal.NewBox(key)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestSealedOpensOnlyAtItsPlace(t *testing.T) {
	box, secret, place := newBox(t), []byte("whsec_c2VjcmV0"), "webhooks/17/whk_1"
	sealed := box.Seal(secret, place)
	if bytes.Contains(sealed, secret) {
		t.Fatal("the secret can be read")
	}
	if again := box.Seal(secret, place); bytes.Equal(sealed, again) {
		t.Error("equal secrets have equal ciphertexts")
	}
	flipped := bytes.Clone(sealed)
	flipped[len(flipped)-1] ^= 1
	for name, c := range map[string]struct {
		box    *seal.Box
		sealed []byte
		place  string
		want   []byte // nil if it must not open
	}{
		"as it was sealed":      {box, sealed, place, secret},
		"nothing, sealed":       {box, box.Seal(nil, place), place, []byte{}},
		"in another row":        {box, sealed, "webhooks/17/whk_2", nil},
		"in another env":        {box, sealed, "webhooks/18/whk_1", nil},
		"with another key":      {newBox(t), sealed, place, nil},
		"with a bit flipped":    {box, flipped, place, nil},
		"cut off":               {box, sealed[:len(sealed)-1], place, nil},
		"nothing, never sealed": {box, nil, place, nil},
		"in the clear":          {box, secret, place, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.box.Open(c.sealed, c.place)
			switch {
			case c.want == nil && err == nil:
				t.Errorf("opened as %q", got)
			case c.want != nil && (err != nil || !bytes.Equal(got, c.want)):
				t.Errorf("got %q, %v", got, err)
			case err != nil && strings.Contains(err.Error(), string(secret)):
				t.Errorf("the error contains the secret: %v", err)
			}
		})
	}
}

func TestMasterKey(t *testing.T) {
	given := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	for name, c := range map[string]struct {
		given, file string // file is the content of the key file, if it exists
		ok          bool
	}{
		"given":                    {given, "", true},
		"given with a line feed":   {given + "\n", "", true},
		"given, too short":         {base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 31)), "", false},
		"given, too long":          {base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 33)), "", false},
		"given, not base 64":       {strings.Repeat("!", 44), "", false},
		"in the folder":            {"", given + "\n", true},
		"in the folder, but empty": {"", "\n", false},
		"configured and a bad file": {
			given, "rubbish", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(folder, "master.key"), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			key, err := seal.MasterKey(c.given, folder)
			if (err == nil) != c.ok || (c.ok && !bytes.Equal(key, bytes.Repeat([]byte{7}, 32))) {
				t.Errorf("got %x, %v; want the key: %t", key, err, c.ok)
			}
		})
	}
	if _, err := seal.NewBox(make([]byte, 31)); err == nil {
		t.Error("a short key makes a box")
	}
}

// A key file that other users can read is rejected.
func TestReadableKeyFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "master.key")
	if err := os.WriteFile(path, []byte(seal.Encode(seal.NewKey())), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o644: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := seal.MasterKey("", folder)
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("mode %o: got %v, want it accepted: %t", mode, err, ok)
		}
	}
}

// Values of old keys can be decrypted, and marks don't change, when a key is added.
func TestKeyRing(t *testing.T) {
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	first, second := seal.NewKey(), seal.NewKey()
	set := func(keys ...[]byte) {
		if err := box.SetKeys(keys...); err != nil {
			t.Fatal(err)
		}
	}
	set(first)
	value, mark := box.Seal([]byte("secret"), "here"), box.MAC([]byte("data"))
	set(second, first)
	plain, err := box.Open(value, "here")
	if err != nil || string(plain) != "secret" || box.IsCurrent(value, "here") {
		t.Errorf("got %q, %v, current %t; want the secret, of an older key", plain, err, box.IsCurrent(value, "here"))
	}
	if !bytes.Equal(box.MAC([]byte("data")), mark) {
		t.Error("the mark changed with a new key")
	}

	set(second)
	if _, err := box.Open(value, "here"); err == nil {
		t.Error("a value was decrypted without its key")
	}
	box.Reload = func() error { set(second, first); return nil }
	if _, err := box.Open(value, "here"); err != nil {
		t.Errorf("got %v after the keys were read again, want no error", err)
	}

	wrapped := box.Wrap(first, 1)
	if key, err := box.Unwrap(wrapped, 1); err != nil || !bytes.Equal(key, first) {
		t.Errorf("got %x, %v; want the key", key, err)
	}
	if _, err := box.Unwrap(wrapped, 2); err == nil {
		t.Error("a key was decrypted with another ID")
	}
}

// Processes that start at the same time must use the same key. No other user can
// read it.
func TestMasterKeyIsMadeOnce(t *testing.T) {
	folder := t.TempDir()
	keys := make([][]byte, 8)
	errs := make([]error, len(keys))
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() { keys[i], errs[i] = seal.MasterKey("", folder) })
	}
	wg.Wait()
	for i, k := range keys {
		if errs[i] != nil || len(k) != 32 || !bytes.Equal(k, keys[0]) {
			t.Errorf("process %d: got %x, %v; want the first one's %x", i, k, errs[i], keys[0])
		}
	}
	info, err := os.Stat(filepath.Join(folder, "master.key"))
	assert.NoError(t, err)
	assert.Equal(t, info.Mode().Perm(), 0o600)
}
