package identity

import (
	"testing"

	"slipway/internal/identity/people"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/page"
)

// Each session and key sees who works here, without email addresses.
func TestDirectory(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		location := s.Test.Location()
		ben := s.Test.User(map[string]any{"name": "Ben Ray", "location_ids": []string{location}})
		owen := s.Person("sales")
		s.Other.User(map[string]any{"name": "Eve"})

		var all, active page.Page[people.DirectoryUser]
		res := owen.Get("/v2-preview/directory", 200, &all)
		assert.Excludes(t, string(res.Bytes), "@")
		assert.Len(t, all.Data, 3, "the owner, Ben and Owen")
		assert.Equal(t, all.Data[1], people.DirectoryUser{ID: ben, Name: "Ben Ray", Initials: "BR", LocationIDs: []string{location}})
		assert.Equal(t, all.Data[0].ID, owen.ID)
		assert.Equal(t, all.Data[0].Active, true)

		key := s.As(s.Key(auth.HullsRead))
		key.Get("/v2-preview/directory?active=true", 200, &active)
		assert.Len(t, active.Data, 2)
		key.Get("/v2-preview/directory?active=false", 200, &active)
		assert.Len(t, active.Data, 1)
		assert.Equal(t, active.Data[0].ID, ben)
		key.Get("/v1/users", 403, nil)
	})
}
