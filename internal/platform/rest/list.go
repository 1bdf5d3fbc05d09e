package rest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"slipway/internal/platform/db"
	"slipway/internal/vocab/page"
	"slipway/internal/vocab/wire"
)

// encodeList encodes a page, or replies 304 if the caller has it. Most of its objects were
// encoded before.
func (x *exchange) encodeList(p *reply, list page.Any) error {
	form := "stable"
	if x.preview {
		form = "preview"
	}
	n, row := list.Rows()
	rows, size := make([]db.JSON, n), 0
	for i := range rows {
		json, err := x.router.DB.Encoded(row(i), form, x.encodeValue)
		if err != nil {
			return err
		}
		rows[i], size = json, size+len(json.Text)+1
	}
	frame, err := wire.Marshal(list.Frame())
	if err != nil {
		return err
	}

	if x.endpoint.Listing() {
		tag := pageTag(x.caller.Version, rows, frame)
		p.header["ETag"] = tag
		if matchesTag(x.ifNoneMatch, tag) {
			p.status = http.StatusNotModified
			return nil
		}
	}
	p.body = append(make([]byte, 0, size+len(frame)+16), `{"data":[`...)
	for i, r := range rows {
		if i > 0 {
			p.body = append(p.body, ',')
		}
		p.body = append(p.body, r.Text...)
	}
	p.body = append(append(p.body, `],`...), frame[1:]...)
	return nil
}

// pageTag returns the ETag of a page. It depends on what the caller sees and on nothing else, so
// it's the same on all nodes, and 304 is right for all callers.
func pageTag(version string, rows []db.JSON, frame []byte) string {
	h := sha256.New()
	h.Write([]byte(version))
	for _, r := range rows {
		h.Write(r.Sum[:])
	}
	h.Write(frame)
	return strconv.Quote(base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15]))
}

// matchesTag reports whether an If-None-Match header names an ETag.
func matchesTag(header, tag string) bool {
	return header != "" && slices.ContainsFunc(strings.Split(header, ","), func(sent string) bool {
		sent = strings.TrimSpace(sent)
		return sent == "*" || strings.TrimPrefix(sent, "W/") == tag
	})
}
