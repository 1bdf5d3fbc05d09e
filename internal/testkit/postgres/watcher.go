package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// watcher is a small process that ends the server and removes its folder when we finish, or when we die: it reads a
// pipe of which only we hold the other end, and the kernel closes that even after SIGKILL. A parent-death signal would
// come when the starting thread ends, which Go may do at any time, and would leave the folder.
type watcher struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// The last line read names the processes to end, the server's first one in front. Stopped processes must be woken to
// hear anything but SIGKILL, and that one leaks a shared memory segment per server: SIGQUIT is the server's immediate
// shutdown, which does not.
const watcherScript = `
folder=$1
while read -r line; do pids=$line; done
set -- $pids
if [ $# -gt 0 ]; then
	kill -CONT "$@"
	kill -QUIT "$1"
	for i in $(seq 200); do kill -0 "$1" || break; sleep 0.05; done
	kill -0 "$1" && kill -KILL "$@"
fi
rm -rf "$folder"
`

func watch(folder string) (*watcher, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := exec.Command("sh", "-c", watcherScript, "watcher", folder)
	cmd.Stdin = read
	// In its own process group, out of reach of the signals that end ours.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("watcher: %w", err)
	}
	return &watcher{cmd: cmd, pipe: write}, nil
}

// guard replaces the processes that must not outlive us.
func (w *watcher) guard(pids ...int) error {
	_, err := fmt.Fprintln(w.pipe, strings.Trim(fmt.Sprint(pids), "[]"))
	return err
}

// finish returns when the watcher has done its work.
func (w *watcher) finish() {
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}
