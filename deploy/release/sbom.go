package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
)

// bom is a list of what a binary contains, in the format CycloneDX 1.6.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	SerialNumber string       `json:"serialNumber"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// sbom lists the modules that the linker recorded in a binary.
func (r *release) sbom(binary, platform string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)

	program := newComponent("application", r.module, r.version)
	program.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sum)}}
	program.Properties = []property{{"platform", platform}, {"commit", r.commit}}
	list := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		SerialNumber: fmt.Sprintf("urn:uuid:%s", uuid.NewSHA1(uuid.NameSpaceURL, sum[:])),
		Metadata:     metadata{r.date.Format(time.RFC3339), program},
	}
	list.Components = append(list.Components, newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, m := range info.Deps {
		list.Components = append(list.Components, moduleComponent(m))
	}
	refs := make([]string, 0, len(list.Components))
	for _, c := range list.Components {
		refs = append(refs, c.Ref)
	}
	list.Dependencies = []dependency{{program.Ref, refs}}
	return json.MarshalIndent(list, "", "  ")
}

// moduleComponent returns a module, or what replaces it.
func moduleComponent(m *debug.Module) component {
	m = cmp.Or(m.Replace, m)
	c := newComponent("library", m.Path, m.Version)
	if m.Sum != "" {
		c.Properties = []property{{"go.sum", m.Sum}}
	}
	return c
}

func newComponent(kind, name, version string) component {
	url := "pkg:golang/" + name + "@" + version
	return component{Type: kind, Ref: url, Name: name, Version: version, PURL: url}
}
