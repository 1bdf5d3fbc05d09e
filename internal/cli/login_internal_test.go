package cli

import "testing"

// A machine without one of the loopback addresses uses the other one.
func TestListenOnLoopback(t *testing.T) {
	l, err := listen("192.0.2.1:0", "127.0.0.1:0") // the first one belongs to no machine
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l, err := listen("192.0.2.1:0"); err == nil {
		t.Errorf("got the address %s, want an error", l.Addr())
	}
}
