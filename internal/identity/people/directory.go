package people

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DirectoryUser is a user as coworkers see them, without email addresses and roles.
type DirectoryUser struct {
	_ struct{} `doc:"A user as coworkers see them." columns:"id name active"`

	ID          string   `json:"id" doc:"Identifies the user. Starts with usr_." example:"usr_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Name        string   `json:"name" doc:"Full name of the user." example:"Ann Bell"`
	Initials    string   `json:"initials" doc:"One or two letters of the name, for a small picture." example:"AB"`
	LocationIDs []string `json:"location_ids" nullable:"false" doc:"Locations where the user works. Empty if the user works at all of them."`
	Active      bool     `json:"active" doc:"Whether the user can sign in. False for invited and deactivated users."`
}

// listed returns the user as the directory shows them. The first owner has an email
// address as the name, until they change it.
func (u User) listed() DirectoryUser {
	name, _, _ := strings.Cut(u.Name, "@")
	return DirectoryUser{ID: u.ID, Name: name, Initials: initials(name), LocationIDs: u.LocationIDs, Active: u.Status == Active}
}

// initials returns the first letters of the first and the last name.
func initials(name string) string {
	names := strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
	})
	first := func(name string) string {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(name, "'"))
		if r == utf8.RuneError {
			return ""
		}
		return string(unicode.ToUpper(r))
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return first(names[0])
	}
	return first(names[0]) + first(names[len(names)-1])
}
