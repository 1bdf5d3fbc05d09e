package sdkgen_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"slipway/internal/sdkgen"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/version"
)

var update = flag.Bool("update", false, "write the generated files of the SDKs")

func load(t *testing.T) *sdkgen.Model {
	t.Helper()
	stable, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	preview, err := os.ReadFile("../../api/openapi-preview.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := sdkgen.Load(version.Latest(), stable, preview)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The committed files are those that the generator writes for the committed
// descriptions.
func TestUpToDate(t *testing.T) {
	m := load(t)
	golang, err := sdkgen.Go(m)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "../../sdk/go", "*.gen.go", golang)
	check(t, "../../sdk/ts/src", "*.gen.ts", sdkgen.TypeScript(m))
	check(t, "../../sdk/python/slipway_sdk", "*_gen.py", sdkgen.Python(m))
	check(t, "../../sdk/lib/go", "*.txt", handwrittenGo(t))
	commands, err := sdkgen.Commands(m)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "../cli", "table.gen.go", commands)
	samples, inGo, inTypeScript, err := sdkgen.Samples(m)
	if err != nil {
		t.Fatal(err)
	}
	check(t, "../../api", "samples.json", map[string][]byte{"samples.json": samples})
	check(t, "../../sdk/go", "*.gen_test.go", map[string][]byte{"samples.gen_test.go": inGo})
	check(t, "../../sdk/ts/test", "*.gen.ts", map[string][]byte{"samples.gen.ts": inTypeScript})
}

