package documents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"slipway/internal/deals"
	"slipway/internal/platform/db"
	"slipway/internal/platform/images"
	"slipway/internal/platform/rest"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	maxUploadBytes = 25 << 20
	blobName       = "content"
)

var (
	uploadTypes = []string{contentType, "image/jpeg", "image/png"}
	extensions  = map[string]string{contentType: ".pdf", "image/jpeg": ".jpg", "image/png": ".png"}
)

func (a *API) upload(ctx context.Context, in *struct {
	deals.ByDeal
	Kind  string `query:"kind" maxLength:"50" doc:"Kind of document that is closest. Use it if the body is the file."`
	Title string `query:"title" maxLength:"200" doc:"What the document is. Use it if the body is the file. Defaults to the usual title of the kind."`
}) (Document, error) {
	env := auth.From(ctx).Env
	find := func(ctx context.Context, tx *db.Tx) (deals.Deal, error) { return deals.Find(ctx, tx, in.DealID) }
	if _, err := rest.Read(ctx, a.DB, find); err != nil { // before the file is read
		return Document{}, err
	}

	u, sum := rest.Body(ctx), sha256.New()
	key, err := a.Blobs.Upload(ctx, env, "documents", blobName, io.TeeReader(u, sum))
	if err != nil {
		return Document{}, err
	}
	claimed := false
	defer func() {
		if !claimed {
			a.Blobs.Cancel(ctx, env, key)
		}
	}()
	fields, err := u.Fields()
	if err != nil {
		return Document{}, err
	}
	values := map[string]string{"kind": in.Kind, "title": in.Title}
	maps.Copy(values, fields)
	doc, err := uploaded(values, auth.From(ctx).Actor)
	if err != nil {
		return doc, err
	}
	if doc.ContentType, doc.SizeBytes, err = a.inspect(ctx, key); err != nil {
		return doc, err
	}
	doc.Blob, doc.SHA256 = &key, hex.EncodeToString(sum.Sum(nil))

	out, err := rest.Write(ctx, a.DB, func(ctx context.Context, tx *db.Tx) (Document, error) {
		claimed = false
		d, err := deals.FindForUpdate(ctx, tx, in.DealID)
		if err != nil {
			return Document{}, err
		}
		if err := rest.CheckIfMatch(ctx, d.Version); err != nil {
			return Document{}, err
		}
		added := doc // the transaction might run twice
		err = insertUpload(ctx, tx, d, &added)
		claimed = err == nil
		return added, err
	})
	claimed = claimed && err == nil
	return out, err
}

// uploaded builds the record of a file. No one has to sign it.
func uploaded(values map[string]string, by auth.Actor) (Document, error) {
	d := Document{
		Kind: DocumentKind(values["kind"]), Title: strings.TrimSpace(values["title"]), Status: Issued, Origin: FromUpload,
		RequiredSigners: []SignerRole{}, Signatures: []DocumentSignature{}, IssuedBy: by,
	}
	var bad fault.Fields
	if !allKinds.Has(d.Kind) {
		bad.Add("kind", "enum", "must be a kind of document, such as credit_application")
	}
	if utf8.RuneCountInString(d.Title) > 200 {
		bad.Add("title", "too_long", "must have at most 200 characters")
	}
	if d.Title == "" {
		d.Title = forms[d.Kind].title
	}
	return d, bad.Err()
}

// inspect returns the type and the size of an uploaded file.
func (a *API) inspect(ctx context.Context, key string) (kind string, size int64, err error) {
	content, err := a.Blobs.Open(ctx, key+"/"+blobName)
	if err != nil {
		return "", 0, err
	}
	defer content.Close()
	start := make([]byte, 512)
	n, err := io.ReadFull(content, start)
	if err != nil && n == 0 {
		return "", 0, rejectUpload("empty", "is empty")
	}
	if kind = http.DetectContentType(start[:n]); !slices.Contains(uploadTypes, kind) {
		return "", 0, rejectUpload("type", "must be a PDF, or a JPEG or PNG picture")
	}
	if size, err = content.Seek(0, io.SeekEnd); err != nil {
		return "", 0, err
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return kind, size, err
	}
	if kind == contentType {
		return kind, size, checkPDF(content)
	}
	_, err = images.Inspect(content)
	return kind, size, err
}

// checkPDF rejects a PDF that does something when it is opened.
func checkPDF(content io.Reader) error {
	pdf, err := io.ReadAll(content) // up to maxUploadBytes
	if err != nil {
		return err
	}
	if problem := problemOf(pdf); problem != "" {
		return rejectUpload("active", problem)
	}
	return nil
}

func rejectUpload(code, message string) error {
	var bad fault.Fields
	bad.Add("file", code, "%s", message)
	return bad.Err()
}
