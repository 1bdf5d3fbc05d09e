// Package bundle builds the files of the console from their source. The program embeds the
// built files, so only tests and tools of developers import it.
package bundle

import (
	"errors"
	"os"
	"path/filepath"

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
		ChunkNames:          "[name]-[hash]",
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
	files := map[string][]byte{}
	for _, file := range result.OutputFiles {
		files[filepath.Base(file.Path)] = file.Contents
	}
	return files, errors.Join(problems...)
}
