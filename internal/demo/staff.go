package demo

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// employee is a user of the dealership.
type employee struct {
	name, role string
	locations  []string // codes; empty for all
}

// staff are the users besides the owner. The sales team takes turns with new leads.
var staff = []employee{
	{"Teresa Vaughn", "sales", []string{"ANN"}},
	{"Cole Brandt", "sales", []string{"ANN", "BAL"}},
	{"Marcus Bell", "sales", []string{"BAL"}},
	{"Denise Okoye", "finance", nil},
	{"Jonah Pryce", "marketing", nil},
}

// signer signs documents for the dealership.
const signer = "Owen Tilghman"

// email returns the address of an employee: teresa@chesapeakemarine.example.
func (e employee) email() string {
	first, _, _ := strings.Cut(strings.ToLower(e.name), " ")
	return first + "@chesapeakemarine.example"
}

// users returns a user of each role.
func users() []User {
	all := []User{{"Owner", owner}}
	for _, role := range []string{"sales", "finance", "marketing"} {
		i := slices.IndexFunc(staff, func(e employee) bool { return e.role == role })
		all = append(all, User{strings.ToUpper(role[:1]) + role[1:], staff[i].email()})
	}
	return all
}

// hashPasswords returns the stored form of a password for each employee. It takes
// a moment, so it works on all of them at the same time.
func (s *seeder) hashPasswords(password string) map[string]string {
	hashes := map[string]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, e := range staff {
		wg.Go(func() {
			hash := people.HashPassword(s.DB, e.email(), password)
			mu.Lock()
			defer mu.Unlock()
			hashes[e.email()] = hash
		})
	}
	wg.Wait()
	return hashes
}

// newPassword returns a password for the staff.
func newPassword() string { return strings.ToLower(rand.Text()[:12]) }

// addStaff creates the users of an environment. They have accepted their
// invitations.
func (s *seeder) addStaff(ctx context.Context, e *environment, hashes map[string]string) error {
	var roles page.Page[people.Role]
	if err := s.as(e.key).send(ctx, http.MethodGet, "/v1/roles?limit=100", nil, &roles); err != nil {
		return err
	}
	ids := map[string]string{}
	for _, r := range roles.Data {
		ids[r.Name] = r.ID
	}

	for _, u := range staff {
		locations := []string{}
		for _, code := range u.locations {
			locations = append(locations, e.locations[code])
		}
		var created struct{ ID string }
		if err := s.as(e.key).send(ctx, http.MethodPost, "/v1/users", object{
			"name": u.name, "email": u.email(), "role_ids": []string{ids[u.role]}, "location_ids": locations,
		}, &created); err != nil {
			return err
		}
		e.staff[u.name] = created.ID

		user := auth.With(ctx, auth.Principal{Env: e.env, Actor: auth.Actor{Type: "user", ID: created.ID, Label: u.name}})
		if _, err := db.Write(user, s.DB, func(ctx context.Context, tx *db.Tx) (people.User, error) {
			found, err := people.FindUserForUpdate(ctx, tx, created.ID)
			if err != nil {
				return found, err
			}
			return people.Activate(ctx, tx, found, hashes[u.email()])
		}); err != nil {
			return err
		}
	}
	return nil
}
