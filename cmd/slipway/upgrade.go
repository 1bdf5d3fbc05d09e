package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"slipway/internal/app"
)

type upgradeCmd struct {
	Version  string        `arg:"" optional:"" help:"Version to install, such as v1.3.0. Defaults to the newest release."`
	From     string        `help:"Address of the releases. Defaults to the publisher's."`
	Key      string        `type:"existingfile" help:"File with the public key of the releases, as PEM. Defaults to the publisher's."`
	Unsigned bool          `help:"Accept a release without a signature."`
	Stop     string        `help:"Command that stops the server. Defaults to systemctl stop slipway."`
	Start    string        `help:"Command that starts the server. Defaults to systemctl start slipway."`
	Via      string        `help:"What to put before a command of slipway so that it has the server's settings. Defaults to systemd-run with those of the service."`
	Wait     time.Duration `default:"2m" help:"How long the server can take to become ready. Defaults to ${default}."`
	Yes      bool          `help:"Don't ask before the server stops."`
}

// service is how systemd runs Slipway, as in deploy/systemd.
var service = upgradeCmd{
	Stop: "systemctl stop slipway", Start: "systemctl start slipway",
	Via: "systemd-run --quiet --wait --collect --pipe --uid=slipway --property=EnvironmentFile=-/etc/slipway/slipway.env --setenv=SLIPWAY_DATA=/var/lib/slipway",
}

// upgrade replaces the program at a path.
type upgrade struct {
	upgradeCmd

	*session
	program, fresh, before string // the program, the new one, and the copy of the old one
	plan                   migrationPlan
}

// Run downloads a release, checks it, backs up, and replaces the program. If the new one doesn't
// become ready, it goes back.
func (c upgradeCmd) Run(s *session) error {
	u, err := c.prepare(s)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(u.program), ".slipway-upgrade-*") // the same disk, so that it can be moved
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := os.Chmod(work, 0o755); err != nil { // the service runs the program, too
		return err
	}
	p := published{Address: u.From, Unsigned: c.Unsigned}
	if p.Key, err = c.publicKey(); err != nil {
		return err
	}
	if u.Version, err = p.newest(s, c.Version); err != nil {
		return err
	}
	if u.Version == app.Build {
		_, err := fmt.Fprintf(s.out, "This is slipway %s already. There is nothing to do.\n", app.Build)
		return err
	}
	if u.fresh, err = p.download(s, u.Version, work); err != nil {
		return err
	}
	if err := u.check(); err != nil {
		return err
	}
	if !c.Yes && !s.confirm(fmt.Sprintf("Replace slipway %s with %s now?", app.Build, u.Version)) {
		return errors.New("nothing was changed. Use --yes to continue without a question")
	}
	return u.replace()
}

// prepare fills in what systemd runs.
func (c upgradeCmd) prepare(s *session) (*upgrade, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("upgrade doesn't work on Windows. Unpack the archive of the release instead")
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return nil, err
	}
	if c.Stop == "" && c.Start == "" {
		if exec.CommandContext(s, "systemctl", "cat", "slipway.service").Run() != nil {
			return nil, errors.New("there is no service slipway. Say how to stop and start the server with --stop and --start")
		}
		if os.Geteuid() != 0 {
			return nil, errors.New("run this as root, because it restarts the service")
		}
		c.Stop, c.Start, c.Via = service.Stop, service.Start, cmp.Or(c.Via, service.Via)
	}
	if c.Stop == "" || c.Start == "" {
		return nil, errors.New("use --stop and --start together")
	}
	if c.From = strings.TrimSuffix(cmp.Or(c.From, app.Downloads), "/"); c.From == "" {
		return nil, errors.New("this build doesn't know where releases are. Use --from")
	}
	return &upgrade{upgradeCmd: c, session: s, program: program, before: program + ".before"}, nil
}

// say prints a line.
func (u *upgrade) say(format string, args ...any) { _, _ = fmt.Fprintf(u.out, format+"\n", args...) }

// slipway runs a command of a program with the settings of the server.
func (u *upgrade) slipway(out io.Writer, program string, args ...string) error {
	return u.shell(out, u.Via+` "$0" "$@"`, append([]string{program}, args...)...)
}

// shell runs a command line. Its errors are shown.
func (u *upgrade) shell(out io.Writer, line string, args ...string) error {
	var problems strings.Builder
	cmd := exec.CommandContext(context.WithoutCancel(u), "sh", append([]string{"-c", line}, args...)...)
	cmd.Stdout, cmd.Stderr = out, &problems
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{line}, args...), " "), err, strings.TrimSpace(problems.String()))
	}
	return nil
}

// check runs the new program and shows what it will do. It changes nothing.
func (u *upgrade) check() error {
	if err := u.slipway(u.out, u.fresh, "version"); err != nil {
		return err
	}
	var plan strings.Builder
	if err := u.slipway(&plan, u.fresh, "migrate", "--plan", "--json"); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(plan.String()), &u.plan); err != nil {
		return err
	}
	u.say("")
	return u.slipway(u.out, u.fresh, "migrate", "--plan")
}

// replace stops the server, replaces the program and starts it. Everything before is undone if
// a step fails.
func (u *upgrade) replace() error {
	u.say("\nBacking up…")
	if err := u.slipway(u.out, u.program, "backup"); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if err := copyProgram(u.program, u.before); err != nil {
		return err
	}
	u.say("Stopping slipway %s…", app.Build)
	if err := u.shell(u.out, u.Stop); err != nil {
		return errors.Join(err, u.shell(u.out, u.Start))
	}
	err := os.Rename(u.fresh, u.program)
	if err == nil {
		u.say("Starting slipway %s…", u.Version)
		err = u.start()
	}
	if err != nil {
		return u.goBack(err)
	}
	u.say("slipway %s is ready. The program from before is %s.\nTo check the installation, run slipway doctor.", u.Version, u.before)
	return nil
}

// start starts the server and waits until it is ready.
func (u *upgrade) start() error {
	if err := u.shell(u.out, u.Start); err != nil {
		return err
	}
	for deadline := time.Now().Add(u.Wait); ; time.Sleep(time.Second) {
		err := u.slipway(io.Discard, u.program, "health")
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// goBack runs the old program again. The new one was never ready, so nothing was written with it.
func (u *upgrade) goBack(cause error) error {
	u.say("slipway %s doesn't become ready. Going back to %s…", u.Version, app.Build)
	stopped := u.shell(u.out, u.Stop) // it fails if the server has ended by itself
	if u.plan.Changes > 0 && u.plan.SQLite {
		if err := u.slipway(u.out, u.program, "migrate", "--back-to", fmt.Sprint(u.plan.Schema)); err != nil {
			return errors.Join(cause, stopped, err)
		}
	}
	if err := copyProgram(u.before, u.program); err != nil {
		return errors.Join(cause, err)
	}
	if err := u.start(); err != nil {
		return errors.Join(cause, stopped, fmt.Errorf("slipway %s doesn't become ready either: %w", app.Build, err))
	}
	return fmt.Errorf("slipway %s didn't become ready, so slipway %s runs again: %w", u.Version, app.Build, cause)
}

// copyProgram copies a program, so that there is always a complete one.
func copyProgram(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".part", content, 0o755); err != nil {
		return err
	}
	return os.Rename(to+".part", to)
}
