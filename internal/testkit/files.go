package testkit

import (
	"bytes"
	"io/fs"
	"mime/multipart"
	"path/filepath"
	"slices"
	"testing"
)

// Form returns a form with a file. The first field is before the file, the others
// are after it.
func Form(t *testing.T, file File, fields ...string) File {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	add := func(i int) {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if len(fields) > 0 {
		add(0)
	}
	part, err := w.CreateFormFile("file", "bow.exe")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(file.Bytes)
	for i := 2; i < len(fields); i += 2 {
		add(i)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return File{Type: w.FormDataContentType(), Bytes: b.Bytes()}
}

// StoredFiles lists the files in the blob folder.
func (s *Server) StoredFiles() (files []string) {
	s.t.Helper()
	err := filepath.WalkDir(filepath.Join(s.Data, "blobs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	check(s.t, err)
	slices.Sort(files)
	return files
}
