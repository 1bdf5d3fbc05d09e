package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extensions are media types that some systems don't know.
var extensions = map[string]string{
	".csv": "text/csv", ".ndjson": "application/x-ndjson", ".jsonl": "application/x-ndjson", ".webp": "image/webp",
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".pdf": "application/pdf",
}

// upload is a file to upload, which shows its progress.
type upload struct {
	*os.File
	size      int64
	mediaType string
	bar       *bar
	sent      int64
}

// openUpload opens a file that an operation accepts.
func openUpload(s *Session, path string, accepted []string) (*upload, error) {
	extension := strings.ToLower(filepath.Ext(path))
	mediaType := extensions[extension]
	if mediaType == "" {
		mediaType, _, _ = mime.ParseMediaType(mime.TypeByExtension(extension))
	}
	if !slices.Contains(accepted, mediaType) {
		return nil, fmt.Errorf("can't upload %s. The file must be %s", path, strings.Join(accepted, " or "))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, f.Close(), fmt.Errorf("%s is not a file", path))
	}
	return &upload{File: f, size: info.Size(), mediaType: mediaType, bar: newBar(s, "Uploading "+filepath.Base(path))}, nil
}

// Read reads the file and moves the bar.
func (u *upload) Read(b []byte) (int, error) {
	n, err := u.File.Read(b)
	u.sent += int64(n)
	u.bar.set(u.sent, u.size, byteCount(u.sent))
	if errors.Is(err, io.EOF) {
		u.bar.finish()
	}
	return n, err
}

// WriteTo hides the one of the file, which would not move the bar.
func (u *upload) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{u})
}

// Seek starts again.
func (u *upload) Seek(offset int64, whence int) (int64, error) {
	u.sent = 0
	return u.File.Seek(offset, whence)
}

// download writes the file of a response to a path, or to the output.
func download(ctx context.Context, s *Session, client *Client, r Request, path string) error {
	r.Stream = true
	res, err := client.Send(ctx, r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if path == "" {
		mediaType, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
		if s.Terminal && !strings.HasPrefix(mediaType, "text/") && !strings.HasSuffix(mediaType, "json") && !strings.HasSuffix(mediaType, "xml") {
			return fmt.Errorf("the response is a file (%s). To save it, add --save FILE", mediaType)
		}
		_, err = io.Copy(s.Out, res.Body)
		return err
	}

	// The file appears when it is complete.
	f, err := os.CreateTemp(filepath.Dir(path), ".slipway-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // it was renamed, unless something failed
	size := contentLength(res.Header.Get("Content-Length"))
	to := &progressWriter{w: f, bar: newBar(s, "Downloading "+filepath.Base(path)), size: size}
	if _, err := io.Copy(to, res.Body); err != nil {
		return errors.Join(err, f.Close())
	}
	to.bar.finish()
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if s.Interactive {
		_, err = fmt.Fprintf(s.Err, "Saved %s (%s).\n", path, byteCount(to.done))
	}
	return err
}

type progressWriter struct {
	w          io.Writer
	bar        *bar
	done, size int64
}

func (p *progressWriter) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.done += int64(n)
	p.bar.set(p.done, p.size, byteCount(p.done))
	return n, err
}

func contentLength(text string) (n int64) {
	_, _ = fmt.Sscan(text, &n) // 0 if it is unknown
	return n
}

func byteCount(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