// What the program contains of the TypeScript SDK was compiled from these files.
func TestCompiled(t *testing.T) {
	list, err := os.ReadFile("../../sdk/lib/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	found, err := filepath.Glob("../../sdk/ts/src/*.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if strings.HasSuffix(file, ".gen.ts") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != sums[filepath.Base(file)] {
			t.Errorf("sdk/lib/ts was compiled from another %s; run UPDATE=1 make test-sdk-ts", file)
		}
	}
}

// handwrittenGo returns copies of the files of the Go SDK that are not generated. The program can't
// embed files of another module.
func handwrittenGo(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, pattern := range []string{"*.go", "go.mod", "README.md", "LICENSE"} {
		found, err := filepath.Glob("../../sdk/go/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range found {
			name := filepath.Base(file)
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".gen.go") {
				continue
			}
			if all[name+".txt"], err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func check(t *testing.T, folder, pattern string, want map[string][]byte) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if want[filepath.Base(file)] == nil {
			t.Errorf("%s is no longer generated; delete it", file)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		file := filepath.Join(folder, name)
		if *update {
			if err := os.WriteFile(file, want[name], 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want[name]) {
			t.Errorf("%s is not up to date (%v); run make sdk", file, err)
		}
	}
}

// Every operation is a method, and no two have the same name.
func TestMethods(t *testing.T) {
	seen := map[string]string{}
	count := map[bool]int{}
	for _, f := range load(t).Families {
		for _, m := range f.Methods {
			name := f.Name + "." + m.Name
			if f.Preview {
				name = "Preview." + name
			}
			if other := seen[name]; other != "" {
				t.Errorf("%s is both %s and %s", name, other, m.OperationID)
			}
			seen[name] = m.OperationID
			count[f.Preview]++
		}
	}
	if count[false] != 143 {
		t.Errorf("got %d operations of /v1, want 143", count[false])
	}
	for name, want := range map[string]string{
		"Hulls.list": "listHulls", "Hulls.listPhotos": "listHullPhotos", "Deals.acceptOffer": "acceptOffer",
		"Access.createApiKey": "createApiKey", "Finance.createStructure": "createFinanceStructure", "Preview.Activities.list": "listActivities", "Preview.Hulls.get": "getHullV2",
		"Preview.Reports.getCash": "getCashReport",
		"Preview.RequestLogs.get": "getRequestLog",
	} {
		if seen[name] != want {
			t.Errorf("%s: got %q, want %q", name, seen[name], want)
		}
	}
}

const small = `{"openapi": "3.1.0",
	"paths": {"/v1/hulls/{hull_id}": {"patch": {"operationId": "updateHull", "summary": "Update a hull", "tags": ["Hulls"],
		"x-idempotent": {"header": "Idempotency-Key"}, "security": [{"bearer": []}, {"oauth2": ["hulls:write"]}],
		"parameters": [{"name": "hull_id", "in": "path"}],
		"requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HullPatch"}}}},
		"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Hull"}}}}}}}},
	"components": {"schemas": {
		"Hull": {"type": "object", "description": "A boat.", "required": ["id", "sold_at"], "properties": {
			"id": {"type": "string"}, "sold_at": {"type": ["string", "null"], "format": "date-time"}}},
		"HullPatch": {"type": "object", "description": "Changes.", "properties": {
			"price_usd": {"type": "integer"}, "status": {"anyOf": [{"$ref": "#/components/schemas/HullStatus"}, {"type": "null"}]},
			"metadata": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "null"]}}}},
		"HullStatus": {"type": "string", "description": "Status.", "enum": ["available", "on_hold"]},
		"Event": {"discriminator": {"propertyName": "type", "mapping": {"hull.sold": "#/components/schemas/HullSoldEvent"}},
			"oneOf": [{"$ref": "#/components/schemas/HullSoldEvent"}]},
		"EventEnvelope": {"type": "object", "properties": {"sequence": {"type": "integer"}}},
		"HullSoldEvent": {"allOf": [{"$ref": "#/components/schemas/EventEnvelope"}, {"type": "object", "properties": {
			"type": {"type": "string", "const": "hull.sold", "description": "Sold."},
			"data": {"type": "object", "properties": {"object": {"$ref": "#/components/schemas/Hull"}}}}}]}}}}`

// What the generator prints for a small description.
func TestOutput(t *testing.T) {
	preview := strings.NewReplacer("/v1/", "/v2-preview/", `"id": {"type": "string"}`, `"id": {"type": "integer"}`).Replace(small)
	m, err := sdkgen.Load("2026-12-01", []byte(small), []byte(preview))
	if err != nil {
		t.Fatal(err)
	}
	golang, err := sdkgen.Go(m)
	if err != nil {
		t.Fatal(err)
	}
	files := sdkgen.TypeScript(m)
	maps.Copy(files, golang)

	for name, wants := range map[string][]string{
		"enums.gen.go": {`HullStatusOnHold HullStatus = "on_hold"`, `const Version = "2026-12-01"`},
		"types.gen.go": {"SoldAt *time.Time `json:\"sold_at\"`", "PriceUSD Opt[int64] `json:\"price_usd,omitzero\"`",
			"Metadata Opt[map[string]*string] `json:\"metadata,omitzero\"`", "type PreviewHull struct"},
		"events.gen.go": {`EventHullSold EventType = "hull.sold"`, "EventHullSold: func() any { return new(Hull) }"},
		"services.gen.go": {"Update(ctx context.Context, hullID string, body HullPatch, opts ...RequestOption) (*Hull, error)",
			"Requires hulls:write."},
		"preview.gen.go": {"func (s *PreviewHullsService) Update(", "body HullPatch", "(*PreviewHull, error)"},
		"types.gen.ts": {"sold_at: string | null;", `export type HullStatus = "available" | "on_hold";`, "status?: HullStatus | null;",
			"metadata?: Record<string, string | null> | null;"},
		"services.gen.ts": {"readonly update = (hullId: string, body: t.HullPatch, options?: Options): Promise<t.Hull> =>",
			"patch(this, path`/hulls/${hullId}`, body, options)", "class PreviewHullsService extends PreviewFamily"},
	} {
		for _, want := range wants {
			if !strings.Contains(strings.Join(strings.Fields(string(files[name])), " "), want) {
				t.Errorf("%s doesn't contain %s:\n%s", name, want, files[name])
			}
		}
		if line, _, _ := strings.Cut(string(files[name]), "\n"); !strings.HasPrefix(line, "// Code generated by sdkgen ") {
			t.Errorf("%s starts with %q, want a comment that it is generated", name, line)
		}
	}
}

// The SDK of an older version doesn't have what newer versions added.
func TestOlderVersion(t *testing.T) {
	text := strings.NewReplacer(
		`"format": "date-time"}`, `"format": "date-time", "x-since": "2026-12-01"}`,
		`"enum": ["available", "on_hold"]`, `"enum": ["available", "on_hold"], "x-since-values": {"on_hold": "2026-12-01"}`,
		`"HullSoldEvent": {`, `"HullSoldEvent": {"x-since": "2026-12-01", `,
	).Replace(small)
	for date, want := range map[string]bool{"2026-11-15": false, "2026-12-01": true} {
		m, err := sdkgen.Load(date, []byte(text), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		files, err := sdkgen.Go(m)
		if err != nil {
			t.Fatal(err)
		}
		for file, name := range map[string]string{"enums.gen.go": "\tHullStatusOnHold", "events.gen.go": "\tEventHullSold"} {
			if strings.Contains(string(files[file]), name) != want {
				t.Errorf("%s: %s contains %q: got %t, want %t", date, file, name, !want, want)
			}
		}
		hull := m.Structs[slices.IndexFunc(m.Structs, func(s sdkgen.Struct) bool { return s.Name == "Hull" })]
		if got := len(hull.Fields) == 2; got != want {
			t.Errorf("%s: got the fields %v, want sold_at: %t", date, hull.Fields, want)
		}
	}
}

// A description that the SDKs can't follow is an error, not a wrong SDK.
func TestUnsupported(t *testing.T) {
	for what, change := range map[string][2]string{
		"a write without Idempotency-Key": {`"x-idempotent": {"header": "Idempotency-Key"},`, ""},
		"an enum without a name":          {`"price_usd": {"type": "integer"}`, `"price_usd": {"type": "string", "enum": ["a"]}`},
		"an unknown schema":               {`"schema": {"$ref": "#/components/schemas/Hull"}`, `"schema": {"$ref": "Boat"}`},
	} {
		text := strings.Replace(small, change[0], change[1], 1)
		if _, err := sdkgen.Load("2026-12-01", []byte(text), []byte(small)); err == nil {
			t.Errorf("%s: got no error", what)
		}
	}
}

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"price_usd": "PriceUSD", "hull_id": "HullID", "price": "Price", "-price": "PriceDescending", "-created_at": "CreatedAtDescending",
	} {
		assert.Equal(t, sdkgen.GoName(name), want, name)
	}
}
