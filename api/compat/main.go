// Program compat compares an OpenAPI document with the one of the last release. It
// fails if a client of the release could break.
//
//	go run . released.json.gz openapi.json
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

func main() {
	found, err := compare(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, change := range found {
		fmt.Println(change)
	}
	if len(found) > 0 {
		fmt.Printf("\n%d changes would break clients of the last release. Add things instead, or see CONTRIBUTING.md.\n", len(found))
		os.Exit(1)
	}
}

func compare(released, current string) ([]string, error) {
	before, err := readCompressed(released)
	if err != nil {
		return nil, err
	}
	after, err := os.ReadFile(current)
	if err != nil {
		return nil, err
	}
	return breaking(before, after)
}

func readCompressed(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(r)
}
