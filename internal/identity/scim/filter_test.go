package scim

import (
	"strings"
	"testing"

	"slipway/internal/testkit/assert"
)

const ann = `{"id": "usr_1", "userName": "Ann@Example.com", "externalId": "00uA", "active": true, "name": {"givenName": "Ann", "familyName": "O\"Hara"},
	"emails": [{"value": "ann@example.com", "type": "work", "primary": true}, {"value": "ann@home.example", "type": "home"}],
	"groups": [{"value": "grp_1"}], "meta": {"lastModified": "2026-11-18T10:00:00Z"}}`

func parsed(t *testing.T, text string) object {
	t.Helper()
	o, err := parseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestFilter(t *testing.T) {
	for text, want := range map[string]bool{
		`userName eq "ann@example.com"`:                                            true, // the case of names doesn't matter
		`USERNAME EQ "ANN@EXAMPLE.COM"`:                                            true,
		`userName eq "ben@example.com"`:                                            false,
		`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann@example.com"`: true,
		`externalId eq "00uA"`:                                                     true,
		`externalId eq "00ua"`:                                                     false, // the case of IDs does
		`id eq "usr_1" and groups eq "grp_1"`:                                      true,
		`id eq "usr_1" and groups eq "grp_2"`:                                      false,
		`id eq "usr_2" or groups eq "grp_1"`:                                       true,
		`not (id eq "usr_2")`:                                                      true,
		`userName sw "ann" and (active eq false or emails co "home")`:              true,
		`id eq "x" or id eq "usr_1" and id eq "x"`:                                 false, // and binds stronger
		`active eq true`:                                                           true,
		`active eq "True"`:                                                         true,
		`active eq false`:                                                          false,
		`emails eq "ann@home.example"`:                                             true,
		`emails.value eq "ann@home.example"`:                                       true,
		`emails[type eq "work" and value eq "ann@example.com"]`:                    true,
		`emails[type eq "home"].value eq "ann@example.com"`:                        false,
		`emails[type eq "home"].value eq "ann@home.example"`:                       true,
		`name.familyName eq "O\"Hara"`:                                             true,
		`name.familyName ew "hara" and name.givenName ne "Ben"`:                    true,
		`title pr`:      false,
		`externalId pr`: true,
		`title eq null`: true,
		`meta.lastModified gt "2026-11-17T00:00:00Z"`:                                 true,
		`meta.lastModified lt "2026-11-17T00:00:00Z"`:                                 false,
		`meta.lastModified ge "2026-11-18T10:00:00Z" and meta.lastModified le "2027"`: true,
	} {
		f, err := parseFilter(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		assert.Equal(t, f.matches(parsed(t, ann)), want, text)
	}

	for _, text := range []string{
		"", " ", "userName", "userName eq", `userName eq ann`, `userName is "ann"`, `userName eq "ann`, `eq "ann"`, `"ann" eq userName`,
		`(userName eq "ann"`, `userName eq "ann")`, `userName eq "ann" and`, `not userName eq "ann"`, `emails[type eq "work"`, `emails[]`,
		`a.b.c eq "x"`, `userName eq "a" userName eq "b"`, `userName eq "\u0000"`, `userName eq {"a": 1}`, `user'; DROP TABLE users eq "x"`,
		`emails[type eq "work"].value`, strings.Repeat("(", 50) + `a eq "b"` + strings.Repeat(")", 50), `a eq "` + strings.Repeat("x", maxFilter) + `"`,
	} {
		if f, err := parseFilter(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, f)
		}
	}
}

func TestRequired(t *testing.T) {
	for text, want := range map[string]string{
		`userName eq "ann"`:                          "ann",
		`active eq true and userName eq "ann"`:       "ann",
		`active eq true or userName eq "ann"`:        "",
		`not (userName eq "ann")`:                    "",
		`userName sw "ann"`:                          "",
		`userName eq "ann" and (id eq "1" or id pr)`: "ann",
		`displayName eq "x" and (userName eq "ann")`: "ann",
		`emails[userName eq "ann"]`:                  "",
	} {
		f, err := parseFilter(text)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := f.required("username")
		assert.Equal(t, got, want, text)
		assert.Equal(t, ok, want != "", text)
	}
}

func TestPath(t *testing.T) {
	for text, want := range map[string]path{
		"userName":       {attr: "username"},
		"name.givenName": {attr: "name", sub: "givenname"},
		"urn:ietf:params:scim:schemas:core:2.0:User:name.givenName":                {attr: "name", sub: "givenname"},
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department":    {schema: enterpriseSchema, attr: "department"},
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":               {schema: enterpriseSchema},
		"urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User:tag":  {schema: "urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User", attr: "tag"},
		"URN:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value": {schema: enterpriseSchema, attr: "manager", sub: "value"},
	} {
		got, err := parsePath(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	got, err := parsePath(`emails[type eq "work"].value`)
	if err != nil || got.attr != "emails" || got.sub != "value" || !got.where.matches(object{"type": "work"}) || got.where.matches(object{"type": "home"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{".", "a.b.c", "a b", "a[", "a[b]", `a[b eq "c"`, `a[b eq "c"]d`, `a[b eq "c"].d.e`, `a.b[c eq "d"]`, `[a eq "b"]`, "é", "a]"} {
		if got, err := parsePath(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// A filter or a path is rejected, or can be applied to every resource.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		`userName eq "ann"`, `emails[type eq "work"].value`, `members[value eq "usr_1"]`, `not (a pr) and b.c ne null or d[e eq 1.5].f sw "x"`,
		`urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department`, "urn:", `a eq "\"`, "((", "]", `a[b eq "c"].d eq "e"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := parsed(t, ann)
		if parsed, err := parseFilter(text); err == nil {
			matched := parsed.matches(o)
			if wrong, required := parsed.required("username"); required && matched && !strings.EqualFold(wrong, "Ann@Example.com") {
				t.Errorf("%q matches, although it requires the userName %q", text, wrong)
			}
			parsed.mentions("members")
		}
		p, err := parsePath(text)
		if err != nil {
			return
		}
		for _, op := range []string{"add", "replace", "remove"} {
			for _, value := range []any{nil, "x", true, object{"value": "y"}, []any{object{"value": "z"}}} {
				if err := (change{op, p, value}).apply(o); err == nil && o["id"] != "usr_1" {
					t.Fatalf("%s %q changed the ID", op, text)
				}
				_, _ = parseProfile(o)
				_, _ = parseGroup(o)
			}
		}
	})
}
