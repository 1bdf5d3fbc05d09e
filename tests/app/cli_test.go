package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/cli"
	"slipway/internal/sdkgen"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// The command line calls each operation once, and prints the response.
func TestCommandLine(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		files := t.TempDir()
		last := recordResponses(t, s.URL)
		eachSDKCall(t, s, sdkModel(t, version.Latest()), func(t *testing.T, m sdkgen.Method, c sdkCall) {
			if m.OperationID == "streamEvents" {
				return // it doesn't end
			}
			id := m.OperationID
			if c.Preview {
				id = "preview." + id
			}
			args := append(strings.Fields(cli.Example(id))[2:3], c.IDs...)
			if m.OperationID == "search" {
				args = []string{"whaler"} // the noun is the command
			}
			if m.OperationID == "uploadDocument" { // the recipe is a form
				picture := testkit.Picture()
				c.File = &sdkFile{picture.Type, picture.Bytes}
				args = append(args, "--kind", "survey")
			}
			if c.File != nil {
				args = append(args, uploadFile(t, files, c.File))
			}
			if len(c.Body) > 0 {
				args = append(args, "-d", string(c.Body))
			}
			if strings.HasSuffix(cli.Example(id), " --preview") {
				args = append(args, "--preview")
			}

			var out, errs bytes.Buffer
			args = append(args, "-o", "json")
			env := map[string]string{"SLIPWAY_BASE_URL": last.url, "SLIPWAY_KEY": c.Key}
			session := &cli.Session{In: strings.NewReader(""), Out: &out, Err: &errs, Config: files, Getenv: func(name string) string { return env[name] }}
			err := cli.Run(t.Context(), session, sdkgen.Kebab(c.Family), args)
			if err != nil {
				t.Fatalf("slipway %s %s: %v", sdkgen.Kebab(c.Family), strings.Join(args, " "), err)
			}
			got, want := out.Bytes(), last.body
			if m.Result != "" || m.Item != "" {
				got, want = compact(t, got), compact(t, want)
			}
			assert.Equal(t, string(got), string(want), "the output and the response")
		})
	})
}

// recorded is the last response that went through a proxy.
type recorded struct {
	url  string
	body []byte
}

func recordResponses(t *testing.T, server string) *recorded {
	t.Helper()
	target, err := url.Parse(server)
	assert.NoError(t, err)
	last := &recorded{}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(r *http.Response) (err error) {
			if last.body, err = io.ReadAll(r.Body); err == nil {
				r.Body = io.NopCloser(bytes.NewReader(last.body))
			}
			return err
		},
	})
	t.Cleanup(proxy.Close)
	last.url = proxy.URL
	return last
}

func compact(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, text); err != nil {
		t.Errorf("got %q, want JSON: %v", text, err)
	}
	return out.Bytes()
}

// uploadFile writes a file whose name has the extension of its type.
func uploadFile(t *testing.T, folder string, f *sdkFile) string {
	t.Helper()
	extensions := map[string]string{"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "application/pdf": ".pdf", "text/csv": ".csv", "application/x-ndjson": ".ndjson"}
	mediaType, _, _ := strings.Cut(f.Type, ";")
	file := filepath.Join(folder, "upload"+extensions[mediaType])
	assert.NoError(t, os.WriteFile(file, f.Bytes, 0o600))
	return file
}
