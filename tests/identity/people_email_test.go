package identity

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"slipway/internal/dealership"
	"slipway/internal/identity/access"
	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// confirm opens the page of a link and presses its button, as a browser does.
func confirm(t *testing.T, s *testkit.Server, link string) *testkit.Response {
	t.Helper()
	res, err := post(t.Context(), s.URL+link, "")
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// The attack: an admin with a small role changes the email address of an invited
// owner to their own, receives the link and becomes an owner.
func TestInvitedOwnerCantBeTakenOver(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		const theirs, mallory = "new.owner@example.com", "mallory@example.com"
		invited := s.Test.User(map[string]any{"email": theirs, "role_ids": []string{s.RoleID("owner")}, "mfa_token": s.Test.Proof()})
		link, path := s.InvitationLinks(theirs, 1)[0], "/v1/users/"+invited

		s.As(s.Key(auth.Admin)).Patch(path, map[string]any{"email": mallory}, 403, nil).WantDetail(t, "mfa_token", "mfa")
		assert.Equal(t, emailOf(s, invited), theirs, "after the rejected change")
		assert.Equal(t, statusOf(t, s, link), 200, "the link of the owner")

		// With proof, the link is canceled and the new address gets no roles.
		var u people.User
		s.Test.Patch(path, map[string]any{"email": mallory, "mfa_token": s.Test.Proof()}, 200, &u)
		assert.Len(t, u.Roles, 0, "after the change")
		assert.Equal(t, u.Email, mallory)
		assert.Equal(t, u.PendingEmail, nil)
		assert.Equal(t, statusOf(t, s, link), 404, "the link to the old address")

		wantPage(t, setPassword(t, s, s.InvitationLinks(mallory, 1)[0], "sixty green anchors"), 200)
		var in access.SignedIn
		s.As("").Post("/oauth/sessions", signInWith(mallory, "sixty green anchors"), 201, &in)
		s.As(in.Token).Get("/v1/users", 403, nil)
		s.As(s.Key(auth.Admin)).Put(path+"/roles", map[string]any{"role_ids": []string{s.RoleID("owner")}}, 403, nil)
	})
}

// The link to the old address ends with the change, not when the next one is sent.
func TestNewAddressCancelsInvitation(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		viewer := s.RoleID("viewer")
		id := s.Test.User(map[string]any{"email": "uma@exampel.com", "role_ids": []string{viewer}})
		link := s.InvitationLinks("uma@exampel.com", 1)[0]

		var u people.User
		s.Test.Patch("/v1/users/"+id, `{"email": "UMA@exampel.com", "name": "Uma B."}`, 200, &u)
		assert.Len(t, u.Roles, 1, "the same address")
		assert.Equal(t, statusOf(t, s, link), 200, "the same address")

		s.Test.Patch("/v1/users/"+id, `{"email": "uma@example.com"}`, 200, &u)
		assert.Equal(t, statusOf(t, s, link), 404, "another address")
		assert.Len(t, u.Roles, 0, "another address")
		s.Test.Put("/v1/users/"+id+"/roles", map[string]any{"role_ids": []string{viewer}}, 200, &u)
		assert.Len(t, u.Roles, 1, "assigned again")

		// A user who was deactivated before they accepted is still only invited.
		link = s.InvitationLinks("uma@example.com", 1)[0]
		s.Test.Post("/v1/users/"+id+"/deactivate", nil, 200, nil)
		s.Test.Patch("/v1/users/"+id, `{"email": "uma.b@example.com"}`, 200, &u)
		assert.Equal(t, u.Email, "uma.b@example.com")
		assert.Len(t, u.Roles, 0, "deactivated")
		s.Test.Patch("/v1/users/"+id, `{"status": "active"}`, 200, &u)
		assert.Equal(t, u.Status, people.Invited)
		assert.Equal(t, statusOf(t, s, link), 404, "after the reactivation")
	})
}

// The new address of an active user takes effect when it is confirmed.
func TestEmailChange(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p := s.Person("viewer")
		path, was := "/v1/users/"+p.ID, p.Email
		const to = "new@example.com"
		enter := func(email string, want int) {
			t.Helper()
			s.As("").Post("/oauth/sessions", signInWith(email, testkit.Password), want, nil)
		}

		var u people.User
		s.Test.Patch(path, `{"email": "New@Example.com", "name": "Uma <b>"}`, 200, &u)
		assert.Equal(t, u.Email, was)
		assert.Equal(t, u.PendingEmail, new(to))
		assert.Len(t, u.Roles, 1)
		enter(was, 201)
		enter(to, 401)
		notice := s.Mail(was, "Your email address for Acme Marine is about to change", 1)[0]
		assert.Contains(t, notice, to, "notice to the old address")
		assert.Excludes(t, notice, "email_changes", "notice to the old address")

		link := s.EmailChangeLinks(to, 1)[0]
		shown, err := s.As("").Send("GET", link, nil)
		if err != nil {
			t.Fatal(err)
		}
		wantPage(t, shown, 200, "Uma &lt;b&gt;", to, was, `<form method="post">`)
		s.Test.Get(path, 200, &u)
		assert.Equal(t, u.Email, was, "after the page was shown")
		foreign, err := post(t.Context(), s.URL+link, "", "Sec-Fetch-Site", "cross-site")
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, foreign.StatusCode, 403, "form on another site")

		wantPage(t, confirm(t, s, link), 200, "Your email address is confirmed", to)
		s.Test.Get(path, 200, &u)
		assert.Equal(t, u.Email, to)
		assert.Equal(t, u.PendingEmail, nil)
		enter(to, 201)
		enter(was, 401)
		p.Get("/v1/me", 200, nil)
		wantPage(t, confirm(t, s, link), 404, "This link is not valid")

		var entries page.Page[dealership.AuditEntry]
		s.Test.Get("/v1/audit?action=user.updated&target_id="+p.ID, 200, &entries)
		assert.Len(t, entries.Data, 2)
		assert.Equal(t, entries.Data[0].Actor.ID, p.ID, "confirmed by the user")
		assert.Equal(t, entries.Data[0].Changes["email"], [2]any{was, to})
	})
}

