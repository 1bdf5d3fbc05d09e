package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"slipway/internal/app"
	"slipway/internal/identity/access"
	"slipway/internal/platform/ratelimit"
	"slipway/internal/vocab/auth"
)

// Limits are what visitors of a public demo can use.
type Limits struct {
	Visitors int           // demos at the same time
	For      time.Duration // how long each exists
	Bytes    int64         // how much each can store in addition to the boats
	Starts   int           // demos of a network in an hour
}

// Public gives each visitor a demo dealership of their own. Each is a copy of the same files, in a
// folder of its own, with a program's parts and a host name of its own, such as
// k3v9x2.demo.example.com. So nothing that one visitor does can reach another one.
type Public struct {
	Now func() time.Time

	limits   Limits
	base     *url.URL
	settings app.Settings // of each demo, without what differs
	folder   string
	original string  // the folder that is copied
	seeded   Summary // what it has
	starts   *ratelimit.Limiter

	mu     sync.Mutex
	demos  map[string]*visitor // by the first part of the host
	opened sync.WaitGroup
}

// visitor is a demo of one visitor.
type visitor struct {
	name, folder string
	app          *app.App
	key          string // for the API
	ends         time.Time
	proxy        http.Handler
	stop         context.CancelFunc
	stopped      chan struct{}
}

// OpenPublic creates what visitors get a copy of, in an empty folder. The base URL is the address of
// the page where demos start, and all hosts below it must lead to this program, too.
func OpenPublic(ctx context.Context, set app.Settings, folder string, limits Limits) (*Public, error) {
	return openPublic(ctx, set, folder, limits, Seed)
}

func openPublic(ctx context.Context, set app.Settings, folder string, limits Limits,
	seed func(context.Context, app.Settings, time.Time) (Summary, error),
) (*Public, error) {
	base, err := url.Parse(set.BaseURL)
	if err != nil {
		return nil, err
	}
	set.Listen, set.Metrics, set.AllowPrivate = "127.0.0.1:0", "", false
	set.TrustedProxies = append([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, set.TrustedProxies...)
	p := &Public{
		Now: time.Now, limits: limits, base: base, settings: set, folder: folder, original: filepath.Join(folder, "original"),
		demos: map[string]*visitor{},
	}
	p.starts = ratelimit.New(func() time.Time { return p.Now() })
	set.Data = p.original
	if p.seeded, err = seed(ctx, set, p.Now()); err != nil {
		return nil, err
	}
	return p, p.makePhotos(ctx, set)
}

// makePhotos runs the jobs that the demo has waiting, so that not each copy has to.
func (p *Public) makePhotos(ctx context.Context, set app.Settings) error {
	a, err := app.Open(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	served := make(chan error, 1)
	go func() { served <- a.Serve(ctx, nil) }()
	for waiting := true; waiting; {
		if waiting, err = photosWait(ctx, a.DB, p.seeded.DealershipID); err != nil {
			break
		}
		select {
		case err := <-served:
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
	stop()
	return errors.Join(err, <-served)
}

// Run ends demos that are over until ctx ends, and then all.
func (p *Public) Run(ctx context.Context) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			p.mu.Lock()
			for _, v := range p.demos {
				v.ends = time.Time{}
			}
			p.mu.Unlock()
			p.Sweep()
			p.opened.Wait()
			return
		case <-tick.C:
			p.Sweep()
		}
	}
}

// Sweep ends the demos whose time is over, and the ones that store too much.
func (p *Public) Sweep() {
	now := p.Now()
	var over []*visitor
	p.mu.Lock()
	for name, v := range p.demos {
		if now.After(v.ends) || sizeOf(v.folder) > p.limits.Bytes {
			over = append(over, v)
			delete(p.demos, name)
		}
	}
	p.mu.Unlock()
	for _, v := range over {
		v.stop()
		<-v.stopped
		_ = os.RemoveAll(v.folder) // what is left goes with the folder of all
	}
}

// errFull means that all demos are in use.
var errFull = errors.New("all demos are in use")

// start creates a demo.
func (p *Public) start(ctx context.Context) (*visitor, error) {
	v := &visitor{name: strings.ToLower(rand.Text()), ends: p.Now().Add(p.limits.For), stopped: make(chan struct{})}
	v.folder = filepath.Join(p.folder, v.name)
	p.mu.Lock()
	full := len(p.demos) >= p.limits.Visitors
	if !full {
		p.demos[v.name] = v // it isn't shown before it has a proxy
	}
	p.mu.Unlock()
	if full {
		return nil, errFull
	}
	err := p.open(ctx, v)
	if err != nil {
		p.mu.Lock()
		delete(p.demos, v.name)
		p.mu.Unlock()
		err = errors.Join(err, os.RemoveAll(v.folder))
	}
	return v, err
}

// open copies the files and serves them on an address of this machine.
func (p *Public) open(ctx context.Context, v *visitor) error {
	if err := copyFolder(p.original, v.folder); err != nil {
		return err
	}
	set := p.settings
	set.Data, set.BaseURL = v.folder, p.address(v)
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	a, err := app.Open(life, set, slog.New(slog.DiscardHandler))
	if err != nil {
		stop()
		return err
	}
	v.app, v.stop = a, stop
	listening := make(chan string, 1)
	p.opened.Go(func() {
		defer close(v.stopped)
		_ = a.Serve(life, func(addr string) { listening <- addr }) // the demo is over in any case
	})
	select {
	case addr := <-listening:
		proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out.Host, r.Out.Header["X-Forwarded-For"] = r.In.Host, r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
		}}
		err = p.prepare(ctx, v, addr)
		v.proxy = proxy
	case <-v.stopped:
		err = errors.New("the demo doesn't start")
	}
	if err != nil {
		stop()
		<-v.stopped
	}
	return err
}

