package patch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/vocab/fault"
)

func TestCheck(t *testing.T) {
	many := map[string]string{}
	for i := range 51 {
		many[fmt.Sprint(i)] = ""
	}
	for name, c := range map[string]struct {
		metadata map[string]string
		field    string // "": accepted
	}{
		"none":            {nil, ""},
		"maximum lengths": {map[string]string{strings.Repeat("ü", 40): strings.Repeat("é", 500)}, ""},
		"key too long":    {map[string]string{strings.Repeat("k", 41): ""}, "metadata"},
		"empty key":       {map[string]string{"": "v"}, "metadata"},
		"value too long":  {map[string]string{"k": strings.Repeat("v", 501)}, "metadata.k"},
		"too many":        {many, "metadata"},
	} {
		var bad fault.Fields
		if CheckMetadata(&bad, c.metadata); len(bad) > 0 != (c.field != "") || len(bad) > 0 && bad[0].Field != c.field {
			t.Errorf("%s: got %v, want an error of field %q", name, bad, c.field)
		}
	}
}

func TestMerge(t *testing.T) {
	old := map[string]string{"a": "1", "b": "2"}
	for _, c := range []struct {
		patch *map[string]*string
		want  map[string]string
	}{
		{nil, map[string]string{}},
		{&map[string]*string{}, old},
		{&map[string]*string{"a": nil, "c": new("3")}, map[string]string{"b": "2", "c": "3"}},
	} {
		if diff := cmp.Diff(c.want, MergeMetadata(old, c.patch)); diff != "" {
			t.Error(diff)
		}
	}
	if len(old) != 2 {
		t.Error("the old metadata changed")
	}
}
