package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// These types are a Postman collection 2.1.0, as far as it is used.
type (
	postmanCollection struct {
		Info     postmanInfo       `json:"info"`
		Auth     postmanAuth       `json:"auth"`
		Variable []postmanVariable `json:"variable"`
		Item     []postmanFolder   `json:"item"`
	}
	postmanInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	postmanAuth struct {
		Type   string            `json:"type"`
		Bearer []postmanVariable `json:"bearer"`
	}
	postmanVariable struct {
		Key         string `json:"key"`
		Value       string `json:"value"`
		Type        string `json:"type,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
	postmanFolder struct {
		Name        string        `json:"name"`
		Description string        `json:"description"`
		Item        []postmanItem `json:"item"`
	}
	postmanItem struct {
		Name    string         `json:"name"`
		Request postmanRequest `json:"request"`
	}
	postmanRequest struct {
		Method      string            `json:"method"`
		Description string            `json:"description,omitempty"`
		Header      []postmanVariable `json:"header"`
		URL         postmanURL        `json:"url"`
		Body        *postmanBody      `json:"body,omitempty"`
	}
	postmanURL struct {
		Raw      string            `json:"raw"`
		Host     []string          `json:"host"`
		Path     []string          `json:"path"`
		Query    []postmanVariable `json:"query,omitempty"`
		Variable []postmanVariable `json:"variable,omitempty"`
	}
	postmanBody struct {
		Mode     string            `json:"mode"`
		Raw      string            `json:"raw,omitempty"`
		Options  map[string]any    `json:"options,omitempty"`
		FormData []postmanFormPart `json:"formdata,omitempty"`
	}
	postmanFormPart struct {
		Key         string `json:"key"`
		Type        string `json:"type"`
		Value       string `json:"value,omitempty"`
		Src         string `json:"src,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
)

// postman returns the operations of a document as a Postman collection. You only have
// to set api_key.
func postman(doc *huma.OpenAPI, baseURL string) ([]byte, error) {
	c := postmanCollection{
		Info: postmanInfo{doc.Info.Title, "Set the variable api_key of this collection to a key of your test environment, " +
			"such as sk_test_.... " + doc.Info.Description, "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
		Auth: postmanAuth{"bearer", []postmanVariable{{Key: "token", Value: "{{api_key}}", Type: "string"}}},
		Variable: []postmanVariable{
			{Key: "base_url", Value: strings.TrimSuffix(baseURL, "/"), Type: "string", Description: "URL of your server."},
			{Key: "api_key", Value: "", Type: "string", Description: "An API key, such as sk_test_...."},
		},
		Item: []postmanFolder{},
	}
	for _, t := range doc.Tags {
		folder := postmanFolder{Name: t.Name, Description: t.Description, Item: []postmanItem{}}
		for _, o := range inOrder(doc) {
			if o.Tags[0] != t.Name {
				continue
			}
			request, err := postmanRequestOf(doc, o)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", o.OperationID, err)
			}
			folder.Item = append(folder.Item, postmanItem{o.Summary, request})
		}
		c.Item = append(c.Item, folder)
	}
	text, err := json.MarshalIndent(c, "", "  ")
	return append(text, '\n'), err
}

func postmanRequestOf(doc *huma.OpenAPI, o *huma.Operation) (r postmanRequest, err error) {
	r = postmanRequest{Method: o.Method, Description: o.Description, Header: []postmanVariable{}}
	r.URL.Host = []string{"{{base_url}}"}
	for segment := range strings.SplitSeq(strings.TrimPrefix(o.Path, "/"), "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			segment = ":" + strings.TrimSuffix(name, "}")
		}
		r.URL.Path = append(r.URL.Path, segment)
	}
	r.URL.Raw = "{{base_url}}/" + strings.Join(r.URL.Path, "/")

	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = doc.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
		}
		v := postmanVariable{Key: p.Name, Value: text(exampleOf(p)), Description: p.Description, Disabled: !p.Required}
		switch {
		case p.In == "path":
			v.Disabled = false
			r.URL.Variable = append(r.URL.Variable, v)
		case p.In == "query":
			r.URL.Query = append(r.URL.Query, v)
		case p.Name == "Idempotency-Key" && o.Method == "POST":
			r.Header = append(r.Header, postmanVariable{Key: p.Name, Value: "{{$guid}}", Description: p.Description})
		default:
			r.Header = append(r.Header, v)
		}
	}
	return r, r.addBody(o)
}

// exampleOf returns the example of a parameter, or of its schema.
func exampleOf(p *huma.Param) any {
	if p.Example == nil && p.Schema != nil && len(p.Schema.Examples) > 0 {
		return p.Schema.Examples[0]
	}
	return p.Example
}

// text returns an example as it is written in a URL or a header.
func text(example any) string {
	switch e := example.(type) {
	case nil:
		return ""
	case []any:
		var parts []string
		for _, one := range e {
			parts = append(parts, text(one))
		}
		return strings.Join(parts, ",")
	case string:
		return e
	}
	return fmt.Sprint(example)
}

// addBody adds the example of the request body.
func (r *postmanRequest) addBody(o *huma.Operation) error {
	if o.RequestBody == nil {
		return nil
	}
	types := []string{"application/json", "multipart/form-data", "text/csv", "application/x-ndjson"}
	offered := func(t string) bool { return o.RequestBody.Content[t] != nil }
	i := slices.IndexFunc(types, func(t string) bool { return offered(t) && o.RequestBody.Content[t].Example != nil })
	if i < 0 {
		i = slices.IndexFunc(types, offered)
	}
	if i < 0 {
		return fmt.Errorf("no supported content type")
	}
	media := o.RequestBody.Content[types[i]]
	if types[i] == "multipart/form-data" { // Postman sets the header with the boundary
		r.Body = formOf(media)
		return nil
	}

	r.Header = append(r.Header, postmanVariable{Key: "Content-Type", Value: types[i]})
	encoded, err := json.Marshal(media.Example)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if plain, ok := media.Example.(json.RawMessage); ok && types[i] != "application/json" {
		var s string
		if err := json.Unmarshal(plain, &s); err != nil {
			return err
		}
		body.WriteString(s)
	} else if media.Example == nil {
		body.WriteString("{}")
	} else if err := json.Indent(&body, encoded, "", "  "); err != nil {
		return err
	}
	r.Body = &postmanBody{Mode: "raw", Raw: body.String()}
	if types[i] == "application/json" {
		r.Body.Options = map[string]any{"raw": map[string]any{"language": "json"}}
	}
	return nil
}

// formOf returns the fields of a form. Choose a file before you send it.
func formOf(media *huma.MediaType) *postmanBody {
	body := &postmanBody{Mode: "formdata"}
	names := slices.Clone(media.Schema.Required)
	for name := range media.Schema.Properties {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		p := media.Schema.Properties[name]
		part := postmanFormPart{Key: name, Type: "text", Description: p.Description, Disabled: !slices.Contains(media.Schema.Required, name)}
		if p.Format == "binary" || p.ContentEncoding != "" || p.Type == "" || name == "file" {
			part.Type = "file"
		}
		body.FormData = append(body.FormData, part)
	}
	return body
}
