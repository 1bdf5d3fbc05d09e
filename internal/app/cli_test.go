package app_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"slipway/internal/cli"
	"slipway/internal/sdkgen"
	"slipway/internal/testkit"
	"slipway/internal/vocab/version"
)

// The command line calls each operation once, and prints the JSON of the response.
func TestCommandLine(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		files := t.TempDir()
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
			env := map[string]string{"SLIPWAY_BASE_URL": c.URL, "SLIPWAY_KEY": c.Key}
			session := &cli.Session{In: strings.NewReader(""), Out: &out, Err: &errs, Config: files, Getenv: func(name string) string { return env[name] }}
			err := cli.Run(t.Context(), session, sdkgen.Kebab(c.Family), args)
			if err != nil {
				t.Fatalf("slipway %s %s: %v", sdkgen.Kebab(c.Family), strings.Join(args, " "), err)
			}
			if (m.Result != "" || m.Item != "") && !json.Valid(out.Bytes()) {
				t.Errorf("got %q, want JSON", out.String())
			}
		})
	})
}

// uploadFile writes a file whose name has the extension of its type.
func uploadFile(t *testing.T, folder string, f *sdkFile) string {
	t.Helper()
	extensions := map[string]string{"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "application/pdf": ".pdf", "text/csv": ".csv", "application/x-ndjson": ".ndjson"}
	mediaType, _, _ := strings.Cut(f.Type, ";")
	file := filepath.Join(folder, "upload"+extensions[mediaType])
	must(t, os.WriteFile(file, f.Bytes, 0o600))
	return file
}
