package rest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/fault"
)

const (
	// uploadIn limits a whole upload, stallFor a pause in it.
	uploadIn = time.Hour
	stallFor = 30 * time.Second
	// maxField limits a form field other than the file.
	maxField = 64 << 10
)

// Upload is a request body that is not JSON: a raw file, or the part "file" of a
// form. It is read as it arrives.
type Upload struct {
	Type    string // as the caller declared it
	Charset string // the parameter of the type, "" if there is none

	x      *exchange
	most   int64
	read   int64
	file   io.Reader
	form   *multipart.Reader // nil for a raw body
	fields map[string]string
	hash   hash.Hash
}

// Body returns the uploaded file of a request.
func Body(ctx context.Context) *Upload { return exchangeFrom(ctx).upload }

// openUpload prepares the body of an endpoint that accepts files.
func (x *exchange) openUpload(w http.ResponseWriter, req *http.Request, t Files) error {
	media, params, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil || (media != "multipart/form-data" && !slices.Contains(t.Types, media)) {
		advice := "Send the file as one of " + strings.Join(t.Types, ", ") + ", or in a form as multipart/form-data."
		if other, ok := t.Refuses[media]; ok {
			advice = other
		}
		return fault.New(fault.KindUnsupportedType, "%s", advice).
			Detail("Content-Type", "enum", "must be one of %s, multipart/form-data", strings.Join(t.Types, ", "))
	}
	// A form is slightly larger than its file.
	whole := t.Most + 1<<20
	if req.ContentLength > whole {
		return tooLarge(t.Most)
	}
	u := &Upload{Type: media, Charset: params["charset"], x: x, most: t.Most, fields: map[string]string{}, hash: sha256.New()}
	fmt.Fprintf(u.hash, "%s %s\n", req.Method, req.URL.RequestURI())
	body := &stallReader{http.NewResponseController(w), http.MaxBytesReader(w, req.Body, whole), time.Now().Add(uploadIn)} //nolint:forbidigo // deadlines of connections use the real clock
	u.file = body
	if media == "multipart/form-data" {
		if params["boundary"] == "" {
			return fault.BadRequest("The form has no boundary.").Detail("Content-Type", "pattern", "must have the boundary of the form")
		}
		u.form = multipart.NewReader(body, params["boundary"])
		if err := u.toFile(t.Fields); err != nil {
			return err
		}
	}
	x.upload = u
	return nil
}

// toFile reads the fields of a form up to the file.
func (u *Upload) toFile(known []string) error {
	for {
		part, err := u.form.NextPart()
		if errors.Is(err, io.EOF) {
			return fault.BadRequest("The form has no file.").Detail("file", "required", "is required")
		}
		if err != nil {
			return cutOff(err)
		}
		if part.FormName() == "file" {
			u.file = part
			if t := part.Header.Get("Content-Type"); t != "" {
				var params map[string]string
				u.Type, params, _ = mime.ParseMediaType(t)
				u.Charset = params["charset"]
			}
			return nil
		}
		if err := u.field(part, known); err != nil {
			return err
		}
	}
}

func (u *Upload) field(part *multipart.Part, known []string) error {
	name := part.FormName()
	if !slices.Contains(known, name) {
		d := fault.Detail{Field: clip(name, 100), Code: "unknown_field", Message: "is not a known field"}
		suggestName(&d, known)
		return fault.Fields{d}.Err()
	}
	if _, twice := u.fields[name]; twice {
		return fault.BadRequest("The field %s is repeated.", name).Detail(name, "duplicate", "must be given once")
	}
	text, err := io.ReadAll(io.LimitReader(part, maxField+1))
	if err != nil {
		return cutOff(err)
	}
	if len(text) > maxField || !utf8.Valid(text) || slices.Contains(text, 0) {
		return fault.New(fault.KindUnprocessable, "%s is too long or not text.", name).Detail(name, "too_long",
			"must be text of at most %d bytes", maxField)
	}
	u.fields[name] = string(text)
	return nil
}

// Read reads the file.
func (u *Upload) Read(p []byte) (int, error) {
	n, err := u.file.Read(p)
	u.hash.Write(p[:n])
	if u.read += int64(n); u.read > u.most {
		return 0, tooLarge(u.most)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = cutOff(err)
	}
	return n, err
}

// Fields reads the rest of the request and returns the form's other fields. Call
// it between reading the file and Write, which compares the whole request with
// the first one that used its Idempotency-Key.
func (u *Upload) Fields() (map[string]string, error) {
	if _, err := io.Copy(io.Discard, u); err != nil {
		return nil, err
	}
	accepts := u.x.endpoint.Accepts
	for u.form != nil {
		part, err := u.form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, cutOff(err)
		}
		if part.FormName() == "file" {
			return nil, fault.BadRequest("The form has two files.").Detail("file", "duplicate", "must be given once")
		}
		if err := u.field(part, accepts.Fields); err != nil {
			return nil, err
		}
	}
	// The boundary differs in every retry, so it is not part of the fingerprint.
	for _, name := range slices.Sorted(maps.Keys(u.fields)) {
		fmt.Fprintf(u.hash, "\n%q=%q", name, u.fields[name])
	}
	u.x.fingerprint = u.hash.Sum(nil)
	return u.fields, nil
}

func tooLarge(most int64) error {
	return fault.New(fault.KindTooLarge, "The file is larger than %d bytes.", most).Detail("file", "too_long", "must be at most %d bytes",
		most)
}

func cutOff(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge(large.Limit)
	}
	return fault.BadRequest("The body could not be read completely.").WithCause(err)
}

// stallReader reads a body whose sender can take long but cannot pause for long.
type stallReader struct {
	conn *http.ResponseController
	body io.Reader
	last time.Time
}

func (l *stallReader) Read(p []byte) (int, error) {
	pause := time.Now().Add(stallFor) //nolint:forbidigo // deadlines of connections use the real clock
	if pause.After(l.last) {
		pause = l.last
	}
	_ = l.conn.SetReadDeadline(pause) // if it is not supported, the server has a deadline
	_ = l.conn.SetWriteDeadline(pause.Add(2 * stallFor))
	return l.body.Read(p)
}
