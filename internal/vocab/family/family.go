// Package family has the groups of operations: the headings of the reference, and the nouns
// of the command line.
package family

import "strings"

// Family is a group of operations.
type Family struct {
	Name string
	Help string // of the command line, "" if it has no commands

	stable, preview, public string // what the reference says about it
}

// Command is the noun of the family on the command line.
func (f *Family) Command() string { return strings.ReplaceAll(strings.ToLower(f.Name), " ", "-") }

// The families of the API.
var (
	Hulls = &Family{Name: "Hulls", Help: "Boats: prices, photos, specifications, channels and imports.",
		stable:  "Inventory: boats with specifications, prices, photos and listings, and a decoder for hull identification numbers (HINs).",
		preview: "Inventory with money objects and expandable references."}
	Contacts = &Family{Name: "Contacts", Help: "People and companies.",
		stable: "People and companies, with their consent records.", preview: "People and companies."}
	Leads = &Family{Name: "Leads", Help: "Inquiries, messages and consent.",
		stable:  "Inquiries about boats: status, assignment, consent, intent signals and messages.",
		preview: "Inquiries with expandable references, how to reach them, and messages by number."}
	Campaigns = &Family{Name: "Campaigns", Help: "Campaigns, segments, message templates, follow-up plans and do-not-call lists.",
		preview: "Messages to many people behind the consent check, follow-up plans for new leads, and do-not-call lists."}
	Deals = &Family{Name: "Deals", Help: "Deals, offers and trade-ins.",
		stable: "From the first offer to delivery: offers, trade-ins and totals.", preview: "Deals with money objects and expandable references."}
	Finance = &Family{Name: "Finance", Help: "Financing, fundings, payments and documents of a deal.",
		stable: "Finance structures, fundings, documents and payments of a deal.", preview: "A payment calculator, and uploaded and executed documents of a deal."}
	Office = &Family{Name: "Office", Help: "Payments, fundings and documents of all deals.",
		preview: "Payments, fundings and documents of all deals."}
	Appointments = &Family{Name: "Appointments", Help: "Appointments and calendars.",
		preview: "Showings, sea trials, deliveries and calls, with reminders and calendars."}
	Activities = &Family{Name: "Activities", Help: "Calls, notes, tasks and timelines.",
		preview: "Calls, notes, visits and tasks on leads, contacts, deals and hulls, and what happened to them."}
	Proposals = &Family{Name: "Proposals", Help: "Changes that programs propose and people approve.",
		preview: "Operations that programs propose and people approve in the console."}
	Reports = &Family{Name: "Reports", Help: "Reports, also as CSV.",
		preview: "Inventory, gross, leads, pipeline, funding, cash and pricing, as JSON or CSV."}
	Search = &Family{Name: "Search", Help: "Search everything.",
		preview: "Boats, contacts, leads, deals and documents in one search."}
	Webhooks = &Family{Name: "Webhooks", Help: "Webhooks, deliveries and events.",
		stable: "Events and the endpoints that receive them.", preview: "Events with who caused them, and sample events to test webhooks with."}
	Dealership = &Family{Name: "Dealership", Help: "The dealership, locations, users, roles and the audit log.",
		stable: "The dealership's settings, locations, users and roles, and the audit log.", preview: "The dealership's logo, and the names of its users."}
	Access = &Family{Name: "Access", Help: "API keys, sessions, apps and single sign-on.",
		stable: "API keys, two-factor methods and sessions.", preview: "Who is signed in."}
	RequestLogs = &Family{Name: "Request logs", Help: "API requests of the last 30 days.",
		preview: "API requests that changed something or failed, for developers."}

	OAuth         = &Family{Name: "OAuth", public: "The authorization server: how apps get tokens."}
	SingleSignOn  = &Family{Name: "Single sign-on", public: "What an identity provider calls or reads."}
	Sessions      = &Family{Name: "Sessions", public: "How people sign in with a password, without a browser."}
	Links         = &Family{Name: "Links", public: "Files that everyone with the link can read."}
	ProviderHooks = &Family{Name: "Hooks", public: "What your providers of text messages and email call."}
)

// Commands returns the families with commands, in the order of the help.
func Commands() []*Family {
	return []*Family{Hulls, Contacts, Leads, Campaigns, Deals, Finance, Office, Appointments, Activities, Proposals, Reports, Search, Webhooks, Dealership,
		Access, RequestLogs}
}

// Heading is a heading of a reference.
type Heading struct{ Name, Text string }

// Stable returns the headings of the reference of /v1, in order.
func Stable() (all []Heading) {
	for _, f := range []*Family{Hulls, Contacts, Leads, Deals, Finance, Dealership, Access, Webhooks} {
		all = append(all, Heading{f.Name, f.stable})
	}
	return all
}

// Preview returns the headings of the preview's reference, in order.
func Preview() (all []Heading) {
	for _, f := range []*Family{Search, Hulls, Contacts, Leads, Campaigns, Deals, Finance, Dealership, Appointments, Activities, Proposals, Office, Reports,
		Access, Webhooks, RequestLogs} {
		all = append(all, Heading{f.Name, f.preview})
	}
	return all
}

// Public returns the headings of what callers without an API key use, in order.
func Public() (all []Heading) {
	for _, f := range []*Family{OAuth, SingleSignOn, Sessions, Links, ProviderHooks} {
		all = append(all, Heading{f.Name, f.public})
	}
	return all
}
