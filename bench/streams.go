package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The number of streams, and the goal for the memory that all of them need together.
const (
	streamCount     = 1000
	maxStreamMemory = 40 << 20 // bytes
)

// streamed is a server with and without open event streams.
type streamed struct {
	idle, open memory
	took       time.Duration // from a change until all streams have received its event
}

// streams measures the memory of the event streams that the console opens.
func streams(ctx context.Context, o options, r *report) (err error) {
	s, err := openReal(ctx, o, "streams", false)
	if s != nil && s.process != nil {
		defer func() { err = errors.Join(err, s.stop()) }()
	}
	if err != nil {
		return err
	}
	if err := pause(ctx, rest); err != nil { // the work of the start
		return err
	}
	result := streamed{idle: s.memory()}

	progress("streams: %d open streams", streamCount)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	received := make(chan error, streamCount)
	for range streamCount {
		if err := s.follow(ctx, received); err != nil {
			return err
		}
	}
	if err := pause(ctx, rest); err != nil {
		return err
	}
	result.open = s.memory()

	begin := time.Now()
	req, err := s.request(ctx, http.MethodPost, "/v1/locations", map[string]any{"name": "Harbor East"})
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	for range streamCount {
		if err := <-received; err != nil {
			return err
		}
	}
	result.took = time.Since(begin)
	r.streams = append(r.streams, result)
	return nil
}

// follow opens a stream and reports its first event.
func (s *realServer) follow(ctx context.Context, received chan<- error) error {
	req, err := s.request(ctx, http.MethodGet, "/v2-preview/events/stream", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return errors.Join(fmt.Errorf("got status %d for a stream", res.StatusCode), res.Body.Close())
	}
	go func() {
		defer res.Body.Close()
		lines := bufio.NewScanner(res.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data:") {
				received <- nil
				return
			}
		}
		received <- errors.Join(errors.New("a stream ended without an event"), lines.Err())
	}()
	return nil
}

// added is the memory that the streams need.
func (s streamed) added() int64 { return s.open.private - s.idle.private }

func (s streamed) meets() bool { return s.added() < maxStreamMemory }

func (r *report) streamsTable() table {
	t := table{
		title: "Event streams",
		note: fmt.Sprintf("A server with %d hulls on SQLite, without and with %d open event streams, as tabs of the console open them. Memory is in "+
			"megabytes, without the pages of files. The last columns are what the streams need, and how long it takes until all of them have received "+
			"an event. Goal: under %d MB.", small, streamCount, maxStreamMemory>>20),
		columns: []string{"streams", "idle MB", "open MB", "added MB", "event ms", "goal"},
	}
	for _, s := range r.streams {
		t.rows = append(t.rows, []string{
			fmt.Sprint(streamCount), megabytes(s.idle.private), megabytes(s.open.private), fmt.Sprint(s.added() >> 20), ms(s.took), mark(s.meets()),
		})
	}
	return t
}
