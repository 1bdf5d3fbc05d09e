package main

import (
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// levels are the checks that we rate in another way than oasdiff.
var levels = map[string]checker.Level{
	// Clients of older versions don't see new values and new events.
	"response-property-enum-value-added": checker.INFO,
	"response-body-one-of-added":         checker.INFO,
	"response-property-one-of-added":     checker.INFO,

	// Nothing is removed within /v1, whether a client must expect that or not.
	"api-removed-with-deprecation":               checker.ERR,
	"api-path-removed-with-deprecation":          checker.ERR,
	"api-operation-id-removed":                   checker.ERR,
	"optional-response-header-removed":           checker.ERR,
	"request-parameter-removed":                  checker.ERR,
	"request-parameter-removed-with-deprecation": checker.ERR,
	"request-parameter-property-type-changed":    checker.ERR,
	"request-property-removed":                   checker.ERR,
	"response-body-one-of-removed":               checker.ERR,
	"response-property-one-of-removed":           checker.ERR,
	"response-optional-property-removed":         checker.ERR,
	"response-property-enum-value-removed":       checker.ERR,
	"request-property-pattern-changed":           checker.ERR,
	"request-parameter-pattern-changed":          checker.ERR,
}

// breaking lists the changes between two documents that can break a client.
func breaking(before, after []byte) ([]string, error) {
	released, err := parse(before, "the last release")
	if err != nil {
		return nil, err
	}
	current, err := parse(after, "openapi.json")
	if err != nil {
		return nil, err
	}

	difference, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), released, current)
	if err != nil {
		return nil, fmt.Errorf("compare the documents: %w", err)
	}
	config := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(levels))
	var found []string
	for _, change := range checker.CheckBackwardCompatibilityUntilLevel(config, difference, sources, checker.ERR) {
		if sends(change) {
			continue
		}
		found = append(found, fmt.Sprintf("%s %s: %s [%s]", change.GetOperation(), change.GetPath(),
			change.GetUncolorizedText(checker.NewDefaultLocalizer()), change.GetId()))
	}
	return found, nil
}

// sends reports that a webhook has a new field. Slipway sends the request, so the client
// doesn't have to.
func sends(change checker.Change) bool {
	return strings.HasPrefix(change.GetPath(), "webhook:") && change.GetId() == "new-required-request-property"
}

func parse(text []byte, name string) (*load.SpecInfo, error) {
	doc, err := load.NewSpecInfoFromData(openapi3.NewLoader(), text, name, load.WithFlattenAllOf())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return doc, nil
}
