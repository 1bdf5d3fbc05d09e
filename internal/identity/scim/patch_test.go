package scim

import (
	"encoding/json"
	"errors"
	"testing"

	"slipway/internal/testkit/assert"
)

// patch applies operations to a resource and returns it as JSON.
func patch(t *testing.T, to, operations string) (string, error) {
	t.Helper()
	changes, err := parseChanges(parsed(t, `{"Operations": `+operations+`}`))
	if err != nil {
		return "", err
	}
	o := parsed(t, to)
	for _, c := range changes {
		if err := c.apply(o); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(o)
	return string(text), err
}

func TestPatch(t *testing.T) {
	const two = `{"members": [{"value": "1"}, {"value": "2"}]}`
	for name, c := range map[string]struct{ to, operations, want string }{
		"Okta: no path":                 {`{"active": true}`, `[{"op": "replace", "value": {"active": false}}]`, `{"active":false}`},
		"Okta: rename a group":          {`{"id": "g", "displayname": "A"}`, `[{"op": "replace", "value": {"id": "g", "displayName": "B"}}]`, `{"displayname":"B","id":"g"}`},
		"Okta: remove a member":         {two, `[{"op": "remove", "path": "members[value eq \"1\"]"}]`, `{"members":[{"value":"2"}]}`},
		"Okta: add members":             {two, `[{"op": "add", "path": "members", "value": [{"value": "2", "display": "B"}, {"value": "3"}]}]`, `{"members":[{"value":"1"},{"display":"B","value":"2"},{"value":"3"}]}`},
		"Okta: replace members":         {two, `[{"op": "replace", "path": "members", "value": [{"value": "3"}]}]`, `{"members":[{"value":"3"}]}`},
		"Entra: operations in capitals": {`{"active": true}`, `[{"op": "Replace", "path": "active", "value": "False"}]`, `{"active":"False"}`},
		"Entra: add one member":         {`{}`, `[{"op": "Add", "path": "members", "value": [{"$ref": null, "value": "1"}]}]`, `{"members":[{"$ref":null,"value":"1"}]}`},
		"Entra: remove with values":     {two, `[{"op": "Remove", "path": "members", "value": [{"$ref": null, "value": "2"}]}]`, `{"members":[{"value":"1"}]}`},
		"remove all members":            {two, `[{"op": "remove", "path": "members"}]`, `{}`},
		"remove an unknown member":      {two, `[{"op": "remove", "path": "members[value eq \"9\"]"}]`, `{"members":[{"value":"1"},{"value":"2"}]}`},
		"a part of a name":              {`{"name": {"givenname": "A", "familyname": "B"}}`, `[{"op": "Replace", "path": "name.givenName", "value": "C"}]`, `{"name":{"familyname":"B","givenname":"C"}}`},
		"a part of a missing name":      {`{}`, `[{"op": "Add", "path": "name.givenName", "value": "C"}]`, `{"name":{"givenname":"C"}}`},
		"a whole name is merged":        {`{"name": {"givenname": "A", "familyname": "B"}}`, `[{"op": "replace", "path": "name", "value": {"familyName": "C"}}]`, `{"name":{"familyname":"C","givenname":"A"}}`},
		"paths as names":                {`{"name": {"familyname": "B"}}`, `[{"op": "Replace", "value": {"name.familyName": "C", "displayName": "D"}}]`, `{"displayname":"D","name":{"familyname":"C"}}`},
		"a work address":                {`{"emails": [{"type": "work", "value": "a"}]}`, `[{"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "b"}]`, `{"emails":[{"type":"work","value":"b"}]}`},
		"a missing work address":        {`{}`, `[{"op": "Add", "path": "emails[type eq \"work\"].value", "value": "b"}]`, `{"emails":[{"type":"work","value":"b"}]}`},
		"an extension is ignored":       {`{"active": true}`, `[{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Sales"}]`, `{"active":true}`},
		"an extension without a path":   {`{"active": true}`, `[{"op": "add", "value": {"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Sales"}, "active": false}}]`, `{"active":false}`},
		"several in order":              {`{"username": "a"}`, `[{"op": "replace", "path": "userName", "value": "b"}, {"op": "replace", "path": "username", "value": "c"}]`, `{"username":"c"}`},
		"the same address again":        {`{"emails": [{"type": "work", "value": "a"}]}`, `[{"op": "add", "path": "emails", "value": [{"type": "work", "value": "a", "primary": true}]}]`, `{"emails":[{"primary":true,"type":"work","value":"a"}]}`},
	} {
		got, err := patch(t, c.to, c.operations)
		if err != nil || got != c.want {
			t.Errorf("%s: got %s, %v; want %s", name, got, err, c.want)
		}
	}

	for operations, code := range map[string]string{
		`[]`:                                  "invalidSyntax",
		`["remove"]`:                          "invalidSyntax",
		`[{"op": "move", "path": "active"}]`:  "invalidSyntax",
		`[{"op": "remove"}]`:                  "noTarget",
		`[{"op": "replace", "value": "x"}]`:   "invalidValue",
		`[{"op": "replace", "path": 1}]`:      "invalidPath",
		`[{"op": "replace", "path": "a..b"}]`: "invalidPath",
		`[{"op": "replace", "path": "id", "value": "other"}]`:                      "mutability",
		`[{"op": "add", "path": "groups", "value": [{"value": "grp_2"}]}]`:         "mutability",
		`[{"op": "replace", "path": "emails[type sw \"w\"].value", "value": "x"}]`: "noTarget",
		`[{"op": "replace", "path": "emails[type eq \"work\"]", "value": "x"}]`:    "invalidValue",
	} {
		_, err := patch(t, `{"id": "usr_1", "emails": [{"type": "work"}]}`, operations)
		if operations == `[{"op": "replace", "path": "emails[type sw \"w\"].value", "value": "x"}]` {
			_, err = patch(t, `{"id": "usr_1"}`, operations)
		}
		e, ok := errors.AsType[*protocolError](err)
		if !ok || e.scimType != code {
			t.Errorf("%s: got %v, want %s", operations, err, code)
		}
	}
}

func TestParseProfile(t *testing.T) {
	p, err := parseProfile(parsed(t, ann))
	assert.Equal(t, err, nil)
	assert.Equal(t, p.email, "ann@example.com")
	assert.Equal(t, p.name(), `Ann O"Hara`)
	assert.Equal(t, *p.active, true)

	for body, want := range map[string]string{
		`{"userName": "Ann@example.com"}`: "ann@example.com",
		`{"userName": "ann", "emails": [{"value": "a@example.com", "type": "home"}, {"value": "b@example.com", "type": "Work"}]}`:                 "b@example.com",
		`{"userName": "ann", "emails": [{"value": "a@example.com", "type": "work"}, {"value": "b@example.com", "type": "x", "primary": "True"}]}`: "b@example.com",
		`{"userName": "ann", "emails": {"value": "a@example.com"}}`:                                                                               "a@example.com",
	} {
		p, err := parseProfile(parsed(t, body))
		if err != nil || p.email != want {
			t.Errorf("%s: got %s, %v; want %s", body, p.email, err, want)
		}
	}
	for _, body := range []string{
		`{}`, `{"userName": 1}`, `{"userName": "ann"}`, `{"userName": "ann@example.com", "active": "maybe"}`, `{"userName": "ann@example.com", "active": 1}`,
		`{"userName": "a\u0000@example.com"}`, `{"userName": "x", "emails": ["ann@example.com"]}`, `{"userName": "Ann <ann@example.com>"}`,
		`{"userName": "ann@example.com", "displayName": {"a": 1}}`,
	} {
		if p, err := parseProfile(parsed(t, body)); err == nil {
			t.Errorf("%s: got %+v, want an error", body, p)
		}
	}
	if _, err := parseObject([]byte(`{"active": true, "Active": false}`)); err == nil {
		t.Error("a repeated attribute was accepted")
	}
}
