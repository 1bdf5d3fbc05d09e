package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
)

// Seen is something that an operation did in a test: a response, or an event of the same
// request. Command behavior collects them for the API reference.
type Seen struct {
	Request string `json:"request"`

	Method string              `json:"method,omitempty"` // of a response
	Path   string              `json:"path,omitempty"`   // with the names of its parameters
	Status int                 `json:"status,omitempty"`
	Error  *rest.ErrorEnvelope `json:"error,omitempty"`

	Event    string          `json:"event,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Previous map[string]any  `json:"previous,omitempty"`
}

// seen appends to the file in SLIPWAY_BEHAVIOR_SEEN, if set.
func seen(t *testing.T, all ...Seen) {
	t.Helper()
	file := os.Getenv("SLIPWAY_BEHAVIOR_SEEN")
	if file == "" || len(all) == 0 {
		return
	}
	var lines []byte
	for _, s := range all {
		line, err := json.Marshal(s)
		check(t, err)
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(t, err)
	_, err = f.Write(lines) // one write, because test processes append at the same time
	check(t, errors.Join(err, f.Close()))
}

// seeResponse records the response of a request to a path of the description.
func seeResponse(t *testing.T, method, path string, res *Response) {
	t.Helper()
	s := Seen{Request: res.Header.Get("Request-Id"), Method: method, Path: path, Status: res.StatusCode}
	if res.StatusCode >= 400 && json.Unmarshal(res.Bytes, &s.Error) != nil {
		return
	}
	seen(t, s)
}

// seeEvents records the events of requests.
func seeEvents(t *testing.T, a *app.App) {
	t.Helper()
	if os.Getenv("SLIPWAY_BEHAVIOR_SEEN") == "" {
		return
	}
	type row struct {
		RequestID string `db:"request_id"`
		Type      string `db:"type"`
		Data      string `db:"data"`
	}
	rows, err := db.Read(context.Background(), a.DB, func(ctx context.Context, tx *db.Tx) ([]row, error) {
		return db.All[row](ctx, tx, `SELECT request_id, type, data FROM `+emitted+` WHERE request_id IS NOT NULL`)
	})
	if err != nil {
		return // the test closed or broke the database
	}
	for _, r := range rows {
		s := Seen{Request: r.RequestID, Event: r.Type}
		var data struct {
			Object   json.RawMessage
			Previous map[string]any
		}
		check(t, json.Unmarshal([]byte(r.Data), &data))
		s.Object, s.Previous = data.Object, data.Previous
		seen(t, s)
	}
}
