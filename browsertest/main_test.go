package browsertest

import (
	"os"
	"testing"
)

var folders []string

// tempFolder returns a folder that is deleted after all tests.
func tempFolder() (string, error) {
	folder, err := os.MkdirTemp("", "slipway-browsertest-")
	folders = append(folders, folder)
	return folder, err
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, f := range folders {
		_ = os.RemoveAll(f)
	}
	os.Exit(code)
}
