package identity

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"testing"

	"slipway/internal/identity/people"
	"slipway/internal/identity/scim"
	"slipway/internal/identity/sso"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// provider is an identity provider that manages the users of a connection.
type provider struct {
	*world
	t    *testing.T
	scim *testkit.Client
}

// eachProvider runs a test on both databases.
func eachProvider(t *testing.T, test func(t *testing.T, p *provider)) {
	t.Helper()
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		test(t, newProvider(t, s, nil))
	})
}

// newProvider adds a connection with a SCIM token. Fields of the body replace the default
// ones.
func newProvider(t *testing.T, s *testkit.Server, body map[string]any) *provider {
	t.Helper()
	w := newWorld(t, s, []*testkit.Server{s}, body)
	return &provider{w, t, s.As(scimToken(s.Test, w.conn)).With("Content-Type", "application/scim+json")}
}

// scimToken creates the token of a connection.
func scimToken(c *testkit.Client, conn sso.Connection) string {
	var issued scim.ProvisioningToken
	c.Post("/v2-preview/sso_connections/"+conn.ID+"/scim_token", map[string]any{"mfa_token": c.Proof()}, 200, &issued)
	return issued.Token
}

// resource is a user or group of SCIM.
type resource struct {
	Schemas           []string
	ID, UserName      string
	ExternalID        string
	DisplayName       string
	Active            bool
	Name              struct{ Formatted, GivenName, FamilyName string }
	Emails            []struct{ Value, Type string }
	Groups            []struct{ Value, Display string }
	Members           []struct{ Value string }
	Meta              struct{ Version, Location, ResourceType string }
	Status, Detail    string // of an error
	ScimType          string
	TotalResults      int
	ItemsPerPage      int
	Resources         []resource
	Patch, Etag, Sort struct{ Supported bool }
}

// send sends a request of the provider and returns the response.
func (p *provider) send(method, path string, body any, want int) (r resource, res *testkit.Response) {
	p.t.Helper()
	res, err := p.scim.Send(method, "/scim/v2"+path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	if res.StatusCode != want {
		p.t.Fatalf("%s %s: got status %d, want %d\n%s", method, path, res.StatusCode, want, res.Bytes)
	}
	if len(res.Bytes) == 0 {
		return r, res
	}
	assert.Equal(p.t, res.Header.Get("Content-Type"), "application/scim+json")
	if err := json.Unmarshal(res.Bytes, &r); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, path, err, res.Bytes)
	}
	if want >= 400 {
		assert.Equal(p.t, strings.Join(r.Schemas, " "), "urn:ietf:params:scim:api:messages:2.0:Error")
	}
	return r, res
}

// do is send without the response.
func (p *provider) do(method, path string, body any, want int) resource {
	p.t.Helper()
	r, _ := p.send(method, path, body, want)
	return r
}

// find returns the users that match a filter.
func (p *provider) find(filter string) []resource {
	p.t.Helper()
	return p.do("GET", "/Users?filter="+url.QueryEscape(filter), nil, 200).Resources
}

// add creates a user in the connection's domain.
func (p *provider) add(local string, more map[string]any) resource {
	p.t.Helper()
	body := map[string]any{
		"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:User"}, "userName": local + "@" + domain, "displayName": local, "active": true,
		"emails": []any{map[string]any{"value": local + "@" + domain, "type": "work", "primary": true}},
	}
	maps.Copy(body, more)
	return p.do("POST", "/Users", body, 201)
}

// group creates a group with members.
func (p *provider) group(name string, ids ...string) resource {
	p.t.Helper()
	members := []any{}
	for _, id := range ids {
		members = append(members, map[string]any{"value": id})
	}
	return p.do("POST", "/Groups", map[string]any{"displayName": name, "members": members}, 201)
}

// roles returns the names of the roles of a user.
func (p *provider) roles(id string) string {
	p.t.Helper()
	var u people.User
	p.Test.Get("/v1/users/"+id, 200, &u)
	return roleNames(u)
}

// state returns the SCIM state of the connection.
func (p *provider) state() (out scim.Provisioning) {
	p.t.Helper()
	p.Test.Get("/v2-preview/sso_connections/"+p.conn.ID+"/scim", 200, &out)
	return out
}

// in returns the provider for a subtest.
func (p *provider) in(t *testing.T) *provider {
	return &provider{p.world.in(t), t, p.scim}
}

// ops is the body of a PATCH request.
func ops(operations string) string {
	return `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": ` + operations + `}`
}
