// Package blobs stores files that are too large for the database, in a folder or
// in an S3-compatible bucket.
//
// A blob is written before the transaction that inserts its row, and deleted
// after the transaction that deletes its row. See Files.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// Store stores bytes under keys such as photos/1f/01jcqz8t5n8m2x4v6b7c9d0e1f/card.
type Store interface {
	// Put stores the content of r completely or not at all. It replaces an existing blob.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open opens a blob, or returns ErrNotFound.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// List returns the keys that start with key and a slash, sorted.
	List(ctx context.Context, key string) ([]string, error)
	// Remove deletes a blob, or all blobs whose keys start with key and a slash.
	// It returns no error if there are none.
	Remove(ctx context.Context, key string) error
}

// ErrNotFound means that there is no blob with this key.
var ErrNotFound = errors.New("blob not found")

// Open returns the store at a URL such as s3://key:secret@host/bucket. If the URL
// is empty, it returns a folder.
func Open(address, folder string) (Store, error) {
	if address == "" {
		return openFolder(folder)
	}
	// The URL contains a secret, so the error does not quote it.
	malformed := errors.New("must be a URL such as s3://key:secret@host/bucket")
	u, err := url.Parse(address)
	if err != nil {
		return nil, malformed
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if u.Scheme != "s3" || u.Host == "" || bucket == "" {
		return nil, malformed
	}
	s, err := openBucket(u, bucket, prefix)
	if err != nil {
		return nil, fmt.Errorf("bucket %s at %s: %w", bucket, u.Host, err)
	}
	return s, nil
}