// prepare waits until a demo is ready and creates its key. The keys and passwords of the original are
// the same in each copy, so no visitor gets them.
func (p *Public) prepare(ctx context.Context, v *visitor, addr string) error {
	for try := 0; ; try++ {
		res, err := http.Get("http://" + addr + "/readyz") //nolint:noctx // on this machine
		if err == nil {
			_ = res.Body.Close()
		}
		if err == nil && res.StatusCode == http.StatusOK {
			break
		}
		if try == 600 {
			return errors.New("the demo doesn't become ready")
		}
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // another server
	}
	in := access.KeyRequest{Name: "Your key"}
	for _, s := range auth.Scopes {
		if s.Scope != auth.Admin { // it needs a two-factor code
			in.Scopes = append(in.Scopes, s.Scope)
		}
	}
	k, err := access.IssueKeyFromCommandLine(ctx, v.app.DB, v.app.Box, access.CommandKey{DealershipID: p.seeded.DealershipID, Mode: auth.Test, Key: in})
	v.key = k.Key
	return err
}

// address returns the address of a demo.
func (p *Public) address(v *visitor) string {
	return p.base.Scheme + "://" + v.name + "." + p.base.Host
}

// find returns the demo at a host, or nil.
func (p *Public) find(host string) *visitor {
	name, ok := strings.CutSuffix(hostOnly(host), "."+hostOnly(p.base.Host))
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.demos[name]; ok && v != nil && v.proxy != nil {
		return v
	}
	return nil
}

func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return strings.ToLower(name)
	}
	return strings.ToLower(host)
}

// copyFolder copies files. Photos never change, so they are the same files in each copy.
func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		if strings.HasPrefix(name, "blobs"+string(filepath.Separator)) && os.Link(path, target) == nil {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, 0o600)
	})
}

// sizeOf returns how much a folder stores, without files that are shared with the original.
func sizeOf(folder string) (total int64) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // it might be deleted meanwhile
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // see above
		}
		if info, err := d.Info(); err == nil && !isShared(info) {
			total += info.Size()
		}
		return nil
	})
	return total
}

// String says how many demos there are.
func (p *Public) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d of %d demos", len(p.demos), p.limits.Visitors)
}
