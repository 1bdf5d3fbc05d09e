// Package lazy compiles patterns when they are first used. The program has more than a
// hundred, and each command and each test needs few of them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a pattern that is compiled by the first call. It panics if the pattern is
// invalid.
func Regexp(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
