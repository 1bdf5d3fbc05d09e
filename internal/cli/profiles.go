package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Profile is a server and a key.
type Profile struct {
	BaseURL     string     `json:"base_url"`
	Key         string     `json:"key"`
	Dealership  string     `json:"dealership"`
	Environment string     `json:"environment"`
	Scopes      []string   `json:"scopes"`
	ExpiresAt   *time.Time `json:"expires_at"`
}

// profiles is the file with all profiles.
type profiles struct {
	Current  string             `json:"current"`
	Profiles map[string]Profile `json:"profiles"`
	file     string
}

func (s *Session) loadProfiles() (p profiles, err error) {
	p = profiles{Profiles: map[string]Profile{}, file: filepath.Join(s.Config, "profiles.json")}
	text, err := os.ReadFile(p.file)
	if errors.Is(err, os.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("can't read the profiles: %w", err)
	}
	if p.Profiles == nil {
		p.Profiles = map[string]Profile{}
	}
	return p, nil
}

// save replaces the file with a rename, so that it is complete after a crash. Only the user
// can read it.
func (p profiles) save() error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.file), 0o700); err != nil {
		return err
	}
	temporary := p.file + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) { // it could have another mode
		return err
	}
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, p.file)
}

// connect returns a client for the server and the key of a command line.
func (s *Session) connect(p parsed) (*Client, error) {
	return s.Connect(cmp.Or(p.last("base-url"), s.BaseURL), p.last("profile"))
}

// DefaultBaseURL is the server of a key without an address.
const DefaultBaseURL = "http://localhost:8080"

// Connect returns a client. SLIPWAY_KEY takes precedence, unless a profile is named. The key
// of a profile is only sent to the server of the profile.
func (s *Session) Connect(base, name string) (*Client, error) {
	base = cmp.Or(base, s.Getenv("SLIPWAY_BASE_URL"))
	if key := s.Getenv("SLIPWAY_KEY"); key != "" && name == "" {
		return NewClient(cmp.Or(base, DefaultBaseURL), key), nil
	}
	all, err := s.loadProfiles()
	if err != nil {
		return nil, err
	}
	name = cmp.Or(name, s.Getenv("SLIPWAY_PROFILE"), all.Current)
	if name == "" {
		return nil, errNotSignedIn
	}
	profile, ok := all.Profiles[name]
	if !ok {
		return nil, fmt.Errorf("there is no profile %s. The profiles are: %s", name, strings.Join(all.names(), ", "))
	}
	if base != "" && strings.TrimSuffix(base, "/") != profile.BaseURL {
		return nil, fmt.Errorf("the profile %s is for %s, not for %s. To use another server, set SLIPWAY_KEY too", name, profile.BaseURL, base)
	}
	return NewClient(profile.BaseURL, profile.Key), nil
}

// SignedIn reports whether there is a key: in SLIPWAY_KEY, or in a profile that was named or is
// the current one.
func (s *Session) SignedIn(name string) (bool, error) {
	all, err := s.loadProfiles()
	return cmp.Or(name, s.Getenv("SLIPWAY_KEY"), s.Getenv("SLIPWAY_PROFILE"), all.Current) != "", err
}

func (p profiles) names() []string { return slices.Sorted(maps.Keys(p.Profiles)) }

// runProfiles lists, chooses and removes profiles.
func runProfiles(s *Session, args []string) error {
	const command = "slipway profiles"
	p, err := parseFlags(args, connectFlags(), command)
	if err != nil {
		return err
	}
	if p.has("help") || len(p.args) == 0 {
		return helpPage{
			usage: command + " <command> [flags]", summary: `Servers and API keys of this machine. "slipway login" adds one.`,
			commands: [][2]string{
				{"list", "List the profiles. * marks the current one."},
				{"use <name>", "Make a profile the current one."},
				{"remove <name>", `Delete a profile. "slipway logout" also revokes its key.`},
			},
			examples: []string{command + " list", command + " use live"},
		}.print(s.Out)
	}
	all, err := s.loadProfiles()
	if err != nil {
		return err
	}
	if p.args[0] == "list" && len(p.args) == 1 {
		return listProfiles(s, p, all)
	}
	if len(p.args) != 2 || !slices.Contains([]string{"use", "remove"}, p.args[0]) {
		return &UsageError{`expected "list", "use <name>" or "remove <name>"`, command}
	}
	name := p.args[1]
	if _, ok := all.Profiles[name]; !ok {
		return fmt.Errorf("there is no profile %s. The profiles are: %s", name, strings.Join(all.names(), ", "))
	}
	if p.args[0] == "use" {
		all.Current = name
	} else {
		all.remove(name)
	}
	return all.save()
}

// remove deletes a profile. If one is left, it becomes the current one.
func (p *profiles) remove(name string) {
	delete(p.Profiles, name)
	if p.Current == name {
		p.Current = ""
		if left := p.names(); len(left) == 1 {
			p.Current = left[0]
		}
	}
}

func listProfiles(s *Session, p parsed, all profiles) error {
	out, err := newPrinter(s, p, "slipway profiles")
	if err != nil {
		return err
	}
	type listed struct {
		Name        string     `json:"name"`
		Current     bool       `json:"current"`
		BaseURL     string     `json:"base_url"`
		Dealership  string     `json:"dealership"`
		Environment string     `json:"environment"`
		Scopes      []string   `json:"scopes"`
		ExpiresAt   *time.Time `json:"expires_at"`
	}
	rows := []listed{}
	lines := [][]string{{"", "NAME", "SERVER", "DEALERSHIP", "ENVIRONMENT", "EXPIRES"}}
	for _, name := range all.names() {
		f := all.Profiles[name]
		mark, expires := "", "-"
		if name == all.Current {
			mark = "*"
		}
		if f.ExpiresAt != nil {
			expires = f.ExpiresAt.Local().Format("Jan 2, 2006")
		}
		rows = append(rows, listed{name, name == all.Current, f.BaseURL, f.Dealership, f.Environment, f.Scopes, f.ExpiresAt})
		lines = append(lines, []string{mark, name, f.BaseURL, printable(f.Dealership), f.Environment, expires})
	}
	if out.isTable() && len(rows) == 0 {
		_, err := fmt.Fprintln(s.Err, `No profiles. To add one, run "slipway login".`)
		return err
	}
	if out.isTable() {
		return out.align(lines, layout{right: make([]bool, len(lines[0])), whole: make([]bool, len(lines[0]))})
	}
	text, err := json.Marshal(map[string]any{"data": rows})
	if err != nil {
		return err
	}
	return out.json(text)
}
