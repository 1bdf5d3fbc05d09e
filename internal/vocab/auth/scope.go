package auth

import (
	"slices"
	"strings"
)

// Scope is a permission of a credential.
type Scope string

// All scopes.
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

// Scopes lists all scopes with their descriptions, in the order of the documentation.
var Scopes = []struct {
	Scope Scope
	Doc   string
}{
	{HullsRead, "Read inventory, specifications, prices and photos."},
	{HullsWrite, "Change inventory and see costs."},
	{LeadsRead, "Read contacts, leads, consents and messages."},
	{LeadsWrite, "Change contacts and leads, and send messages."},
	{DealsRead, "Read deals, offers, finance and documents."},
	{DealsWrite, "Change deals. See profits, together with hulls:write."},
	{Webhooks, "Manage webhook endpoints and read events. Each event also requires the scope of its object."},
	{Admin, "Administer the dealership, its users and credentials."},
}

// ScopeNames returns the names of all scopes, separated by commas.
func ScopeNames() string {
	var names []string
	for _, s := range Scopes {
		names = append(names, string(s.Scope))
	}
	return strings.Join(names, ",")
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

// Rule lists the scopes that an operation requires: all scopes of at least one set.
type Rule [][]Scope

// AnyCredential is the rule of an operation that requires no scope.
var AnyCredential = Rule{{}}

// Require returns the rule that requires all of these scopes.
func Require(all ...Scope) Rule { return Rule{all} }

// Either returns the rule that requires at least one of these scopes.
func Either(any ...Scope) Rule {
	var r Rule
	for _, s := range any {
		r = append(r, []Scope{s})
	}
	return r
}

// Allows reports whether a caller with these scopes satisfies the rule.
func (r Rule) Allows(held []Scope) bool {
	return slices.ContainsFunc(r, func(set []Scope) bool {
		return !slices.ContainsFunc(set, func(s Scope) bool { return !slices.Contains(held, s) })
	})
}

// Names reports whether the rule mentions a scope.
func (r Rule) Names(s Scope) bool {
	return slices.ContainsFunc(r, func(set []Scope) bool { return slices.Contains(set, s) })
}

// String formats the rule, such as "leads:write and deals:write".
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
