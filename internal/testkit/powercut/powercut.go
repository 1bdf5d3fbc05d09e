// Package powercut shows tests what a power cut would leave of a SQLite database: what was
// synced to the disk, and nothing else.
package powercut

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Disk follows the databases in a folder.
type Disk struct {
	folder string
	mu     sync.Mutex
	files  map[string]*file // by name
}

// file is a file on the disk.
type file struct {
	synced  []byte
	pending []func(*file) // changes since the last sync
	syncs   int
}

var (
	install sync.Once
	mu      sync.Mutex
	disks   []*Disk
	handles = map[uintptr]handle{} // by the address of the file in SQLite
)

// handle is an open file.
type handle struct {
	disk *Disk
	file *file
}

// Follow follows the databases in a folder and its folders. They must be opened later. It
// doesn't slow down others.
func Follow(t *testing.T, folder string) *Disk {
	t.Helper()
	install.Do(register)
	d := &Disk{folder: folder, files: map[string]*file{}}
	mu.Lock()
	defer mu.Unlock()
	disks = append(disks, d)
	return d
}

// Cut writes what a power cut at this moment would leave of the database to a folder. It
// returns the path of the copy, and how often the files were synced.
func (d *Disk) Cut(t *testing.T, name, folder string) (path string, syncs int) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	path = filepath.Join(folder, filepath.Base(name))
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.RemoveAll(path + suffix); err != nil {
			t.Fatal(err)
		}
		f := d.files[name+suffix]
		if f == nil {
			continue
		}
		syncs += f.syncs
		if err := os.WriteFile(path+suffix, f.synced, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path, syncs
}

// change notes a change of a file, which is lost until the file is synced.
func (h handle) change(c func(*file)) {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	h.file.pending = append(h.file.pending, c)
}

func (h handle) sync() {
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	for _, change := range h.file.pending {
		change(h.file)
	}
	h.file.pending = nil
	h.file.syncs++
}

func (f *file) write(at int64, data []byte) {
	f.resize(max(int64(len(f.synced)), at+int64(len(data))))
	copy(f.synced[at:], data)
}

func (f *file) resize(size int64) {
	if size <= int64(len(f.synced)) {
		f.synced = f.synced[:size]
		return
	}
	f.synced = append(f.synced, make([]byte, size-int64(len(f.synced)))...)
}

// ---- SQLite -------------------------------------------------------------------

// SQLite calls its operating system through tables of functions in its memory. These are
// copies in which some functions are ours.
var (
	base    uintptr                 // sqlite3_vfs
	methods = map[uintptr]uintptr{} // copies of sqlite3_io_methods by the originals
	origins = map[uintptr]uintptr{} // the originals by the copies
)

// thread is what SQLite passes to each function.
type thread libc.TLS

// register makes a copy of the default file system the default one.
func register() {
	tls := libc.NewTLS()
	base = sqlite3.Xsqlite3_vfs_find(tls, 0)
	own := *at[sqlite3.Tsqlite3_vfs](base)
	name, err := libc.CString("powercut")
	if err != nil {
		panic(err)
	}
	own.FzName, own.FpNext, own.FxOpen = name, 0, address((*thread).open)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, keep(tls, own), 1); rc != sqlite3.SQLITE_OK {
		panic("sqlite3_vfs_register failed")
	}
}

func (t *thread) open(vfs, name, id uintptr, flags int32, out uintptr) int32 {
	rc := original(at[sqlite3.Tsqlite3_vfs](base).FxOpen, (*thread).open)(t, vfs, name, id, flags, out)
	if rc != sqlite3.SQLITE_OK || name == 0 || flags&(sqlite3.SQLITE_OPEN_MAIN_DB|sqlite3.SQLITE_OPEN_WAL) == 0 {
		return rc
	}
	path := libc.GoString(name)
	mu.Lock()
	defer mu.Unlock()
	for _, d := range disks {
		if !strings.HasPrefix(path, d.folder+string(filepath.Separator)) {
			continue
		}
		handles[id] = handle{d, d.file(path)}
		used := &at[sqlite3.Tsqlite3_file](id).FpMethods
		*used = replaced((*libc.TLS)(t), *used)
	}
	return rc
}

// file returns a file, which is on the disk if it was there before.
func (d *Disk) file(path string) *file {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[path] == nil {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		d.files[path] = &file{synced: text}
	}
	return d.files[path]
}

// replaced returns the copy of a table of methods. mu is locked.
func replaced(tls *libc.TLS, table uintptr) uintptr {
	if methods[table] == 0 {
		own := *at[sqlite3.Tsqlite3_io_methods](table)
		own.FxWrite, own.FxTruncate, own.FxSync = address((*thread).write), address((*thread).truncate), address((*thread).sync)
		methods[table] = keep(tls, own)
		origins[methods[table]] = table
	}
	return methods[table]
}

// of returns a file that SQLite has opened, and its original methods.
func of(id uintptr) (handle, *sqlite3.Tsqlite3_io_methods) {
	mu.Lock()
	defer mu.Unlock()
	return handles[id], at[sqlite3.Tsqlite3_io_methods](origins[at[sqlite3.Tsqlite3_file](id).FpMethods])
}

func (t *thread) write(id, data uintptr, n int32, offset int64) int32 {
	h, table := of(id)
	text := append([]byte(nil), unsafe.Slice(at[byte](data), n)...)
	h.change(func(f *file) { f.write(offset, text) })
	return original(table.FxWrite, (*thread).write)(t, id, data, n, offset)
}

func (t *thread) truncate(id uintptr, size int64) int32 {
	h, table := of(id)
	h.change(func(f *file) { f.resize(size) })
	return original(table.FxTruncate, (*thread).truncate)(t, id, size)
}

func (t *thread) sync(id uintptr, flags int32) int32 {
	h, table := of(id)
	rc := original(table.FxSync, (*thread).sync)(t, id, flags)
	if rc == sqlite3.SQLITE_OK {
		h.sync()
	}
	return rc
}

// at returns what is in the memory of SQLite at an address.
func at[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

// keep copies a table to the memory of SQLite, where it stays.
func keep[T any](tls *libc.TLS, v T) uintptr {
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v)))
	*at[T](p) = v
	return p
}

// address returns the address of a function as SQLite stores it.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// original returns the function at an address, which our function replaces.
func original[F any](p uintptr, _ F) F { return *(*F)(unsafe.Pointer(&p)) }
