package main

import (
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

const output = `{"Action":"run","Package":"p","Test":"TestFast"}
{"Action":"output","Package":"p","Test":"TestFast","Output":"hidden\n"}
{"Action":"pass","Package":"p","Test":"TestFast","Elapsed":0.5}
{"Action":"output","Package":"p","Test":"TestSlow","Output":"slow_test.go:7: got 1\n"}
{"Action":"fail","Package":"p","Test":"TestSlow","Elapsed":9}
{"Action":"output","Package":"p","Output":"FAIL\tp\t9.5s\n"}
{"Action":"fail","Package":"p","Elapsed":9.5}
{"Action":"output","Package":"q","Output":"ok  \tq\t1.0s\n"}
{"Action":"pass","Package":"q","Elapsed":1}
a line of the go command
`

func TestReport(t *testing.T) {
	var out strings.Builder
	r, err := read(strings.NewReader(output), func(text string) { out.WriteString(text) })
	if err != nil {
		t.Fatal(err)
	}
	assert.Equal(t, r.failed, true)
	assert.Equal(t, out.String(), "slow_test.go:7: got 1\nFAIL\tp\t9.5s\nok  \tq\t1.0s\na line of the go command\n")
	assert.Equal(t, slowest(r.tests, 1), []timing{{"p.TestSlow", 9}})
	assert.Equal(t, slowest(r.packages, 10), []timing{{"p", 9.5}, {"q", 1}})
}

// What can be a matter of time is tried again. What can't be isn't.
func TestAgain(t *testing.T) {
	const fail = `{"Action":"fail","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestA/sqlite"}` + "\n"
	for text, want := range map[string]bool{
		output: true,
		fail:   true,
		fail + `{"Action":"output","Package":"p","Test":"TestA","Output":"WARNING: DATA RACE\n"}`: false,
		fail + `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: nil map\n"}`:     false,
		fail + `{"Action":"build-fail","ImportPath":"q"}`:                                         false,
		strings.Repeat(fail, 4):           false,
		`{"Action":"fail","Package":"p"}`: false,
		`{"Action":"pass","Package":"p"}`: false,
	} {
		r, err := read(strings.NewReader(text), func(string) {})
		assert.NoError(t, err)
		assert.Equal(t, r.again(), want, text)
	}
}

func TestBudget(t *testing.T) {
	r := &report{tests: []timing{{"p.TestFast", 0.5}, {"p.TestSlow", 9}}, packages: []timing{{"p", 9.5}}}
	for text, want := range map[string][]string{
		"test 10\npackage 10":             nil,
		"test 5 # seconds\npackage 10":    {"p.TestSlow took 9.0 s."},
		"test 5\npackage 5\np.TestSlow 9": {"p took 9.5 s."},
	} {
		b, err := parseBudget(text)
		if err != nil {
			t.Fatal(err)
		}
		over := b.exceeded(r)
		assert.Len(t, over, len(want), text)
		for i := range want {
			assert.Contains(t, over[i], want[i], text)
		}
	}
	if _, err := parseBudget("test"); err == nil {
		t.Error("got no error for a line without seconds")
	}
}
