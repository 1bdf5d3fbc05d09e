package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a server that runs as its own process, so that its CPU time and its
// memory can be measured without the client.
type process struct {
	name, base string
	folder     string // of its data
	command    *exec.Cmd
	exited     chan error
}

// builds are the programs that this run has built, by their names.
var builds sync.Map

// build builds a program of the repository like `make build` and returns its path.
func build(ctx context.Context, o options, name, folder, pkg string) (string, error) {
	once, _ := builds.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		progress("building %s", name)
		binary := filepath.Join(o.temp, "bin", name)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", binary, pkg)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %w\n%s", err, out)
		}
		return binary, nil
	}))
	return once.(func() (string, error))()
}

// startSlipway starts the real program on a filled SQLite database. The rate limits
// are raised by their settings. If it is pinned, it has one half of the cores. set has
// more settings.
func startSlipway(ctx context.Context, o options, folder string, pinned bool, set ...string) (*process, error) {
	binary, err := build(ctx, o, "slipway", "..", "./cmd/slipway")
	if err != nil {
		return nil, err
	}
	api, metrics, err := freeAddresses()
	if err != nil {
		return nil, err
	}

	s := settings(folder, "")
	env := []string{
		"SLIPWAY_DATA=" + folder, "SLIPWAY_MASTER_KEY=" + s.MasterKey, "SLIPWAY_LISTEN=" + api, "SLIPWAY_METRICS_LISTEN=" + metrics,
		"SLIPWAY_BASE_URL=http://" + api, "SLIPWAY_RATE_LIVE=1000000", "SLIPWAY_RATE_TEST=1000000", "SLIPWAY_RATE_ADDRESS=1000000",
	}
	args := []string{binary, "serve"}
	if pinned {
		args = append([]string{"taskset", "-c", serverCores()}, args...)
	}
	p := &process{name: "Slipway", base: "http://" + api, folder: folder}
	return p, p.start(ctx, append(env, set...), "/readyz", args...)
}

// startPocketBase copies the hulls of a Slipway database and starts PocketBase.
// It returns the token of a superuser.
func startPocketBase(ctx context.Context, o options, folder, source string) (*process, string, error) {
	binary, err := build(ctx, o, "pocketbase", "pocketbase", ".")
	if err != nil {
		return nil, "", err
	}
	progress("pocketbase: copying the hulls")
	// Without --dev=false, a program in a temporary folder runs in its slow developer mode.
	cmd := exec.CommandContext(ctx, binary, "seed", "--dev=false", "--dir", folder, filepath.Join(source, "slipway.db"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("pocketbase seed: %w\n%s", err, out)
	}
	var seeded struct{ Token string }
	if err := decodeLast(out, &seeded); err != nil {
		return nil, "", fmt.Errorf("pocketbase seed: %w\n%s", err, out)
	}

	api, _, err := freeAddresses()
	if err != nil {
		return nil, "", err
	}
	p := &process{name: "PocketBase", base: "http://" + api, folder: folder}
	return p, seeded.Token, p.start(ctx, nil, "/api/health", binary, "serve", "--dev=false", "--dir", folder, "--http", api)
}

// startBare starts this program as the bare server, on some cores.
func startBare(ctx context.Context, folder, cores string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	api, _, err := freeAddresses()
	if err != nil {
		return nil, err
	}
	p := &process{name: "bare", base: "http://" + api, folder: folder}
	return p, p.start(ctx, nil, "/healthz", "taskset", "-c", cores, self, "-bare", folder, "-listen", api)
}

// serveBare is what startBare starts.
func serveBare(ctx context.Context, folder, address string) (err error) {
	b, err := newBare(ctx, sqliteIn(folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	mux := http.NewServeMux()
	mux.Handle("/", b.handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("POST /nothing", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what the generator alone can do is measured with it
		w.WriteHeader(http.StatusCreated)
	})
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// freeAddresses returns two addresses that no server listens on.
func freeAddresses() (first, second string, err error) {
	a, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	b, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", errors.Join(err, a.Close())
	}
	return a.Addr().String(), b.Addr().String(), errors.Join(a.Close(), b.Close())
}

// start starts the server and waits until it is ready. Its log goes to a file in
// its folder, as a service manager would write it.
func (p *process) start(ctx context.Context, env []string, ready string, args ...string) error {
	if err := os.MkdirAll(p.folder, 0o755); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(p.folder, "server.log"))
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own copy

	p.command = exec.Command(args[0], args[1:]...) //nolint:gosec // a program that was just built
	p.command.Stdout, p.command.Stderr = log, log
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "SLIPWAY_") {
			p.command.Env = append(p.command.Env, v)
		}
	}
	p.command.Env = append(p.command.Env, env...)
	if err := p.command.Start(); err != nil {
		return err
	}
	p.exited = make(chan error, 1)
	go func() { p.exited <- p.command.Wait() }()

	for tick := time.Tick(20 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), p.stop())
		case err := <-p.exited:
			text, _ := os.ReadFile(log.Name()) // shown if it can be read
			return fmt.Errorf("%s ended: %w\n%s", p.name, err, text)
		case <-tick:
		}
		if res, err := client.Get(p.base + ready); err == nil { //nolint:noctx // ends with the process
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

// stop ends the process.
func (p *process) stop() error {
	client.CloseIdleConnections()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		return nil //nolint:nilerr // it has already ended
	}
	select {
	case <-p.exited:
		return nil
	case <-time.After(20 * time.Second):
		return p.command.Process.Kill()
	}
}

// tick is the unit of the times in /proc: 100 per second on Linux.
const tick = 10 * time.Millisecond

// cpu returns the CPU time that the process has used.
func (p *process) cpu() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // the name can contain spaces
	user, _ := strconv.Atoi(fields[11])                                       // written by the kernel
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// memory is the memory of a process in bytes. The rest of rss are pages of files:
// the program and the database, which the kernel can drop at any time.
type memory struct{ rss, private int64 }

func (p *process) memory() (m memory) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid)) // zero if it has ended
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			m.rss = kb << 10
		case "RssAnon":
			m.private = kb << 10
		}
	}
	return m
}

// watch samples the memory until stop is called, which returns the maximum.
func (p *process) watch() (stop func() memory) {
	done, result := make(chan struct{}), make(chan memory)
	go func() {
		var peak memory
		for tick := time.Tick(50 * time.Millisecond); ; {
			m := p.memory()
			peak.rss, peak.private = max(peak.rss, m.rss), max(peak.private, m.private)
			select {
			case <-done:
				result <- peak
				return
			case <-tick:
			}
		}
	}()
	return func() memory { close(done); return <-result }
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/(1<<20)) }
