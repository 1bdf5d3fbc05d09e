package cli

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Candidate is a word that can follow on a command line.
type Candidate struct{ Text, Help string }

// completeTimeout is how long a shell waits for IDs.
const completeTimeout = 2 * time.Second

// Complete returns the words that can follow the words after a noun. The last word is
// incomplete.
func Complete(ctx context.Context, s *Session, noun string, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	var all []Candidate
	switch noun {
	case "api":
		all = completeSpecs(ctx, s, nil, apiFlags(), words)
	case "login":
		all = completeSpecs(ctx, s, nil, loginFlags(), words)
	case "logout":
		all = completeSpecs(ctx, s, nil, logoutFlags(), words)
	case "profiles":
		all = completeProfiles(s, words)
	default:
		all = completeOperation(ctx, s, noun, words)
	}
	return slices.DeleteFunc(all, func(c Candidate) bool { return !strings.HasPrefix(c.Text, last) })
}

func completeOperation(ctx context.Context, s *Session, noun string, words []string) (all []Candidate) {
	commands := commandsOf(noun)
	if isDirect(commands) {
		return completeSpecs(ctx, s, &commands[0], commands[0].specs(), words)
	}
	if len(words) == 1 {
		for _, c := range commands {
			all = append(all, Candidate{c.Name, c.Summary})
		}
		return all
	}
	for _, c := range commands {
		if c.Name == words[0] {
			return completeSpecs(ctx, s, &c, c.specs(), words[1:])
		}
	}
	return nil
}

func completeProfiles(s *Session, words []string) (all []Candidate) {
	if len(words) == 1 {
		return []Candidate{{"list", "List the profiles."}, {"use", "Make a profile the current one."}, {"remove", "Delete a profile."}}
	}
	return profileNames(s)
}

func profileNames(s *Session) (all []Candidate) {
	p, err := s.loadProfiles()
	if err != nil {
		return nil
	}
	for _, name := range p.names() {
		all = append(all, Candidate{name, p.Profiles[name].BaseURL})
	}
	return all
}

// completeSpecs completes flags, their values, and arguments.
func completeSpecs(ctx context.Context, s *Session, c *command, specs []flagSpec, words []string) (all []Candidate) {
	last, before := words[len(words)-1], words[:len(words)-1]
	if len(before) > 0 {
		name := strings.TrimLeft(before[len(before)-1], "-")
		at := slices.IndexFunc(specs, func(f flagSpec) bool {
			return f.name == name || slices.Contains(f.aliases, name) || (f.short != "" && f.short == name)
		})
		if strings.HasPrefix(before[len(before)-1], "-") && at >= 0 && specs[at].value != "" {
			return completeValue(ctx, s, specs[at], last)
		}
	}
	if name, value, found := strings.Cut(last, "="); found && strings.HasPrefix(last, "--") {
		return completeAfterEquals(ctx, s, specs, name, value)
	}
	if strings.HasPrefix(last, "-") {
		for _, f := range specs {
			all = append(all, Candidate{"--" + f.name, f.help})
		}
		return all
	}
	p, err := parseFlags(before, specs, "")
	if c == nil || err != nil {
		return nil
	}
	if args := c.arguments(); len(p.args) < len(args) {
		return completeID(ctx, s, args[len(p.args)].Name)
	}
	return nil
}

// completeAfterEquals completes the value of --name=value.
func completeAfterEquals(ctx context.Context, s *Session, specs []flagSpec, name, value string) (all []Candidate) {
	at := slices.IndexFunc(specs, func(f flagSpec) bool {
		return "--"+f.name == name || slices.Contains(f.aliases, strings.TrimPrefix(name, "--"))
	})
	if at < 0 {
		return nil
	}
	found := []Candidate{{"true", ""}, {"false", ""}}
	if specs[at].value != "" {
		found = completeValue(ctx, s, specs[at], value)
	}
	for _, c := range found {
		all = append(all, Candidate{name + "=" + c.Text, c.Help})
	}
	return all
}

func completeValue(ctx context.Context, s *Session, f flagSpec, last string) (all []Candidate) {
	switch {
	case f.name == "profile":
		return profileNames(s)
	case f.value == "ID":
		return completeID(ctx, s, strings.ReplaceAll(f.name, "-", "_"))
	}
	before := ""
	if f.value == listValue {
		before = last[:strings.LastIndex(last, ",")+1]
	}
	values := f.values
	if f.suggest != nil {
		values = f.suggest()
	}
	for _, value := range values {
		if value != "" && !slices.Contains(strings.Split(before, ","), value) {
			all = append(all, Candidate{before + value, ""})
		}
	}
	return all
}

// completeID returns the newest resources: what to enter, and a title. It returns nothing if
// the server doesn't respond quickly.
func completeID(ctx context.Context, s *Session, param string) (all []Candidate) {
	l := lookupOf(param)
	if l == nil {
		return nil
	}
	client, err := s.Connect(s.BaseURL, "")
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	res, err := client.Send(ctx, l.list(50))
	if err != nil {
		return nil
	}
	var page struct{ Data []json.RawMessage }
	if json.Unmarshal(res.Text, &page) != nil {
		return nil
	}
	for _, item := range page.Data {
		var row map[string]any
		if json.Unmarshal(item, &row) != nil {
			return nil
		}
		word := plainText(row["id"])
		for _, name := range l.fields {
			if text := show(row[name]); text != "" && !strings.ContainsAny(text, " \t:") {
				word = text
				break
			}
		}
		all = append(all, Candidate{word, l.describe(row)})
	}
	return all
}
