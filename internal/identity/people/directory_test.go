package people

import "testing"

func TestInitials(t *testing.T) {
	for name, want := range map[string]string{
		"Ann Bell":              "AB",
		"ann bell":              "AB",
		"Ann Marie Bell":        "AB",
		"Ann":                   "A",
		"Élodie Ørsted":         "ÉØ",
		"Dana O'Neil":           "DO",
		"  Ben   (service)  ":   "BS",
		"Jean-Luc Moreau":       "JM",
		"王 小明":                  "王小",
		"":                      "",
		"—":                     "",
		"'":                     "",
		"3rd Shift":             "3S",
		"Ann \u202eBell\u202c!": "AB",
	} {
		if got := initials(name); got != want {
			t.Errorf("initials of %q: got %q, want %q", name, got, want)
		}
	}
}
