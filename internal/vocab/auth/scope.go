package auth

import (
	"slices"
	"strings"
)

// Scope is one permission, chosen when a credential is issued.
type Scope string

// Every scope there is.
const (
	HullsRead  Scope = "hulls:read"
	HullsWrite Scope = "hulls:write"
	LeadsRead  Scope = "leads:read"
	LeadsWrite Scope = "leads:write"
	DealsRead  Scope = "deals:read"
	DealsWrite Scope = "deals:write"
	Webhooks   Scope = "webhooks"
	Admin      Scope = "admin"
)

// Scopes lists every scope with what it allows, in the order they are documented.
var Scopes = []struct {
	Scope Scope
	Doc   string
}{
	{HullsRead, "Read inventory, specifications, prices and photos."},
	{HullsWrite, "Change inventory; see costs."},
	{LeadsRead, "Read contacts, leads, consents and messages."},
	{LeadsWrite, "Change contacts and leads; send messages."},
	{DealsRead, "Read deals, offers, finance and documents."},
	{DealsWrite, "Change deals; see profits."},
	{Webhooks, "Manage webhook endpoints and read events."},
	{Admin, "Administer the dealership, its users and credentials."},
}

// KnownScope reports whether s is a scope.
func KnownScope(s Scope) bool {
	for _, known := range Scopes {
		if known.Scope == s {
			return true
		}
	}
	return false
}

// Rule is what an operation needs: any one of its sets, all of that set.
type Rule [][]Scope

// AnyCredential is the rule of an operation that every valid credential may call.
var AnyCredential = Rule{{}}

// Require is the rule that all of these scopes are held.
func Require(all ...Scope) Rule { return Rule{all} }

// Either is the rule that at least one of these scopes is held.
func Either(any ...Scope) Rule {
	var r Rule
	for _, s := range any {
		r = append(r, []Scope{s})
	}
	return r
}

// Allows reports whether these scopes satisfy the rule.
func (r Rule) Allows(held []Scope) bool {
	return slices.ContainsFunc(r, func(set []Scope) bool {
		return !slices.ContainsFunc(set, func(s Scope) bool { return !slices.Contains(held, s) })
	})
}

// String is the rule in words: "leads:write and deals:write".
func (r Rule) String() string {
	var sets []string
	for _, set := range r {
		var names []string
		for _, s := range set {
			names = append(names, string(s))
		}
		sets = append(sets, strings.Join(names, " and "))
	}
	return strings.Join(sets, " or ")
}
