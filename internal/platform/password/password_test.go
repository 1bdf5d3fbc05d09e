package password

import (
	"slices"
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

// old is a hash of oldPassword from before hashes had a nonce.
const (
	old         = "$argon2id$v=19$m=8,t=1,p=1$c2FsdCBmb3IgdGVzdGluZw$RMLmD4VLcGh4+TfAtn1moHVxFkZxO9IaRR2GTPRyG5A"
	oldPassword = "four boats in a row"
)

var salt = []byte("sixteen bytes...")

func TestMatch(t *testing.T) {
	const password = "pâté on the aft deck"
	hash := Hash(password, salt)
	if again := Hash(password, salt); again == hash || strings.Contains(hash, password) {
		t.Errorf("got %s and %s; want two different hashes without the password", hash, again)
	}

	for name, c := range map[string]struct {
		password, hash string
		ok, invalid    bool
	}{
		"right password": {password, hash, true, false},
		"wrong password": {"pate on the aft deck", hash, false, false},
		"empty password": {"", hash, false, false},
		"empty hash":     {password, "", false, false},
		"old format":     {oldPassword, old, true, false},
		"old, wrong":     {password, old, false, false},
		"other scheme":   {password, "$2b$12$x", false, true},
		"invalid cost":   {password, "$argon2id$v=19$m=x,t=2,p=1$c2FsdA$aGFzaA", false, true},
		"invalid salt":   {password, "$argon2id$v=19$m=8,t=1,p=1$!$aGFzaA", false, true},
		"invalid nonce":  {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!$aGFzaA", false, true},
		"invalid hash":   {password, "$argon2id$v=19$m=8,t=1,p=1$c2FsdA$!", false, true},
	} {
		got, err := Match(c.password, []string{c.hash}, salt)
		if (err != nil) != c.invalid || !c.invalid && !slices.Equal(got, []bool{c.ok}) {
			t.Errorf("%s: got %t, %v; want %t, an error: %t", name, got, err, c.ok, c.invalid)
		}
	}
}

// The time of a sign-in must not depend on how many dealerships know an address.
func TestOneHashForAnyNumberOfDealerships(t *testing.T) {
	cheap := Cost{8, 1, 1}
	mine, same, other := HashAt(cheap, "mine", salt), HashAt(cheap, "mine", salt), HashAt(cheap, "other", salt)
	moved := HashAt(cheap, "mine", []byte("salt of a change"))
	many := slices.Repeat([]string{mine}, 50)
	for name, c := range map[string]struct {
		hashes []string
		want   []bool
		count  int
	}{
		"unknown address":                       {nil, []bool{}, 1},
		"one dealership":                        {[]string{mine}, []bool{true}, 1},
		"one dealership, without a password":    {[]string{""}, []bool{false}, 1},
		"one dealership, in the old format":     {[]string{old}, []bool{false}, 1},
		"two dealerships":                       {[]string{other, mine}, []bool{false, true}, 1},
		"three, the same password in two":       {[]string{mine, other, same}, []bool{true, false, true}, 1},
		"two dealerships, one has no password":  {[]string{"", mine}, []bool{false, true}, 1},
		"50 dealerships":                        {many, slices.Repeat([]bool{true}, 50), 1},
		"two, one changed the address recently": {[]string{mine, moved}, []bool{true, true}, 2},
	} {
		count := 0
		got, err := match("mine", c.hashes, salt, func(password string, salt []byte, cost Cost) []byte {
			count++
			return derive(password, salt, cost)
		})
		if err != nil || !slices.Equal(got, c.want) || count != c.count {
			t.Errorf("%s: got %t, %v and %d hashes; want %t and %d hashes", name, got, err, count, c.want, c.count)
		}
	}
}

// Hashes with many different salts must not make a sign-in expensive.
func TestMatchComputesFewHashes(t *testing.T) {
	var hashes []string
	for i := range 10 {
		hashes = append(hashes, HashAt(Cost{8, 1, 1}, "mine", append([]byte("salt of number "), byte('0'+i))))
	}
	count := 0
	_, err := match("mine", hashes, salt, func(password string, salt []byte, cost Cost) []byte {
		count++
		return derive(password, salt, cost)
	})
	if err != nil || count != maxHashes {
		t.Errorf("got %d hashes, %v; want %d", count, err, maxHashes)
	}
}

// An unknown address costs as much as a new password.
func TestUnknownAddressCostsTheSame(t *testing.T) {
	s, err := parse(Hash("x", salt))
	if err != nil || s.Cost != Standard {
		t.Errorf("got the cost %v, %v for a new password; want %v as for an unknown address", s.Cost, err, Standard)
	}
}

func TestHasSalt(t *testing.T) {
	hash := HashAt(Cost{8, 1, 1}, "x", salt)
	for name, c := range map[string]struct {
		hash string
		salt []byte
		want bool
	}{
		"same salt":  {hash, salt, true},
		"other salt": {hash, []byte("another salt"), false},
		"old format": {old, []byte("salt for testing"), false},
		"invalid":    {"x", salt, false},
	} {
		assert.Equal(t, HasSalt(c.hash, c.salt), c.want, name)
	}
}
