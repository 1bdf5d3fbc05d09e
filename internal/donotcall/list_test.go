package donotcall

import (
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

func TestNumbersOfAFile(t *testing.T) {
	for text, want := range map[string]int64{
		"4105550123": 14105550123, "410,5550123": 14105550123, "+1 (410) 555-0123": 14105550123, "1-410-555-0123": 14105550123, `"410","5550123"`: 14105550123,
		"phone": 0, "5550123": 0, "+44 20 7946 0000": 0, "410555012x": 0,
	} {
		got, ok := parse(text)
		if got != want || ok != (want > 0) {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}

	r := newReader(strings.NewReader("\ufeffarea,number\r\n410,5550123\r\n\r\n410,5550124\r\n"))
	got, err := r.next()
	assert.NoError(t, err)
	assert.Equal(t, got, []int64{14105550123, 14105550124})
	got, err = r.next()
	assert.NoError(t, err)
	assert.Equal(t, len(got), 0)

	if _, err := newReader(strings.NewReader(strings.Repeat("a@example.com\n", 20))).next(); err == nil {
		t.Error("a file without numbers is accepted")
	}
}
