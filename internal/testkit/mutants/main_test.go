package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The faults can be planted in the code as it is now. If this fails because you changed the
// code, change the fault too, and run `make test-mutants`.
func TestFaultsCanBePlanted(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	names := map[string]bool{}
	for _, f := range faults {
		if text, err := f.plant(root); err != nil {
			t.Error(err)
		} else if f.old == f.new || text == "" {
			t.Errorf("%s changes nothing", f.name)
		}
		if names[f.name] {
			t.Errorf("two faults are named %s", f.name)
		}
		names[f.name] = true
		if _, err := os.Stat(filepath.Join(root, f.pkg)); err != nil {
			t.Error(err)
		}
	}
	if len(faults) < 25 {
		t.Errorf("got %d faults, want at least 25", len(faults))
	}
}
