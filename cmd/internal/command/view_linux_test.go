package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// listening returns the addresses at which this process accepts TCP connections, as the kernel prints them.
func listening(t *testing.T) (addresses []string) {
	t.Helper()
	own := map[string]bool{}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, _ := os.Readlink("/proc/self/fd/" + fd.Name())
		own[to] = true
	}
	for _, name := range []string{"tcp", "tcp6"} {
		table, err := os.ReadFile("/proc/self/net/" + name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && own["socket:["+f[9]+"]"] {
				addresses = append(addresses, f[1])
			}
		}
	}
	return addresses
}

func TestOnlyTheViewListens(t *testing.T) {
	before := len(listening(t))
	for _, more := range [][]string{nil, {"--view"}} {
		in, send := io.Pipe()
		answers, out := io.Pipe()
		ended := make(chan int)
		go func() {
			ended <- run(t.Context(), append([]string{"serve", "--config", "off", "--no-journal", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t)}, more...), stdio{in, out, io.Discard})
		}()
		fmt.Fprintln(send, hello)
		if line, err := bufio.NewReader(answers).ReadString('\n'); err != nil || !strings.Contains(line, "serverInfo") {
			t.Fatalf("%q, %v", line, err)
		}
		go io.Copy(io.Discard, answers)
		if now := listening(t)[before:]; len(now) != len(more) || len(more) > 0 && !strings.HasPrefix(now[0], "0100007F:") { // 127.0.0.1
			t.Errorf("with %q it listens at %q", more, now)
		}
		send.Close()
		if code := <-ended; code != exitOK {
			t.Errorf("with %q it exits with %d", more, code)
		}
	}
}
