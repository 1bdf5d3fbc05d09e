package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Logs tail reads more than one page if there are many new requests, and prints each once.
func TestLogsTailPages(t *testing.T) {
	var ids []string // newest first
	add := func(from, to int) {
		for n := from; n <= to; n++ {
			ids = append([]string{fmt.Sprintf("req_%04d", n)}, ids...)
		}
	}
	add(1, 150) // before the tail
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	passes := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest := ids
		after := r.URL.Query().Get("starting_after")
		if after == "" {
			switch passes++; passes {
			case 2:
				add(151, 400)
			case 3:
				add(401, 402)
			case 4:
				stop()
			}
			rest = ids
		}
		for i, id := range ids {
			if id == after {
				rest = ids[i+1:]
			}
		}
		page := rest[:min(100, len(rest))]
		data := []map[string]any{}
		for _, id := range page {
			data = append(data, map[string]any{"id": id, "method": "POST", "path": "/v1/leads", "status": 422})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "has_more": len(rest) > 100, "next_cursor": page[len(page)-1]})
	}))
	defer server.Close()
	t.Setenv("SLIPWAY_BASE_URL", server.URL)
	t.Setenv("SLIPWAY_KEY", "sk_test_1")

	var out bytes.Buffer
	s := &session{Context: ctx, log: slog.New(slog.DiscardHandler), in: strings.NewReader(""), out: &out}
	if err := (logsTailCmd{}).Run(s); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 252 {
		t.Fatalf("got %d lines, want the 252 requests that came after the start", len(lines))
	}
	for i, line := range lines {
		if want := fmt.Sprintf("req_%04d", 151+i); !strings.Contains(line, want) {
			t.Fatalf("got %q as line %d, want %s", line, i+1, want)
		}
	}
}
