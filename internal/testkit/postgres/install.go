package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// programs returns the folder of the newest initdb and postgres. It installs them if possible.
func programs(ctx context.Context) (string, error) {
	if folder, ok := installed(); ok {
		return folder, nil
	}
	if err := install(ctx); err != nil {
		return "", err
	}
	folder, ok := installed()
	if !ok {
		return "", errors.New("initdb not found, although the package postgresql is installed")
	}
	return folder, nil
}

func installed() (string, bool) {
	// Debian installs each version in its own folder, which is not in PATH.
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { return cmp.Compare(major(b), major(a)) })
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	for _, path := range found {
		folder := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(folder, "postgres")); err == nil {
			return folder, true
		}
	}
	return "", false
}

// major returns the version in a path such as .../postgresql/15/bin/initdb.
func major(path string) float64 {
	version, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(filepath.Dir(path))), 64)
	return version
}

func install(ctx context.Context) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return errors.New("initdb not found: install the PostgreSQL server (package postgresql on Debian), or set " +
			URLVariable + " to the address of a server where the tests can create databases")
	}
	fmt.Fprintln(os.Stderr, "PostgreSQL is not installed. Installing the package postgresql...")
	if err := disableMainCluster(); err != nil {
		return err
	}
	// If a third-party source is unavailable, the update fails, but the installation can still work.
	updateErr := aptGet(ctx, apt, "update")
	if err := aptGet(ctx, apt, "install", "--yes", "--no-install-recommends", "postgresql"); err != nil {
		return errors.Join(err, updateErr)
	}
	return nil
}

func aptGet(ctx context.Context, apt string, args ...string) error {
	cmd := exec.CommandContext(ctx, apt, append(args, "-o", "DPkg::Lock::Timeout=300")...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "UCF_FORCE_CONFFOLD=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// disableMainCluster prevents the package from creating and starting its own server, unless it is already configured.
func disableMainCluster() error {
	const path = "/etc/postgresql-common/createcluster.conf"
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte("create_main_cluster = false\n"), 0o644)
}

// unprivileged returns the user of the server, which can't run as root. Nil means the current user.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, err
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}
