package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// watcher is a small process that stops the server and removes its folder when this process ends. It reads from a pipe
// that only this process can write to. The kernel closes the pipe even after SIGKILL. A parent-death signal doesn't
// work, because it is sent when the starting thread ends, which can happen at any time in Go.
type watcher struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// The last line of the input contains the IDs of the processes to stop, the main process first. Paused processes only
// receive SIGKILL, so the script resumes them first. It sends SIGQUIT, which is an immediate shutdown, because SIGKILL
// leaks a shared memory segment per server.
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
	// In its own process group, so that signals to this process group don't stop it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		write.Close()
		return nil, fmt.Errorf("watcher: %w", err)
	}
	return &watcher{cmd: cmd, pipe: write}, nil
}

// guard replaces the list of processes to stop.
func (w *watcher) guard(pids ...int) error {
	_, err := fmt.Fprintln(w.pipe, strings.Trim(fmt.Sprint(pids), "[]"))
	return err
}

// finish stops the server and waits for the watcher to end.
func (w *watcher) finish() {
	_ = w.pipe.Close()
	_ = w.cmd.Wait()
}
