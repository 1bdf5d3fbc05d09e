package browsertest

import (
	"os"
	"slices"
	"testing"
)

// cleanups run in reverse order after all tests.
var cleanups []func()

// tempFolder returns a folder that is deleted after all tests.
func tempFolder() (string, error) {
	folder, err := os.MkdirTemp("", "slipway-browsertest-")
	cleanups = append(cleanups, func() { _ = os.RemoveAll(folder) })
	return folder, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, clean := range slices.Backward(cleanups) {
		clean()
	}
	os.Exit(code)
}
