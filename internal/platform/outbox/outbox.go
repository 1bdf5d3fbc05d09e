// Package outbox deletes the files of messages that were written to a folder instead of being
// sent. Email and text messages share the folder.
package outbox

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Remove deletes a file, if it exists.
func Remove(file string) error {
	if err := os.Remove(file); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep deletes the files with a suffix that were written before a time.
func Sweep(folder, suffix string, before time.Time) error {
	files, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.ModTime().Before(before) {
			err = os.Remove(file)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) { // another node might have deleted it
			return err
		}
	}
	return nil
}
