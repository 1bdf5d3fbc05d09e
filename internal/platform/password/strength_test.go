package password

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	personal := []string{"maren.holt", "Maren Holt", "Maren", "Holt", "Al", "Severn Yachts"}
	for password, want := range map[string]string{
		"eleven char":                  "too_short",
		"":                             "too_short",
		strings.Repeat("x", 201):       "too_long",
		"password1234":                 "common",
		"Password123!":                 "common",
		"P@ssw0rd2026":                 "common",
		"p4ssw0rd!!!!":                 "common",
		"passwordpassword":             "common",
		"letmeinletmein":               "common",
		"1qaz2wsx3edc4rfv":             "common",
		"qwerty123456789":              "common",
		"!!!iloveyou!!!!":              "common",
		"!!sunshine2024!!":             "common",
		"i s e e d e a d p e o p l e":  "common",
		"aaaaaaaaaaaa":                 "pattern",
		"abcdefghijklmnop":             "pattern",
		"zyxwvutsrqponmlk":             "pattern",
		"aaaabbbbccccdddd":             "pattern",
		"qwertyuiopasdfghjkl":          "pattern",
		"abcabcabcabcabc":              "pattern",
		"x7!x7!x7!x7!":                 "pattern",
		"maren.holt loves it":          "personal",
		"my name is MAREN, hello":      "personal",
		"MarenHolt-7-x-9-boat":         "personal",
		"severn-yachts forever":        "personal",
		"S.E.V.E.R.N yachts 99":        "personal",
		"four boats in a row":          "",
		"correct horse battery staple": "",
		"zwölf Zeichen":                "",
		"twelve letters":               "",
		"a password of the user":       "",
		"k3jx9-qm2vt-7w4zp-bn6hr":      "",
		"always on the water":          "", // Al is too short to count
		"船と海と空と風と星と月と夜":                "",
	} {
		if got := Check(password, personal...); got.Code != want {
			t.Errorf("%q: got %q (%s), want %q", password, got.Code, got.Message, want)
		}
	}
}

// The list has the size of the source. A truncated list would pass unnoticed.
func TestListOfCommonPasswords(t *testing.T) {
	if n := len(common()); n != 49233 {
		t.Errorf("got %d common passwords, want 49233", n)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("password1234", "Ann Bell")
	f.Add("\xff\x00 four boats", "")
	f.Fuzz(func(_ *testing.T, password, personal string) { Check(password, personal) })
}
