package app

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"slipway/internal/sdkgen"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

// sdkCall is a command for the program that calls operations through an SDK.
type sdkCall struct {
	URL     string          `json:"url"`
	Key     string          `json:"key"`
	Preview bool            `json:"preview"`
	Family  string          `json:"family"`
	Method  string          `json:"method"`
	IDs     []string        `json:"ids"`
	Body    json.RawMessage `json:"body,omitempty"`
	File    *sdkFile        `json:"file,omitempty"`
	Times   int             `json:"times,omitempty"`
}

type sdkFile struct {
	Type  string `json:"type"`
	Bytes []byte `json:"bytes"`
}

// sdkProgram is a running program that calls operations.
type sdkProgram struct {
	in  *json.Encoder
	out *bufio.Scanner
}

func startSDK(t *testing.T, command *exec.Cmd) *sdkProgram {
	t.Helper()
	in, err := command.StdinPipe()
	assert.NoError(t, err)
	out, err := command.StdoutPipe()
	assert.NoError(t, err)
	command.Stderr = t.Output()
	assert.NoError(t, command.Start())
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		assert.NoError(t, command.Wait())
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	return &sdkProgram{json.NewEncoder(in), lines}
}

// call calls an operation and returns the response, if the program returns it.
func (p *sdkProgram) call(t *testing.T, c sdkCall) json.RawMessage {
	t.Helper()
	assert.NoError(t, p.in.Encode(c))
	if !p.out.Scan() {
		t.Fatalf("%s.%s: the program ended: %v", c.Family, c.Method, p.out.Err())
	}
	var answer struct {
		Error    string
		Response json.RawMessage
	}
	assert.NoError(t, json.Unmarshal(p.out.Bytes(), &answer))
	if answer.Error != "" {
		t.Errorf("%s.%s: %s", c.Family, c.Method, answer.Error)
	}
	return answer.Response
}

// eachSDKCall runs the recipe of each operation. The recipe creates what the operation
// needs, and call calls it through an SDK.
func eachSDKCall(t *testing.T, s *testkit.Server, m *sdkgen.Model, call func(t *testing.T, m sdkgen.Method, c sdkCall)) {
	t.Helper()
	for _, f := range m.Families {
		for _, m := range f.Methods {
			id := m.OperationID
			if f.Preview {
				id = "preview." + id
			}
			if id == forPeople {
				continue
			}
			t.Run(id, func(t *testing.T) {
				s := s.In(t)
				c := sdkCall{URL: s.URL, Preview: f.Preview, Family: f.Name, Method: m.Name, IDs: []string{}}
				var params map[string]string
				if recipes[id].params != nil {
					params = recipes[id].params(s.Test)
				}
				for _, name := range m.IDs {
					c.IDs = append(c.IDs, params[name])
				}
				if recipes[id].body != nil {
					c.setBody(t, recipes[id].body(s.Test))
				}
				c.Key = callerOf(s, &huma.Operation{OperationID: id}, params).Key
				call(t, m, c)
			})
		}
	}
}

func (c *sdkCall) setBody(t *testing.T, body any) {
	t.Helper()
	switch b := body.(type) {
	case string:
		c.Body = json.RawMessage(b)
	case testkit.File:
		c.File = &sdkFile{b.Type, b.Bytes}
	default:
		text, err := json.Marshal(b)
		assert.NoError(t, err)
		c.Body = text
	}
}

func sdkModel(t *testing.T, version string) *sdkgen.Model {
	t.Helper()
	stable, err := os.ReadFile("../../api/openapi.json")
	assert.NoError(t, err)
	preview, err := os.ReadFile("../../api/openapi-preview.json")
	assert.NoError(t, err)
	m, err := sdkgen.Load(version, stable, preview)
	assert.NoError(t, err)
	return m
}

// goSDK builds a program of the Go SDK.
func goSDK(t *testing.T, folder string) string {
	t.Helper()
	return buildSDK(t, "../../sdk/go", folder)
}

// buildSDK builds a program of a copy of the Go SDK, which is its own module.
func buildSDK(t *testing.T, module, folder string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, "./"+folder) // a fast link
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", folder, err, out)
	}
	return program
}

// The Go SDK calls each operation once, and knows every field of the responses.
func TestGoSDK(t *testing.T) {
	s := testkit.OnSQLite(t)
	program := startSDK(t, exec.Command(goSDK(t, "internal/conformance")))
	eachSDKCall(t, s, sdkModel(t, version.Latest()), func(t *testing.T, m sdkgen.Method, c sdkCall) {
		c.Method = sdkgen.GoName(m.Name)
		program.call(t, c)
	})
}

// The SDK of the first version knows every field that the server returns to it.
func TestOlderGoSDK(t *testing.T) {
	older := t.TempDir()
	assert.NoError(t, os.CopyFS(older, os.DirFS("../../sdk/go")))
	m := sdkModel(t, version.Published[0].Date)
	files, err := sdkgen.Go(m)
	assert.NoError(t, err)
	for name, text := range files {
		assert.NoError(t, os.WriteFile(filepath.Join(older, name), text, 0o600))
	}

	s := testkit.OnSQLite(t)
	program := startSDK(t, exec.Command(buildSDK(t, older, "internal/conformance")))
	m.Families = slices.DeleteFunc(m.Families, func(f sdkgen.Family) bool { return f.Preview })
	eachSDKCall(t, s, m, func(t *testing.T, m sdkgen.Method, c sdkCall) {
		if m.OperationID == "exportContact" {
			return // an export contains all data, also what newer versions added
		}
		c.Method = sdkgen.GoName(m.Name)
		program.call(t, c)
	})
}

