// Package bundle builds the files of the console from their source. The program embeds the
// built files, so only tests and tools of developers import it.
package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// Build returns the files of dist, built from the folder src.
func Build(src string) (map[string][]byte, error) {
	files, err := build(src, api.EntryPoint{InputPath: "main.tsx", OutputPath: "app"}, api.EntryPoint{InputPath: "styles/app.css", OutputPath: "app"})
	if err != nil {
		return nil, err
	}
	files["index.html"], err = os.ReadFile(filepath.Join(src, "index.html"))
	return files, err
}

// Script returns a file of the folder src with everything it imports, for tests.
func Script(src, file string) (string, error) {
	files, err := build(src, api.EntryPoint{InputPath: file, OutputPath: "script"})
	return string(files["script.js"]), err
}

// chunk starts the names of files until they get plain names.
const chunk = "chunk-"

func build(src string, entries ...api.EntryPoint) (map[string][]byte, error) {
	src, err := filepath.Abs(src)
	if err != nil {
		return nil, err
	}
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
		return nil, err
	}
	names, err := plainNames(result.Metafile)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, file := range result.OutputFiles {
		name := names.Replace(filepath.Base(file.Path))
		if files[name] != nil {
			return nil, fmt.Errorf("two files are named %s: rename a source", name)
		}
		files[name] = []byte(names.Replace(string(file.Contents)))
	}
	return files, nil
}

// plainNames replaces the names of files that others import. esbuild names them by their content,
// so a change of one file would rename it, and change each file that imports it. Their plain names
// are the path of the screen, or for a shared file, of the largest source in it.
func plainNames(metafile string) (*strings.Replacer, error) {
	var meta struct {
		Outputs map[string]struct {
			EntryPoint string
			Inputs     map[string]struct{ BytesInOutput int }
		}
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}

	var pairs []string
	for output, file := range meta.Outputs {
		old, prefix, source := filepath.Base(output), "", file.EntryPoint
		if source == "" {
			prefix, source = "shared-", slices.MaxFunc(slices.Sorted(maps.Keys(file.Inputs)), func(a, b string) int {
				return cmp.Compare(file.Inputs[a].BytesInOutput, file.Inputs[b].BytesInOutput)
			})
		}
		if strings.HasPrefix(old, chunk) {
			name := strings.TrimSuffix(strings.ReplaceAll(source, "../", ""), filepath.Ext(source))
			pairs = append(pairs, old, prefix+strings.ReplaceAll(name, "/", "-")+".js")
		}
	}
	return strings.NewReplacer(pairs...), nil
}
