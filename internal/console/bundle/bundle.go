// Package bundle builds the files of the console from their source. The program embeds the
// built files, so only tests and tools of developers import it.
package bundle

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Build returns the files of dist, built from the folder src.
func Build(src string) (map[string][]byte, error) {
	points := []api.EntryPoint{{InputPath: first, OutputPath: "app"}}
	for _, name := range []string{"app", "audit", "calendar", "import", "photos", "print", "reprice"} { // all but app are loaded with their screens
		points = append(points, api.EntryPoint{InputPath: "styles/" + name + ".css", OutputPath: name})
	}
	files, err := build(src, points...)
	if err != nil {
		return nil, err
	}
	if files["index.html"], err = os.ReadFile(filepath.Join(src, "index.html")); err != nil {
		return nil, err
	}
	files["routes.json"], err = routes(filepath.Join(src, "shell", "routes.tsx"))
	return files, err
}

// Route is a path of the console, with its parameters, and the file of its screen.
type Route struct {
	Path string `json:"path"`
	File string `json:"file"`
}

var (
	screenIn = regexp.MustCompile(`const (\w+) = lazy\(async \(\) => \(await import\("\.\./(.+)\.tsx"\)\)\.\w+\);`)
	routeIn  = regexp.MustCompile(`\bpath: "([^"]+)", title: "[^"]+", screen: (\w+)`)
)

// routes returns the routes of the source, in their order, as JSON. The server sends the file of
// the screen together with the others.
func routes(source string) ([]byte, error) {
	content, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, m := range screenIn.FindAllSubmatch(content, -1) {
		files[string(m[1])] = strings.ReplaceAll(string(m[2]), "/", "-") + ".js"
	}
	all := []Route{}
	for _, m := range routeIn.FindAllSubmatch(content, -1) {
		file := files[string(m[2])]
		if file == "" {
			return nil, fmt.Errorf("%s: no import of the screen %s", source, m[2])
		}
		all = append(all, Route{string(m[1]), file})
	}
	if n := bytes.Count(content, []byte(", screen: ")); n != len(all) {
		return nil, fmt.Errorf("%s: found %d of %d routes", source, len(all), n)
	}
	return json.Marshal(all)
}

// Script returns a file of the folder src with everything it imports, for tests.
func Script(src, file string) (string, error) {
	files, err := build(src, api.EntryPoint{InputPath: file, OutputPath: "script"})
	return string(files["script.js"]), err
}

// chunk starts the names of files until they get plain names.
const chunk = "chunk-"

// sharedBy is how many screens have to use a source for it to be in the common file, unless the
// start uses it. Otherwise each set of screens that share something would have a file for it, and
// a browser with a slow connection would wait for dozens of files.
const sharedBy = 3

// first is what a browser loads first.
const first = "main.tsx"

func build(src string, entries ...api.EntryPoint) (map[string][]byte, error) {
	src, err := filepath.Abs(src)
	if err != nil {
		return nil, err
	}
	apart, err := run(src, entries)
	if err != nil {
		return nil, err
	}
	together, err := run(src, entries, common(src, apart.screens(), apart.shared()))
	if err != nil {
		return nil, err
	}
	return together.named()
}

// output is what esbuild has built.
type output struct {
	contents []api.OutputFile
	files    map[string]file
}

type file struct {
	EntryPoint string // the source that is loaded on demand, or ""
	Imports    []struct{ Path, Kind string }
	Inputs     map[string]struct{ BytesInOutput int }
}

func run(src string, entries []api.EntryPoint, plugins ...api.Plugin) (o output, err error) {
	vendor := filepath.Join(src, "vendor", "preact")
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:       src,
		EntryPointsAdvanced: entries,
		Outdir:              "dist",
		Bundle:              true,
		Splitting:           true, // screens are loaded when they are opened
		ChunkNames:          chunk + "[hash]",
		Metafile:            true,
		Format:              api.FormatESModule,
		Target:              api.ES2022,
		MinifyWhitespace:    true,
		MinifyIdentifiers:   true,
		MinifySyntax:        true,
		Charset:             api.CharsetUTF8,
		LegalComments:       api.LegalCommentsNone,
		JSX:                 api.JSXAutomatic,
		JSXImportSource:     "preact",
		TsconfigRaw:         "{}",
		External:            []string{"*.woff2"}, // the other pages have the font, too
		Plugins:             plugins,
		Alias: map[string]string{
			"preact":             filepath.Join(vendor, "dist", "preact.mjs"),
			"preact/hooks":       filepath.Join(vendor, "hooks", "dist", "hooks.mjs"),
			"preact/jsx-runtime": filepath.Join(vendor, "jsx-runtime", "dist", "jsxRuntime.mjs"),
		},
	})

	var problems []error
	for _, p := range append(result.Errors, result.Warnings...) {
		text := p.Text
		if p.Location != nil {
			text += " " + p.Location.File + ": " + p.Location.LineText
		}
		problems = append(problems, errors.New(text))
	}
	if err := errors.Join(problems...); err != nil {
		return o, err
	}
	var meta struct{ Outputs map[string]file }
	err = json.Unmarshal([]byte(result.Metafile), &meta)
	return output{result.OutputFiles, meta.Outputs}, err
}

