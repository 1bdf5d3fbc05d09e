package app

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"slipway/internal/app"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/privacy"
)

// secretName is in the names of secrets.
var secretName = regexp.MustCompile(`password|secret|token|credential$|assertion|^code$`)

// The tags are valid, say something that the type doesn't say, and a text with the name of
// a secret is one: the test environment keeps other text.
func TestPrivacyTags(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type, request bool)
	walk = func(typ reflect.Type, request bool) {
		if typ = privacy.Inside(typ); seen[typ] {
			return
		}
		seen[typ] = true
		byType := ""
		if typ.Kind() == reflect.Struct {
			for own := range typ.Fields() {
				if own.Name == "_" {
					byType = own.Tag.Get("privacy")
				}
			}
		}
		for _, f := range privacy.Of(typ) {
			tag, usual := f.Tag.Get("privacy"), "plain"
			if f.Text {
				usual = "personal"
				if byType != "" {
					usual = byType
				}
			}
			if tag == usual {
				t.Errorf("%s.%s has the tag %q, which it is without it", typ.Name(), f.Name, tag)
			}
			if request && f.Text && f.Class != privacy.Secret && secretName.MatchString(f.Name) && !slices.Contains(notSecret, typ.Name()+"."+f.Name) {
				t.Errorf(`%s.%s has the name of a secret; add the tag privacy:"secret"`, typ.Name(), f.Name)
			}
			if f.Class == privacy.Cost && f.Needs == nil {
				t.Errorf("%s.%s is a cost without the scopes to see it", typ.Name(), f.Name)
			}
			walk(f.Type, request)
		}
	}
	for _, o := range routes() {
		if body, ok := o.In.FieldByName("Body"); ok {
			walk(body.Type, true)
		}
	}
	for _, typ := range app.Audited() {
		walk(typ, false)
	}
	assert.Equal(t, len(seen) > 100, true, "types:", len(seen))
}

// routes returns the operations of the API.
func routes() []*rest.Operation {
	stable, preview, _ := app.Routes().Surfaces()
	return slices.Concat(stable.Operations, preview.Operations)
}

// notSecret are codes that are not secret.
var notSecret = []string{"DealLineItem.code", "FeeRule.code", "LocationCreate.code", "LocationPatch.code"}