// A link ends when it expires, when the address is changed again or withdrawn,
// and while the user is deactivated.
func TestInvalidEmailChanges(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		change := func(p *testkit.Person, email string) (u people.User) {
			s.Test.Patch("/v1/users/"+p.ID, map[string]any{"email": email}, 200, &u)
			return u
		}
		requested := func(email string) (*testkit.Person, string) {
			p := s.Person("viewer")
			change(p, email)
			return p, s.EmailChangeLinks(email, 1)[0]
		}

		again, older := requested("older@example.com")
		change(again, "newer@example.com")
		assert.Equal(t, confirm(t, s, older).StatusCode, 404, "replaced")
		assert.Equal(t, statusOf(t, s, s.EmailChangeLinks("newer@example.com", 1)[0]), 200, "the newer link")

		withdrawn, link := requested("withdrawn@example.com")
		assert.Equal(t, change(withdrawn, withdrawn.Email).PendingEmail, nil)
		assert.Equal(t, confirm(t, s, link).StatusCode, 404, "withdrawn")

		deactivated, link := requested("deactivated@example.com")
		s.Test.Post("/v1/users/"+deactivated.ID+"/deactivate", nil, 200, nil)
		assert.Equal(t, confirm(t, s, link).StatusCode, 404, "deactivated")
		s.Test.Patch("/v1/users/"+deactivated.ID, `{"status": "active"}`, 200, nil)
		assert.Equal(t, statusOf(t, s, link), 404, "reactivated, and invited again")

		_, link = requested("tabs@example.com")
		tally := testkit.Concurrently(t, 2, func(int) (*testkit.Response, error) { return post(t.Context(), s.URL+link, "") })
		assert.Equal(t, tally[200], 1, "two tabs")
		assert.Equal(t, tally[404], 1, "two tabs")

		_, link = requested("expired@example.com")
		s.Advance(7*24*time.Hour - time.Minute)
		assert.Equal(t, statusOf(t, s, link), 200, "a minute before it expires")
		s.Advance(time.Minute)
		assert.Equal(t, confirm(t, s, link).StatusCode, 404, "after seven days")
		for _, unknown := range []string{"x", strings.Repeat("a", 52), "%00", "%FF"} {
			assert.Equal(t, statusOf(t, s, "/oauth/email_changes/"+unknown), 404, unknown)
		}
	})
}

// An address can be used by one user, when it is requested and when it is confirmed.
func TestEmailChangeToUsedAddress(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		p, other := s.Person("viewer"), s.Person("viewer")
		s.Test.Patch("/v1/users/"+p.ID, map[string]any{"email": other.Email}, 409, nil).WantDetail(t, "email", "duplicate", "when requested")

		const wanted = "wanted@example.com"
		s.Test.Patch("/v1/users/"+p.ID, map[string]any{"email": wanted}, 200, nil)
		link := s.EmailChangeLinks(wanted, 1)[0]
		taken := s.Test.User(map[string]any{"email": wanted})
		wantPage(t, confirm(t, s, link), 409, "This address is already used")
		assert.Equal(t, emailOf(s, p.ID), p.Email, "when confirmed")
		s.Test.Patch("/v1/users/"+taken, `{"email": "not.wanted@example.com"}`, 200, nil)
		wantPage(t, confirm(t, s, link), 200)
		assert.Equal(t, emailOf(s, p.ID), wanted)
	})
}

// The attack: request an address of a user without admin, and confirm it after
// the user has become an administrator.
func TestEmailRequestedBeforePromotion(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		s.RunJobs()
		role := s.Test.Role("hulls:read")
		for i, promote := range []func(id string){
			func(id string) {
				body := map[string]any{"role_ids": []string{s.RoleID("owner")}, "mfa_token": s.Test.Proof()}
				s.Test.Put("/v1/users/"+id+"/roles", body, 200, nil)
			},
			func(id string) {
				s.Test.Put("/v1/users/"+id+"/roles", map[string]any{"role_ids": []string{role}}, 200, nil)
				s.Test.Patch("/v1/roles/"+role, map[string]any{"scopes": []string{"admin"}, "mfa_token": s.Test.Proof()}, 200, nil)
			},
		} {
			p, mallory := s.Person("viewer"), fmt.Sprintf("mallory%d@example.com", i)
			s.As(s.Key(auth.Admin)).Patch("/v1/users/"+p.ID, map[string]any{"email": mallory}, 200, nil)
			link := s.EmailChangeLinks(mallory, 1)[0]
			promote(p.ID)
			wantPage(t, confirm(t, s, link), 404, "This link is not valid")
			assert.Equal(t, emailOf(s, p.ID), p.Email)

			// With proof, an administrator can still change it.
			s.Test.Patch("/v1/users/"+p.ID, map[string]any{"email": "right" + mallory, "mfa_token": s.Test.Proof()}, 200, nil)
			wantPage(t, confirm(t, s, s.EmailChangeLinks("right"+mallory, 1)[0]), 200)
		}
	})
}
