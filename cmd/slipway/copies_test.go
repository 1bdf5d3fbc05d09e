package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// copyLag is how much may be missing in the copies when the disk is lost.
const copyLag = 3 * time.Second

// Servers are killed at random times while clients write and commands use the database. Then
// the disk is lost: everything that was acknowledged longer ago than the lag is in the copies,
// and the audit log is valid.
func TestCopiesSurviveKills(t *testing.T) {
	target := t.TempDir()
	p := &program{t: t, binary: build(t), data: t.TempDir(), env: []string{"SLIPWAY_BACKUP_URL=" + target}}
	d := p.bootstrap()
	code, err := totp.GenerateCode(d.Owner.TestTOTPSecret, time.Now())
	assert.NoError(t, err)
	admin := p.enters(code).key(d.DealershipID, "test", "admin,hulls:read,hulls:write,webhooks", "--user", d.Owner.Email, "--rate-limit", "100000")
	s := p.serve()
	location := s.send("POST", "/v1/locations", admin, "", map[string]any{"name": "Pier"}).id()
	random := rand.New(rand.NewPCG(36, 5))

	acknowledged := map[string]time.Time{}
	n := 0
	for life := range 4 {
		var writing sync.WaitGroup
		writing.Go(func() {
			if life%2 == 1 { // another process writes too
				p.text("users", "list")
				p.key(d.DealershipID, "test", "hulls:read")
			}
		})
		for end := time.Now().Add(4*time.Second + time.Duration(random.IntN(3000))*time.Millisecond); time.Now().Before(end); {
			n++
			a := s.send("POST", "/v1/hulls", admin, "", testkit.HullBody(location, map[string]any{"hin": fmt.Sprintf("GRT%05dB324", n)}))
			assert.Equal(t, a.status, 201, string(a.body))
			acknowledged[a.id()] = time.Now()
		}
		writing.Wait()
		kill(t, s)
		lost := time.Now()

		other := &program{t: t, binary: p.binary, data: filepath.Join(t.TempDir(), "restored"), env: p.env}
		assert.Contains(t, other.text("restore", "--at", "now"), "Restored the database with all changes until")
		key, err := os.ReadFile(filepath.Join(p.data, "master.key"))
		assert.NoError(t, err)
		assert.NoError(t, os.WriteFile(filepath.Join(other.data, "master.key"), key, 0o600))
		assert.Excludes(t, other.text("audit", "verify"), "BROKEN")
		other.env = nil // so that it doesn't continue the copies
		restored := other.serve()
		listed := restored.list(t, "/v1/hulls", admin)
		for id, at := range acknowledged {
			if !listed[id] && lost.Sub(at) > copyLag {
				t.Errorf("%s was acknowledged %v before the kill, but is not in the copies", id, lost.Sub(at))
			}
		}
		kill(t, restored)
		s = p.serve()
	}
	if len(acknowledged) < 100 {
		t.Errorf("only %d writes were acknowledged, want more for a meaningful test", len(acknowledged))
	}
	assert.Contains(t, p.exit(1, "restore", "--at", "yesterday"), "--at must be a time")
	assert.Contains(t, strings.ToLower(p.exit(1, "restore", "--at", "now")), "is not empty")
}

func kill(t *testing.T, s *server) {
	t.Helper()
	assert.NoError(t, s.cmd.Process.Kill())
	<-s.done
}
