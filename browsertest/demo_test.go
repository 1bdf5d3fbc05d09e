package browsertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"slipway/internal/app"
	"slipway/internal/demo"
	"slipway/internal/platform/db"
)

// demoDealership is the demo, which all tests share that only look at it.
var demoDealership = sync.OnceValues(func() (*demoServer, error) {
	folder, err := tempFolder()
	if err != nil {
		return nil, err
	}
	set := app.Settings{
		Data: folder, Listen: "127.0.0.1:0", BaseURL: "http://localhost", LiveRate: 1e6, TestRate: 1e6, AddressRate: 1e6,
		LogLevel: "warn", AllowPrivate: true, RequestLogRows: 10_000,
	}
	ctx := context.Background()
	summary, err := demo.Seed(ctx, set, time.Now())
	if err != nil {
		return nil, err
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	set.BaseURL = fmt.Sprintf("http://localhost:%d", l.Addr().(*net.TCPAddr).Port)
	set.Listen = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, set, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	ready := make(chan error, 1)
	go func() { ready <- a.Serve(ctx, func(string) { ready <- nil }) }()
	if err := <-ready; err != nil {
		return nil, err
	}
	for {
		res, err := http.Get(set.BaseURL + "/readyz")
		if err != nil {
			return nil, err
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			d := &demoServer{server: &server{app: a, url: set.BaseURL}, Summary: summary}
			return d, errors.Join(d.give(ctx, "cole@chesapeakemarine.example", "manager"), d.give(ctx, "marcus@chesapeakemarine.example", "viewer"))
		}
		time.Sleep(20 * time.Millisecond)
	}
})

type demoServer struct {
	*server
	demo.Summary
}

func startDemo(t *testing.T) *demoServer {
	t.Helper()
	d, err := demoDealership()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// give changes the role of a user of the demo, in both environments.
func (d *demoServer) give(ctx context.Context, email, role string) error {
	_, err := db.Write(ctx, d.app.DB, func(ctx context.Context, tx *db.Tx) (int64, error) {
		return db.Exec(ctx, tx, `UPDATE user_roles SET role_id = (SELECT id FROM roles WHERE env = user_roles.env AND name = ?)
			WHERE user_id IN (SELECT id FROM users WHERE email = ?)`, role, email)
	})
	d.Users = append(d.Users, demo.User{Role: role, Email: email})
	return err
}

// email returns the address of a user with a role.
func (d *demoServer) email(role string) string {
	for _, u := range d.Users {
		if strings.EqualFold(u.Role, role) {
			return u.Email
		}
	}
	return ""
}