// screens returns the sources that start a file, which are the screens and main.tsx.
func (o output) screens() (all []string) {
	for name, f := range o.files {
		if f.EntryPoint != "" && path.Ext(name) == ".js" {
			all = append(all, f.EntryPoint)
		}
	}
	return all
}

// shared returns the sources that several screens use.
func (o output) shared() (all []string) {
	users := map[string]int{}
	for name, f := range o.files {
		if f.EntryPoint == "" || path.Ext(name) != ".js" {
			continue
		}
		for used := range o.withImports(name, map[string]bool{}) {
			for source := range o.files[used].Inputs {
				if users[source]++; f.EntryPoint == first && used != name {
					users[source] += sharedBy // it is loaded anyway
				}
			}
		}
	}
	for source, n := range users {
		if n >= sharedBy && !strings.HasPrefix(source, "../") { // the SDK comes with what uses it
			all = append(all, source)
		}
	}
	slices.Sort(all)
	return all
}

// withImports adds a file and what it imports to seen.
func (o output) withImports(name string, seen map[string]bool) map[string]bool {
	if seen[name] {
		return seen
	}
	seen[name] = true
	for _, i := range o.files[name].Imports {
		if i.Kind == "import-statement" {
			o.withImports(i.Path, seen)
		}
	}
	return seen
}

// common lets all screens import all shared sources, so that they end up in one file.
func common(src string, screens, shared []string) api.Plugin {
	const name = "common"
	var imports strings.Builder
	for _, source := range shared {
		fmt.Fprintf(&imports, "import %q;\n", filepath.Join(src, source))
	}
	text := imports.String()
	return api.Plugin{Name: name, Setup: func(b api.PluginBuild) {
		b.OnResolve(api.OnResolveOptions{Filter: "^" + name + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: name, Namespace: name}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: name}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS, ResolveDir: src}, nil
		})
		b.OnLoad(api.OnLoadOptions{Filter: `\.tsx$`}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
			source, err := filepath.Rel(src, args.Path)
			if err != nil || !slices.Contains(screens, filepath.ToSlash(source)) {
				return api.OnLoadResult{}, err
			}
			content, err := os.ReadFile(args.Path)
			with := fmt.Sprintf("import %q;%s", name, content)
			return api.OnLoadResult{Contents: &with, Loader: api.LoaderTSX}, err
		})
	}}
}

// commonFile is the name of the file with what several screens use.
const commonFile = "common.js"

// named returns the contents by name. esbuild names files that others import by their content, so
// a change of one file would rename it, and change each file that imports it. They get plain
// names: the path of the screen, or for a shared file, of the largest source in it.
func (o output) named() (map[string][]byte, error) {
	var pairs []string
	for name, f := range o.files {
		old := path.Base(name)
		if !strings.HasPrefix(old, chunk) {
			continue
		}
		pairs = append(pairs, old, f.plainName())
	}
	names := strings.NewReplacer(pairs...)

	contents := map[string][]byte{}
	for _, c := range o.contents {
		name := names.Replace(filepath.Base(c.Path))
		if contents[name] != nil {
			return nil, fmt.Errorf("two files are named %s: rename a source", name)
		}
		contents[name] = []byte(names.Replace(string(c.Contents)))
	}
	return contents, nil
}

func (f file) plainName() string {
	prefix, source := "", f.EntryPoint
	if source == "" {
		prefix, source = "shared-", slices.MaxFunc(slices.Sorted(maps.Keys(f.Inputs)), func(a, b string) int {
			return cmp.Compare(f.Inputs[a].BytesInOutput, f.Inputs[b].BytesInOutput)
		})
		if _, ok := f.Inputs["vendor/preact/dist/preact.mjs"]; ok {
			return commonFile
		}
	}
	name := strings.TrimSuffix(strings.ReplaceAll(source, "../", ""), filepath.Ext(source))
	return prefix + strings.ReplaceAll(name, "/", "-") + ".js"
}
