package blobs

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// partSize is the size of the parts in which a blob of unknown size is uploaded.
// Each part is buffered in memory.
const partSize = 8 << 20

// bucket stores blobs in an S3-compatible bucket.
type bucket struct {
	client *minio.Client
	name   string
	prefix string
}

// openBucket does not connect. If the URL has no key, it uses the IAM role of the
// machine, as on EC2.
func openBucket(u *url.URL, name, prefix string) (*bucket, error) {
	creds := credentials.NewIAM("")
	if secret, ok := u.User.Password(); ok {
		creds = credentials.NewStaticV4(u.User.Username(), secret, "")
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: creds, Secure: u.Query().Get("tls") != "false", Region: u.Query().Get("region"),
	})
	return &bucket{client, name, prefix}, err
}

func (b *bucket) Put(ctx context.Context, key string, r io.Reader) error {
	size := int64(-1)
	if known, ok := r.(*bytes.Reader); ok {
		size = known.Size()
	}
	// All stores support MD5 checksums of parts. Not all support signed chunks.
	opts := minio.PutObjectOptions{PartSize: partSize, DisableContentSha256: true, SendContentMd5: true}
	_, err := b.client.PutObject(ctx, b.name, path.Join(b.prefix, key), r, size, opts)
	return err
}

// Open requests the size first, because a missing blob is otherwise only reported
// when it is read.
func (b *bucket) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, path.Join(b.prefix, key), minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	if _, err := object.Stat(); err != nil {
		if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
			err = ErrNotFound
		}
		_ = object.Close()
		return nil, err
	}
	return object, nil
}

func (b *bucket) List(ctx context.Context, key string) (keys []string, err error) {
	prefix := path.Join(b.prefix, key) + "/"
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, object.Err
		}
		keys = append(keys, key+"/"+strings.TrimPrefix(object.Key, prefix))
	}
	return keys, nil
}

func (b *bucket) Remove(ctx context.Context, key string) error {
	key = path.Join(b.prefix, key)
	if err := b.client.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{}); err != nil {
		return err
	}
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: key + "/", Recursive: true}) {
		if object.Err != nil {
			return object.Err
		}
		if err := b.client.RemoveObject(ctx, b.name, object.Key, minio.RemoveObjectOptions{}); err != nil {
			return err
		}
	}
	return nil
}
