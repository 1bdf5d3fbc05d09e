// Package blobs keeps bytes that are too large for the database: in a folder,
// or in a bucket of any store that speaks S3.
//
// A blob is written before the transaction that makes the row it belongs to,
// and removed after the one that removes it: see Keeper.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// Store keeps bytes under keys such as photos/1f/01jcqz8t5n8m2x4v6b7c9d0e1f/card.
type Store interface {
	// Put keeps what r gives, whole or not at all. It replaces what was there.
	Put(ctx context.Context, key string, r io.Reader) error
	// Open reads a blob; ErrNotFound if there is none.
	Open(ctx context.Context, key string) (io.ReadSeekCloser, error)
	// Remove removes a blob, or all whose keys start with key and a slash.
	// Nothing there is no error.
	Remove(ctx context.Context, key string) error
}

// ErrNotFound is that nothing is kept under a key.
var ErrNotFound = errors.New("no such blob")

// Open returns the store at a URL: s3://key:secret@host/bucket or, for "", a
// folder.
func Open(address, folder string) (Store, error) {
	if address == "" {
		return openFolder(folder)
	}
	// The URL holds a secret, so it is not quoted.
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
