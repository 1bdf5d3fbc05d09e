package cli_test

import (
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"slipway/internal/cli"
	"slipway/internal/testkit/assert"
)

// program is a small program with settings and commands.
type program struct {
	Folder  string         `env:"SLIPWAY_FOLDER" default:"data" type:"path"`
	Rate    float64        `env:"SLIPWAY_RATE_LIVE" aliases:"live-rate" default:"100"`
	Proxies []netip.Prefix `env:"SLIPWAY_PROXIES"`
	Format  string         `env:"SLIPWAY_FORMAT" enum:"text,json,"`
	Quiet   bool           `env:"SLIPWAY_QUIET"`

	Users struct {
		Invite inviteCmd `cmd:""`
	} `cmd:""`
}

type inviteCmd struct {
	Email  string        `arg:""`
	Role   string        `required:"" enum:"sales,owner"`
	Since  time.Duration `default:"5m"`
	Scopes []string
}

// Defaults of this command differ from the ones of the program.
func (inviteCmd) Defaults() map[string]string { return map[string]string{"rate-live": "7"} }

func parse(env map[string]string, args ...string) (program, cli.Parsed, error) {
	var p program
	root := cli.NewLocal("slipway", "", &p, nil)
	root.Pass("hulls", "")
	found, err := root.Parse(args, func(name string) (string, bool) {
		text, ok := env[name]
		return text, ok
	})
	return p, found, err
}

// A flag is stronger than a variable, which is stronger than the default of the command and
// the one of the setting. Flags can be anywhere.
func TestLocalCommand(t *testing.T) {
	folder, err := filepath.Abs("data")
	assert.Equal(t, err, nil)
	p, found, err := parse(nil, "users", "invite", "ann@example.com", "--role=sales")
	assert.Equal(t, err, nil)
	assert.Equal(t, found.Line(), "slipway users invite")
	assert.Equal(t, p.Folder, folder)
	assert.Equal(t, p.Rate, 7)
	assert.Equal(t, p.Users.Invite, inviteCmd{Email: "ann@example.com", Role: "sales", Since: 5 * time.Minute})

	env := map[string]string{"SLIPWAY_RATE_LIVE": "8", "SLIPWAY_PROXIES": "10.0.0.0/8, 192.168.0.0/16", "SLIPWAY_FOLDER": "", "SLIPWAY_QUIET": "true"}
	p, _, err = parse(env, "users", "invite", "--role", "owner", "--scopes", "a,b", "--scopes=c", "--since=1h", "--quiet=false", "--", "-x")
	assert.Equal(t, err, nil)
	assert.Equal(t, p.Rate, 8)
	assert.Equal(t, p.Folder, "")
	assert.Equal(t, p.Quiet, false)
	assert.Equal(t, p.Proxies, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.168.0.0/16")})
	assert.Equal(t, p.Users.Invite, inviteCmd{Email: "-x", Role: "owner", Since: time.Hour, Scopes: []string{"a", "b", "c"}})

	p, found, err = parse(env, "--live-rate", "9", "hulls", "list", "--folder", "x")
	assert.Equal(t, err, nil)
	assert.Equal(t, p.Rate, 9)
	assert.Equal(t, found.Args, []string{"list", "--folder", "x"})
}

// Each mistake says what is wrong.
func TestLocalMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		`expected one of "users", "hulls"`:                     {"--quiet"},
		`unexpected argument uses, did you mean "users"?`:      {"uses"},
		`expected "<email>"`:                                   {"users", "invite", "--role=owner"},
		"unexpected argument b":                                {"users", "invite", "a", "b", "--role=owner"},
		"missing flags: --role=TEXT":                           {"users", "invite", "a"},
		`--role must be one of "sales","owner" but got "boss"`: {"users", "invite", "a", "--role=boss"},
		`--since must be a duration such as 30s or 5m`:         {"users", "invite", "a", "--role=owner", "--since", "5"},
		"the flag --role requires a value":                     {"users", "invite", "a", "--role"},
		`unknown flag --rol, did you mean "--role"?`:           {"users", "invite", "a", "--rol=x"},
	} {
		_, _, err := parse(nil, args...)
		assert.Equal(t, cli.ExitCode(err), cli.ExitUsage)
		if err != nil {
			assert.Contains(t, err.Error(), want)
		}
	}
	_, _, err := parse(map[string]string{"SLIPWAY_FORMAT": "xml"}, "hulls")
	assert.Contains(t, err.Error(), `SLIPWAY_FORMAT must be one of "text","json","" but got "xml"`)
	_, _, err = parse(map[string]string{"SLIPWAY_RATE_LIVE": "fast"}, "hulls")
	assert.Contains(t, err.Error(), `SLIPWAY_RATE_LIVE must be a number but got "fast"`)
}
