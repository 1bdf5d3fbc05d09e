package backup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"slipway/internal/platform/blobs"
	"slipway/internal/platform/db"
)

// Copies are continuous copies of an SQLite database. A series starts with a snapshot of the
// database. Each part contains the pages that changed since the part before:
//
//	copies/20261118T030000.000Z/snapshot
//	copies/20261118T030000.000Z/00000001-20261118T030001.000Z
//
// The time of a part is after all of its transactions, and not before those of the next.
const copiesFolder, snapshotName, timeOfCopies = "copies", "snapshot", "20060102T150405.000Z"

// Copier writes copies. It is not safe for concurrent use.
type Copier struct {
	Store blobs.Store
	Pages *db.Pages
	Now   func() time.Time
	Work  string        // folder for a snapshot
	Keep  time.Duration // how far back a restore can go

	series string // "" before the first snapshot
	began  time.Time
	parts  int
	tried  time.Time // the last restart of the log
}

const (
	// seriesFor is how long a series is. A restore applies all of its parts.
	seriesFor = 24 * time.Hour
	// logLimit is how large the write-ahead log becomes before SQLite starts it over.
	logLimit = 4 << 20
	// restartEvery is how often that is tried while others read from the log.
	restartEvery = 10 * time.Second
)

// Copy stores what changed since the last call. After an error, it starts a new series.
func (c *Copier) Copy(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			c.series = ""
		}
	}()
	old := c.Now().Sub(c.began) > seriesFor && c.Now().Sub(c.tried) >= restartEvery
	if c.series == "" || old {
		c.tried = c.Now()
		if err := c.start(ctx); c.series == "" || !errors.Is(err, db.ErrPagesBusy) {
			return err
		}
	}
	for {
		changes, err := c.Pages.Changes()
		if err == nil {
			err = c.put(ctx, changes)
		}
		if err != nil || !changes.More {
			return errors.Join(err, c.restart(ctx))
		}
	}
}

// restart lets SQLite start a large log over.
func (c *Copier) restart(ctx context.Context) error {
	if c.Pages.LogSize() < logLimit || c.Now().Sub(c.tried) < restartEvery {
		return nil
	}
	c.tried = c.Now()
	last, done, err := c.Pages.Restart(ctx)
	if done {
		c.tried = time.Time{}
	}
	if putErr := c.put(ctx, last); putErr != nil {
		return putErr
	}
	return err
}

// start stores a snapshot, which starts a series, and deletes old series.
func (c *Copier) start(ctx context.Context) (err error) {
	path := filepath.Join(c.Work, "snapshot.db")
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(path)) }()
	if err := c.Pages.Snapshot(ctx, path); err != nil {
		return err
	}
	began := c.Now().UTC()
	series := copiesFolder + "/" + began.Format(timeOfCopies)
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	packed, into := io.Pipe()
	go func() { into.CloseWithError(pack(into, file)) }()
	if err := c.Store.Put(ctx, series+"/"+snapshotName, packed); err != nil {
		return errors.Join(err, packed.CloseWithError(err))
	}
	c.series, c.began, c.parts = series, began, 0
	return c.deleteOld(ctx, began)
}

