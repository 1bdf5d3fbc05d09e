package app

import "testing"

func TestTracesURL(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://localhost:4318":              "http://localhost:4318/v1/traces",
		"http://localhost:4318/":             "http://localhost:4318/v1/traces",
		"https://otel.example.com/in/traces": "https://otel.example.com/in/traces",
	} {
		if got := tracesURL(endpoint); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}
