package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// recoverWithin is how long the cluster can take to be complete again after a failure.
const recoverWithin = 3 * time.Minute

// startDatabase starts etcd and Patroni on a machine.
func (c *cluster) startDatabase(m *machine) error {
	if err := c.startEtcd(m); err != nil {
		return err
	}
	return c.startPatroni(m)
}

func (c *cluster) startEtcd(m *machine) error {
	// Only the lines of this machine have its name or address alone.
	var own []string
	for _, line := range []string{"NAME=db1", "PEER_URLS=http://10.213.7.11", "CLIENT_URLS=http://10.213.7.11"} {
		own = append(own, line, strings.NewReplacer("db1", m.name, "10.213.7.11", m.address).Replace(line))
	}
	path, err := m.configure("etcd.env", append(own, "/var/lib/etcd/slipway", filepath.Join(m.folder, "etcd"))...)
	if err != nil {
		return err
	}
	env, err := variables(path)
	if err != nil {
		return err
	}
	_, err = m.start("postgres", "etcd", env, "etcd")
	return err
}

func (c *cluster) startPatroni(m *machine) error {
	var own []string
	for _, line := range []string{"name: db1", "listen: 10.213.7.11", "connect_address: 10.213.7.11"} {
		own = append(own, line, strings.NewReplacer("db1", m.name, "10.213.7.11", m.address).Replace(line))
	}
	if c.options.defaults {
		own = append(own, "ttl: 8", "ttl: 30", "loop_wait: 2", "loop_wait: 10", "retry_timeout: 3", "retry_timeout: 10")
	}
	path, err := m.configure("patroni.yml", append(own, "/var/lib/postgresql/15/slipway", m.data(),
		"/usr/lib/postgresql/15/bin", c.programs, "/var/run/postgresql", m.folder)...)
	if err != nil {
		return err
	}
	_, err = m.start("postgres", "patroni", []string{"HOME=" + m.folder}, "patroni", path)
	return err
}

// member is what Patroni reports about a machine.
type member struct {
	Name     string
	Role     string // leader, sync_standby or replica
	State    string
	Timeline int64
}

// members asks Patroni on any machine.
func (c *cluster) members(ctx context.Context) ([]member, error) {
	var last error
	for _, m := range c.databases {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		var answer struct{ Members []member }
		last = getJSON(ctx, "http://"+m.address+":8008/cluster", &answer)
		cancel()
		if last == nil {
			return answer.Members, nil
		}
	}
	return nil, last
}

func getJSON(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(into)
}

// waitUntilComplete waits for one primary, and two standbys on its timeline of which one
// is synchronous.
func (c *cluster) waitUntilComplete(ctx context.Context) error {
	var all []member
	var err error
	for deadline := time.Now().Add(recoverWithin); time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if all, err = c.members(ctx); err != nil {
			continue
		}
		count := map[string]int{}
		timelines := map[int64]bool{}
		for _, m := range all {
			timelines[m.Timeline] = true
			if m.State == "running" || m.State == "streaming" {
				count[m.Role]++
			}
		}
		if count["leader"] == 1 && count["sync_standby"] == 1 && count["replica"] == 1 && len(timelines) == 1 {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("the cluster is not complete after %s: %+v", recoverWithin, all), err)
}

// primary returns the machine of the current leader.
func (c *cluster) primary(ctx context.Context) (*machine, error) {
	all, err := c.members(ctx)
	if err != nil {
		return nil, err
	}
	for _, member := range all {
		if i := slices.IndexFunc(c.databases, func(m *machine) bool { return m.name == member.Name }); i >= 0 && member.Role == "leader" {
			return c.databases[i], nil
		}
	}
	return nil, errors.New("no leader")
}

// query runs SQL on a machine and returns the rows, with | between the columns.
func (c *cluster) query(ctx context.Context, m *machine, database, query string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.programs, "psql"), "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
		"--set=ON_ERROR_STOP=1", "--command="+query, "postgres://postgres:secret@"+m.address+"/"+database)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("psql on %s: %w: %s", m.name, err, out)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

// switchOver asks Patroni for another primary.
func (c *cluster) switchOver(ctx context.Context) error {
	leader, err := c.primary(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"leader": leader.name})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+leader.address+":8008/switchover", bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("switchover: status %d: %s", res.StatusCode, text)
	}
	return nil
}

// startOutsidePatroni starts the PostgreSQL server of a machine as it was when the
// machine was killed: as a primary on the old timeline. Patroni would prevent this.
func (c *cluster) startOutsidePatroni(ctx context.Context, m *machine) error {
	if err := os.Remove(filepath.Join(m.data(), "postmaster.pid")); err != nil && !os.IsNotExist(err) {
		return err
	}
	// Without this setting, its writes would wait for a synchronous standby.
	_, err := m.start("postgres", "outside-patroni", nil, filepath.Join(c.programs, "postgres"), "-D", m.data(),
		"-c", "synchronous_standby_names=")
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		rows, err := c.query(ctx, m, "slipway", "CREATE TABLE IF NOT EXISTS written_to_old_primary (n INT); SELECT pg_is_in_recovery()")
		if err == nil && len(rows) == 1 && rows[0] == "f" {
			return nil
		}
	}
	return errors.New("the old primary is not writable")
}

// kill ends all processes of a machine, like a power failure.
func (c *cluster) kill(ctx context.Context, m *machine) { m.signal(ctx, syscall.SIGKILL) }