func pack(to io.Writer, from io.Reader) error {
	w, err := zstd.NewWriter(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return errors.Join(err, w.Close())
}

// partHeader is the first line of a part.
type partHeader struct {
	Series   string `json:"series"`
	Part     int    `json:"part"`
	PageSize int    `json:"page_size"`
	Size     uint32 `json:"size"` // of the database, in pages
	Pages    int    `json:"pages"`
}

// put stores changes as the next part. The time in its name is taken after they were read.
func (c *Copier) put(ctx context.Context, changes db.PageChanges) error {
	if changes.Size == 0 {
		return nil
	}
	at := c.Now().UTC().Format(timeOfCopies)
	header, err := json.Marshal(partHeader{c.series, c.parts + 1, changes.PageSize, changes.Size, len(changes.Pages)})
	if err != nil {
		return err
	}
	var content, packed bytes.Buffer
	content.Write(append(header, '\n'))
	for number, page := range changes.Pages {
		_ = binary.Write(&content, binary.BigEndian, number) // never fails
		content.Write(page)
	}
	if err := pack(&packed, &content); err != nil {
		return err
	}
	name := fmt.Sprintf("%s/%08d-%s", c.series, c.parts+1, at)
	if err := c.Store.Put(ctx, name, bytes.NewReader(packed.Bytes())); err != nil {
		return err
	}
	c.parts++
	return nil
}

// deleteOld deletes the series that no restore within the time to keep needs: those whose
// next series is older.
func (c *Copier) deleteOld(ctx context.Context, now time.Time) error {
	all, err := listSeries(ctx, c.Store)
	if err != nil {
		return err
	}
	for i, s := range all {
		if i+1 < len(all) && now.Sub(all[i+1].began) > c.Keep {
			if err := c.Store.Remove(ctx, s.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// series is a complete series in a store.
type series struct {
	name  string
	began time.Time
	parts []string // sorted
}

// listSeries returns the series that have a snapshot, the oldest first.
func listSeries(ctx context.Context, store blobs.Store) (all []series, err error) {
	names, err := store.List(ctx, copiesFolder)
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	parts := map[string][]string{}
	for _, name := range names {
		folder, file := name[:max(0, strings.LastIndexByte(name, '/'))], name[strings.LastIndexByte(name, '/')+1:]
		if file != snapshotName {
			parts[folder] = append(parts[folder], name)
			continue
		}
		if began, err := time.Parse(timeOfCopies, strings.TrimPrefix(folder, copiesFolder+"/")); err == nil {
			all = append(all, series{name: folder, began: began})
		}
	}
	for i := range all {
		all[i].parts = parts[all[i].name]
	}
	return all, nil
}

// RestoreCopy writes the database as it was at a time to a new file. It returns the time
// until which it has all transactions.
func RestoreCopy(ctx context.Context, store blobs.Store, at time.Time, path string) (until time.Time, err error) {
	all, err := listSeries(ctx, store)
	if err != nil {
		return until, err
	}
	all = slices.DeleteFunc(all, func(s series) bool { return s.began.After(at) })
	if len(all) == 0 {
		return until, fmt.Errorf("there is no copy of the database from before %s", at.UTC().Format(time.RFC3339))
	}
	s := all[len(all)-1]
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return until, err
	}
	defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()
	if err := unpack(ctx, store, s.name+"/"+snapshotName, func(r *bufio.Reader) error {
		_, err := io.Copy(file, r)
		return err
	}); err != nil {
		return until, err
	}

	until = s.began
	for i, name := range s.parts {
		_, text, _ := strings.Cut(name[len(s.name)+1:], "-")
		taken, err := time.Parse(timeOfCopies, text)
		if err != nil || taken.After(at) {
			break
		}
		want := partHeader{Series: s.name, Part: i + 1}
		if err := unpack(ctx, store, name, func(r *bufio.Reader) error { return apply(file, r, want) }); err != nil {
			return until, err
		}
		until = taken
	}
	return until, nil
}

// unpack reads a blob. Its compression has a checksum, which is checked at the end.
func unpack(ctx context.Context, store blobs.Store, name string, read func(r *bufio.Reader) error) error {
	packed, err := store.Open(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer packed.Close()
	r, err := zstd.NewReader(packed)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := read(bufio.NewReader(r)); err != nil {
		return fmt.Errorf("%s is damaged: %w", name, err)
	}
	return nil
}

// maxPageSize is the largest page of SQLite.
const maxPageSize = 65536

// apply writes the pages of a part to a database.
func apply(file *os.File, r *bufio.Reader, want partHeader) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	var h partHeader
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	if h.Series != want.Series || h.Part != want.Part {
		return fmt.Errorf("it is part %d of %s, want part %d. A part is missing", h.Part, h.Series, want.Part)
	}
	if h.PageSize <= 0 || h.PageSize > maxPageSize {
		return fmt.Errorf("the page size is %d", h.PageSize)
	}

	page := make([]byte, 4+h.PageSize)
	for range h.Pages {
		if _, err := io.ReadFull(r, page); err != nil {
			return err
		}
		number := int64(binary.BigEndian.Uint32(page))
		if _, err := file.WriteAt(page[4:], (number-1)*int64(h.PageSize)); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return file.Truncate(int64(h.Size) * int64(h.PageSize))
}
