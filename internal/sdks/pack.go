// Package sdks hands out the SDKs of the server's own version: a package for npm, a proxy of the
// Go module, and an index for pip. The generated files are written from the descriptions when
// someone asks for the first time, so the program only contains the rest.
package sdks

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"slipway/internal/sdkgen"
	"slipway/sdk"
)

// packages are the SDKs as their installers expect them.
type packages struct {
	npm, wheel, module []byte
	goMod              []byte
	goPath, goVersion  string // slipway.example.com/slipway, v1.2.0
	wheelName          string // slipway_python-1.2.0-py3-none-any.whl
	pipName            string // slipway-python
	date               string // of the API version
}

// fileName is the name of the Python package in the names of files.
var fileName = strings.ReplaceAll(distribution, "-", "_")

// distribution is the name of the Python package in an index. Programs import slipway_sdk.
const distribution = "slipway-python"

// files are the contents of a package by path.
type files map[string][]byte

// pack builds the packages for a build of the server.
func pack(build string, m *sdkgen.Model) (*packages, error) {
	ts, py, golang, err := read(m)
	if err != nil {
		return nil, err
	}
	p := &packages{goMod: golang["go.mod"], goPath: moduleOf(golang["go.mod"]), date: m.Version}
	version := versionsOf(build, m.Version, ts, py, golang)
	p.goVersion = version.golang

	npm, err := npmPackage(ts, version.npm)
	if err != nil {
		return nil, err
	}
	if p.npm, err = tarball("package/", npm); err != nil {
		return nil, err
	}
	p.pipName = distribution
	p.wheelName = fileName + "-" + version.python + "-py3-none-any.whl"
	if p.wheel, err = zipped("", wheel(py, version.python)); err != nil {
		return nil, err
	}
	p.module, err = zipped(p.goPath+"@"+p.goVersion+"/", golang)
	return p, err
}

// read returns the files of each SDK: the handwritten ones of the program, and the generated ones.
func read(m *sdkgen.Model) (ts, py, golang files, err error) {
	ts, py, golang = files{}, files{}, files{}
	err = fs.WalkDir(sdk.Files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sdk.Files, file)
		folder, name, _ := strings.Cut(strings.TrimPrefix(file, "lib/"), "/")
		name = strings.TrimSuffix(name, ".txt")
		switch {
		case folder == "python":
			py[name] = content
		case folder == "go":
			golang[name] = content
		case strings.HasPrefix(file, "lib/"):
			ts["dist/"+name] = content
		default:
			ts[name] = content
		}
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}

	generated, err := sdkgen.Go(m)
	if err != nil {
		return nil, nil, nil, err
	}
	maps.Copy(golang, generated)
	for name, content := range sdkgen.JavaScript(m) {
		ts["dist/"+name] = content
	}
	for name, content := range sdkgen.Python(m) {
		py["slipway_sdk/"+name] = content
	}
	for name, content := range maps.Clone(ts) { // CommonJS has the same types
		if path.Dir(name) == "dist" && strings.HasSuffix(name, ".d.ts") {
			ts["dist/cjs/"+path.Base(name)] = content
		}
	}
	ts["dist/cjs/package.json"] = []byte(`{ "type": "commonjs" }` + "\n")
	return ts, py, golang, nil
}

func moduleOf(goMod []byte) string {
	first, _, _ := strings.Cut(string(goMod), "\n")
	return strings.TrimPrefix(first, "module ")
}

type versions struct{ npm, golang, python string }

// released matches a build of a release. The module path of Go has no major version.
var released = regexp.MustCompile(`^v([01]\.\d+\.\d+)$`)

// versionsOf returns the versions of a release. Another build has versions of its contents,
// because installers store what a version contained.
func versionsOf(build, date string, all ...files) versions {
	if found := released.FindStringSubmatch(build); found != nil {
		return versions{found[1], "v" + found[1], found[1]}
	}
	hash := sha256.New()
	for _, f := range all {
		for _, name := range slices.Sorted(maps.Keys(f)) {
			fmt.Fprintf(hash, "%s %d\n%s", name, len(f[name]), f[name])
		}
	}
	content := fmt.Sprintf("%.6x", hash.Sum(nil))
	return versions{"0.0.0-dev." + content, "v0.0.0-" + strings.ReplaceAll(date, "-", "") + "000000-" + content, "0.0.0+" + content}
}

// npmPackage sets the version, and removes what is only for developing the SDK.
func npmPackage(ts files, version string) (files, error) {
	var about map[string]any
	if err := json.Unmarshal(ts["package.json"], &about); err != nil {
		return nil, err
	}
	about["version"], about["files"] = version, []string{"dist"}
	delete(about, "scripts")
	delete(about, "devDependencies")
	text, err := json.MarshalIndent(about, "", "  ")
	out := maps.Clone(ts)
	out["package.json"] = append(text, '\n')
	return out, err
}

// wheel adds the metadata. See https://packaging.python.org/en/latest/specifications/binary-distribution-format/.
func wheel(py files, version string) files {
	out, folder := files{}, fileName+"-"+version+".dist-info/"
	for name, content := range py {
		if strings.HasPrefix(name, "slipway_sdk/") {
			out[name] = content
		}
	}
	out[folder+"licenses/LICENSE"] = py["LICENSE"]
	out[folder+"METADATA"] = []byte("Metadata-Version: 2.1\nName: " + distribution + "\nVersion: " + version + "\nSummary: Client of the Slipway API\n" +
		"License: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n" + string(py["README.md"]))
	out[folder+"WHEEL"] = []byte("Wheel-Version: 1.0\nGenerator: slipway\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
	record := ""
	for _, name := range slices.Sorted(maps.Keys(out)) {
		sum := sha256.Sum256(out[name])
		record += fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(out[name]))
	}
	out[folder+"RECORD"] = []byte(record + folder + "RECORD,,\n")
	return out
}

// epoch is the time of all files, so that the same files are the same package.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func zipped(prefix string, f files) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		w, err := z.CreateHeader(&zip.FileHeader{Name: prefix + name, Method: zip.Deflate, Modified: epoch})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

func tarball(prefix string, f files) ([]byte, error) {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	t := tar.NewWriter(g)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if err := t.WriteHeader(&tar.Header{Name: prefix + name, Mode: 0o644, Size: int64(len(f[name])), ModTime: epoch, Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := t.Write(f[name]); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := g.Close()
	return b.Bytes(), err
}
