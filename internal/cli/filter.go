package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/itchyny/gojq"
)

func checkFilter(text string) error {
	_, err := gojq.Parse(text)
	return err
}

// filter prints the results of a jq filter, one per line. Strings are printed without
// quotes.
func filter(out io.Writer, query string, text []byte) error {
	q, err := gojq.Parse(query)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	results := q.Run(value)
	for {
		v, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := v.(error); failed {
			return fmt.Errorf("--jq: %w", err)
		}
		if s, isString := v.(string); isString {
			if _, err := fmt.Fprintln(out, s); err != nil {
				return err
			}
			continue
		}
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		if _, err := out.Write(line.Bytes()); err != nil {
			return err
		}
	}
}
