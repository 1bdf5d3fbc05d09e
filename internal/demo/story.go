package demo

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// storyFile has the leads and the deals of the last months, with the requests that were
// sent for each.
//
//go:embed story.json
var storyFile []byte

// story reads the file. Each environment has its own copy.
func story() (leads []*buyer, deals []*sale, err error) {
	all := struct {
		Leads []*buyer
		Deals []*sale
	}{}
	d := json.NewDecoder(bytes.NewReader(storyFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, nil, fmt.Errorf("story.json: %w", err)
	}
	return all.Leads, all.Deals, nil
}