// proxyOf starts a proxy of a server. handle decides what happens to a request.
func proxyOf(t *testing.T, s *testkit.Server, handle func(w http.ResponseWriter, r *http.Request, forward http.Handler)) string {
	t.Helper()
	server, err := url.Parse(s.URL)
	assert.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handle(w, r, forward) }))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// If one in five responses or requests is lost, 1,000 creates still create 1,000 rows.
// A create is lost at most three times: the client sends it four times.
func TestGoSDKLosesNothing(t *testing.T) {
	s := testkit.OnSQLite(t)
	var requests atomic.Int64
	var losing sync.Mutex
	lost := map[string]int{} // by idempotency key
	lose := func(r *http.Request) bool {
		losing.Lock()
		defer losing.Unlock()
		key := r.Header.Get("Idempotency-Key")
		lost[key]++
		return lost[key] <= 3
	}
	proxy := proxyOf(t, s, func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
		n := requests.Add(1) % 10
		if n == 5 && lose(r) { // the response is lost
			forward.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		if n == 0 && lose(r) { // the request is lost
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	})
	program := startSDK(t, exec.Command(goSDK(t, "internal/conformance")))
	program.call(t, sdkCall{URL: proxy, Key: s.Test.Key, Family: "Contacts", Method: "Create",
		Body: json.RawMessage(`{"last_name": "Bell"}`), Times: 1000})
	assert.Equal(t, testkit.Rows[int64](s, `SELECT COUNT(*) FROM contacts WHERE last_name = 'Bell'`)[0], int64(1000))
}

// If rows are added and deleted between the pages of a list, it has each row that stays once.
func TestGoSDKListsWhatStays(t *testing.T) {
	s := testkit.OnSQLite(t)
	program := startSDK(t, exec.Command(goSDK(t, "internal/conformance")))
	create := sdkCall{URL: s.URL, Key: s.Test.Key, Family: "Dealership", Method: "CreateLocation", Times: 250}
	for range 2 {
		for _, name := range []string{"Stays", "Goes"} {
			create.Body = json.RawMessage(fmt.Sprintf(`{"name": %q}`, name))
			program.call(t, create)
		}
	}
	stay := testkit.Rows[string](s, `SELECT id FROM locations WHERE name = 'Stays' ORDER BY id DESC`)
	goes := testkit.Rows[string](s, `SELECT id FROM locations WHERE name = 'Goes' ORDER BY id DESC`)

	var changing sync.Mutex
	proxy := proxyOf(t, s, func(w http.ResponseWriter, r *http.Request, forward http.Handler) {
		changing.Lock()
		defer changing.Unlock()
		forward.ServeHTTP(w, r)
		for range 30 { // also the row that the next page starts after
			if len(goes) > 0 {
				_, _ = s.Test.Send("DELETE", "/v1/locations/"+goes[0], nil)
				goes = goes[1:]
			}
			_, _ = s.Test.Send("POST", "/v1/locations", `{"name": "New"}`)
		}
	})
	response := program.call(t, sdkCall{URL: proxy, Key: s.Test.Key, Family: "Dealership", Method: "ListLocations"})
	changing.Lock()
	defer changing.Unlock()
	if len(goes) > 250 {
		t.Errorf("got %d rows that were not deleted, want at most 250", len(goes))
	}
	var listed []string
	assert.NoError(t, json.Unmarshal(response, &listed))
	listed = slices.DeleteFunc(listed, func(id string) bool { return !slices.Contains(stay, id) })
	assert.Equal(t, listed, stay)
}

// The examples of the SDKs print what their comments say.
func checkSDKExamples(t *testing.T, run func(t *testing.T, name string, env []string) string) {
	t.Helper()
	for name, want := range map[string]string{
		"list":     "2022 210 Montauk 69600\n2021 210 Montauk 64900\nNext page: ",
		"create":   "Created once: true\n",
		"conflict": "Someone else changed it. Title: Second owner\n",
		"webhook":  "hull.price_changed: 210 Montauk from 69600 to 67500\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := testkit.OnSQLite(t)
			s.RunRelay()
			location := s.Test.Location()
			for i, price := range []int{64900, 69600} {
				s.Test.Hull(location, map[string]any{"make": "Boston Whaler", "model": "210 Montauk", "year": 2021 + i, "price_usd": price,
					"hin": fmt.Sprintf("BWC2100%dH627", i)})
			}
			got := run(t, name, append(os.Environ(), "SLIPWAY_URL="+s.URL, "SLIPWAY_KEY="+s.Test.Key, "LOCATION="+location))
			if !strings.HasPrefix(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestGoSDKExamples(t *testing.T) {
	checkSDKExamples(t, func(t *testing.T, name string, env []string) string {
		t.Helper()
		return output(t, exec.Command(goSDK(t, "examples/"+name)), env)
	})
}

// output runs an example. It fails if the example fails.
func output(t *testing.T, command *exec.Cmd, env []string) string {
	t.Helper()
	command.Env, command.Stderr = env, t.Output()
	out, err := command.StdoutPipe()
	assert.NoError(t, err)
	assert.NoError(t, command.Start())
	text, err := io.ReadAll(out)
	assert.NoError(t, err)
	assert.NoError(t, command.Wait())
	return string(text)
}
