package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"modernc.org/sqlite"
)

// Pages follows the changes of an SQLite database, page by page, in its write-ahead log.
//
// It keeps a read transaction open. SQLite can't start the log over while it is, so no frame
// is overwritten before it was read. When the log is large, Restart lets SQLite start over.
type Pages struct {
	db   *DB
	pool *sql.DB
	pin  *sql.Conn // with an open read transaction

	before walHeader // of the log that ended with the last restart
	log    walHeader // of the current log, zero until its first frame
	frames int64     // that were read
	sums   [2]uint32 // checksum of the last one of them
}

// PageChanges are the pages that changed, each as it was at the last commit.
type PageChanges struct {
	PageSize int
	Pages    map[uint32][]byte
	Size     uint32 // pages of the database, 0 if nothing changed
	More     bool   // there are more changes, which the next call returns
}

// mostPages limits the memory of changes, except for those of a single transaction.
const mostPages = 8192

// ErrPagesLost means that changes can have been missed. Call Snapshot.
var ErrPagesLost = errors.New("the write-ahead log was started over by another process")

// ErrPagesBusy means that others read from the log, such as a backup. Try again later. Until
// then, Changes continues.
var ErrPagesBusy = errors.New("others read from the write-ahead log")

// restartWait is how long a restart waits for readers. Writers wait for it too.
const restartWait = "100"

// FollowPages returns nil on PostgreSQL.
func (d *DB) FollowPages() (*Pages, error) {
	if !d.SQLite() {
		return nil, nil //nolint:nilnil // PostgreSQL archives its own log
	}
	pool, err := sql.Open("sqlite", sqliteDSN(d.path)+"&_pragma=cache_size(-100)&_pragma=query_only(1)")
	if err != nil {
		return nil, err
	}
	limit(pool, 1)
	return &Pages{db: d, pool: pool}, nil
}

// Close ends the read transaction.
func (p *Pages) Close(ctx context.Context) error {
	p.unpin(ctx)
	return p.pool.Close()
}

// Snapshot copies the database to a new file, with the same pages. Changes returns what
// changed since then.
func (p *Pages) Snapshot(ctx context.Context, path string) error {
	if err := p.exclusively(ctx, p.startOver); err != nil {
		return err
	}
	return p.pin.Raw(func(conn any) error {
		b, err := conn.(interface {
			NewBackup(uri string) (*sqlite.Backup, error)
		}).NewBackup(path)
		if err != nil {
			return err
		}
		_, err = b.Step(-1)
		return errors.Join(err, b.Finish())
	})
}

// startOver makes SQLite start the log over, no matter what was read of it.
func (p *Pages) startOver(ctx context.Context, writer *sql.Conn) error {
	_, err := p.checkpoint(ctx, writer)
	return err
}

// Restart returns the last changes and makes SQLite start the log over. It returns false if
// others still read from it.
func (p *Pages) Restart(ctx context.Context) (last PageChanges, done bool, err error) {
	if p.frames == 0 {
		return last, true, nil
	}
	err = p.exclusively(ctx, func(ctx context.Context, writer *sql.Conn) (err error) {
		if last, err = p.Changes(); err != nil || last.More {
			return err
		}
		read := p.frames
		frames, err := p.checkpoint(ctx, writer)
		if errors.Is(err, ErrPagesBusy) {
			return nil
		}
		if done = err == nil; done && frames > read {
			err = ErrPagesLost // another process has written in the meantime
		}
		return err
	})
	return last, done, err
}

// exclusively runs work while no one in this process writes.
func (p *Pages) exclusively(ctx context.Context, work func(ctx context.Context, writer *sql.Conn) error) error {
	g := p.db.group
	if err := g.wait(ctx); err != nil {
		return err
	}
	defer g.pass(nil)
	if b := g.open; b != nil {
		g.open = nil
		g.end(b)
	}
	writer, err := p.db.write.Conn(ctx) // the job queue writes without a turn
	if err != nil {
		return err
	}
	defer writer.Close()
	return work(ctx, writer)
}

// checkpoint copies the log to the database, so that the next write starts it over, and opens
// a new read transaction. It returns the number of frames in the log.
func (p *Pages) checkpoint(ctx context.Context, writer *sql.Conn) (frames int64, err error) {
	header, err := readWALHeader(p.db.path)
	if err != nil {
		return 0, err
	}
	p.unpin(ctx)
	if _, err := writer.ExecContext(ctx, "PRAGMA busy_timeout = "+restartWait); err != nil {
		return 0, err
	}
	var busy, copied int64
	err = writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &frames, &copied)
	_, back := writer.ExecContext(context.WithoutCancel(ctx), "PRAGMA busy_timeout = 3500")
	if err := errors.Join(err, back, p.repin(ctx)); err != nil {
		return 0, err
	}
	if busy != 0 {
		return 0, ErrPagesBusy
	}
	p.before, p.log, p.frames = header, walHeader{}, 0
	return frames, nil
}

