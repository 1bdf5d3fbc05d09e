package slipway

import (
	"io"
	"sync"
)

// File is a file to upload.
type File struct {
	// A file that can seek, such as an os.File or a bytes.Reader, is sent again if an
	// attempt fails. Other readers are not, once they were read.
	Content io.Reader
	// Type of the content, such as image/jpeg.
	ContentType string
	// Called with the number of bytes that were sent. It starts at 0 again if the file is
	// sent again.
	Progress func(sent int64)
}

// upload is a file that is sent as the body of a request.
type upload struct {
	file  File
	seek  io.Seeker // nil if the file can't be sent again
	start int64
	size  int64 // -1 if unknown
	body  *uploadBody
}

func newUpload(f File) *upload {
	u := &upload{file: f, size: -1}
	s, ok := f.Content.(io.Seeker)
	if !ok {
		return u
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil { // a pipe
		return u
	}
	end, err := s.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = s.Seek(start, io.SeekStart)
	}
	if err == nil {
		u.seek, u.start, u.size = s, start, end-start
	}
	return u
}

// open returns the body of an attempt.
func (u *upload) open() io.Reader {
	u.body = &uploadBody{file: u.file, closed: make(chan struct{})}
	return u.body
}

// rewind prepares the file for another attempt. It returns false if that is not possible.
func (u *upload) rewind() bool {
	<-u.body.closed // the transport can still be reading after it returned
	if u.body.sent == 0 {
		return true
	}
	if u.seek == nil {
		return false
	}
	_, err := u.seek.Seek(u.start, io.SeekStart)
	return err == nil
}

// uploadBody counts the bytes that are read. The transport closes it when it is done.
type uploadBody struct {
	file   File
	sent   int64
	once   sync.Once
	closed chan struct{}
}

func (b *uploadBody) Read(p []byte) (int, error) {
	n, err := b.file.Content.Read(p)
	b.sent += int64(n)
	if n > 0 && b.file.Progress != nil {
		b.file.Progress(b.sent)
	}
	return n, err
}

func (b *uploadBody) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}
