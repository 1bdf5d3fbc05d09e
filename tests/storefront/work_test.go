package storefront

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"slipway/internal/messages"
	"slipway/internal/platform/front"
	"slipway/internal/storefront"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// prove does what the script of the form does.
func prove(stamp string) string {
	for n := 0; ; n++ {
		if number := strconv.Itoa(n); front.Worked(stamp, number) {
			return number
		}
	}
}

// storefrontAPI returns the API of the package, so that tests can run its jobs directly.
func storefrontAPI(s *testkit.Server) *storefront.API {
	return &storefront.API{DB: s.DB, Jobs: s.Jobs, Messages: &messages.API{DB: s.DB, Jobs: s.Jobs, Box: s.Box, MailFrom: "Slipway <mail@slipway.example>"}}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mail waits for a number of messages with a subject and returns them as they were sent. None may
// be from Slipway.
func mail(t *testing.T, s *testkit.Server, subject string, n int) (texts []string) {
	t.Helper()
	assert.Eventually(t, subject, func() bool {
		texts = nil
		files, err := filepath.Glob(filepath.Join(s.Data, "outbox", "*.eml"))
		check(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			check(t, err)
			if text := string(content); strings.Contains(text, "Subject: "+subject+"\r\n") && strings.Contains(text, "</html>") {
				assert.Excludes(t, text, "Slipway")
				texts = append(texts, text)
			}
		}
		return len(texts) >= n
	})
	assert.Len(t, texts, n)
	return texts
}