func (p *Pages) unpin(ctx context.Context) {
	if p.pin != nil {
		_, _ = p.pin.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		_ = p.pin.Close()
		p.pin = nil
	}
}

func (p *Pages) repin(ctx context.Context) (err error) {
	if p.pin, err = p.pool.Conn(ctx); err != nil {
		return err
	}
	if _, err = p.pin.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	var one int
	return p.pin.QueryRowContext(ctx, "SELECT COUNT(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)").Scan(&one)
}

// LogSize returns the size of the part of the log that was read.
func (p *Pages) LogSize() int64 { return p.frames * (frameHeader + int64(p.log.pageSize)) }

// ---- the write-ahead log -----------------------------------------------------------

// The sizes of the headers of the log and of its frames. See "WAL Format" in the
// documentation of SQLite's file format.
const logHeader, frameHeader = 32, 24

// walHeader is the start of a log.
type walHeader struct {
	raw      [logHeader]byte
	pageSize uint32
	sequence uint32 // increases by one when the log is started over
	sums     [2]uint32
	order    binary.ByteOrder // of the checksums
}

// readWALHeader returns a zero header if the log is empty.
func readWALHeader(path string) (h walHeader, err error) {
	file, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	defer file.Close()
	return parseWALHeader(file)
}

func parseWALHeader(r io.Reader) (h walHeader, err error) {
	if _, err := io.ReadFull(r, h.raw[:]); err != nil {
		return walHeader{}, nil //nolint:nilerr // it is empty
	}
	switch binary.BigEndian.Uint32(h.raw[0:]) {
	case 0x377f0682:
		h.order = binary.LittleEndian
	case 0x377f0683:
		h.order = binary.BigEndian
	default:
		return h, errors.New("the write-ahead log has an unknown format")
	}
	h.pageSize, h.sequence = binary.BigEndian.Uint32(h.raw[8:]), binary.BigEndian.Uint32(h.raw[12:])
	h.sums = walSum(h.order, [2]uint32{}, h.raw[:24])
	if h.sums != [2]uint32{binary.BigEndian.Uint32(h.raw[24:]), binary.BigEndian.Uint32(h.raw[28:])} {
		return walHeader{}, nil // it is being written
	}
	return h, nil
}

// walSum adds data to a checksum. Its length is a multiple of 8.
func walSum(order binary.ByteOrder, s [2]uint32, data []byte) [2]uint32 {
	for ; len(data) > 0; data = data[8:] {
		s[0] += order.Uint32(data) + s[1]
		s[1] += order.Uint32(data[4:]) + s[0]
	}
	return s
}

// Changes reads the transactions that were committed since the last call. It returns
// ErrPagesLost if some can be missing.
func (p *Pages) Changes() (c PageChanges, err error) {
	file, err := os.Open(p.db.path + "-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	defer file.Close()
	header, err := parseWALHeader(file)
	if err != nil || header.pageSize == 0 || header == p.before {
		return c, err
	}
	switch {
	case p.log.pageSize == 0:
		if p.before.pageSize != 0 && header.sequence != p.before.sequence+1 {
			return c, ErrPagesLost
		}
		p.log, p.sums = header, header.sums
	case header != p.log:
		return c, ErrPagesLost
	}
	return p.read(file)
}

// read reads the frames up to the last commit.
func (p *Pages) read(file *os.File) (c PageChanges, err error) {
	size := int64(p.log.pageSize)
	c = PageChanges{PageSize: int(size), Pages: map[uint32][]byte{}}
	pending, sums := map[uint32][]byte{}, p.sums
	for frame := p.frames; ; frame++ {
		data := make([]byte, frameHeader+size)
		if _, err := file.ReadAt(data, logHeader+frame*(frameHeader+size)); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return c, err
		}
		sums = walSum(p.log.order, walSum(p.log.order, sums, data[:8]), data[frameHeader:])
		valid := bytes.Equal(data[8:16], p.log.raw[16:24]) &&
			sums == [2]uint32{binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])}
		if !valid { // it is from an earlier log, or is being written
			return c, nil
		}
		page, commit := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
		if page == 0 {
			return c, fmt.Errorf("frame %d of the write-ahead log has no page", frame)
		}
		pending[page] = data[frameHeader:]
		if commit == 0 {
			continue
		}
		for n, content := range pending {
			c.Pages[n] = content
		}
		clear(pending)
		c.Size, p.frames, p.sums = commit, frame+1, sums
		if c.More = len(c.Pages) >= mostPages; c.More {
			return c, nil
		}
	}
}
