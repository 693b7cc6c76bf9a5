package mcpserver

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/session"
)

// The pipes of an orphaned server stay open, since another process has them, too.
func TestAnOrphanedServerEndsWhetherOrNotAnybodyTakesItsAnswers(t *testing.T) {
	for _, reads := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			roots, err := files.NewRoots(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			source := newGrowing(domain.Catalog{})
			close(source.opened)
			sess, orphaned := session.New(source, roots), make(chan struct{})
			in, feed := io.Pipe()
			out, written := io.Pipe()
			begun, served := time.Now(), make(chan error, 1)
			go func() {
				served <- New(Config{Version: "1.2.3", Session: sess, Orphaned: orphaned, Log: discard}).ServeStdio(t.Context(), in, written)
			}()
			io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
			synctest.Wait()
			close(orphaned)
			if reads {
				if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, `"id":1`) {
					t.Errorf("it answers %q, %v", line, err)
				}
			}
			if err := <-served; err != nil {
				t.Errorf("it ended with %v", err)
			}
			if took := time.Since(begun); reads && took != 0 || !reads && took != takeTime {
				t.Errorf("it ended after %v; somebody takes the answers: %v", took, reads)
			}
			out.Close()
			in.Close()
			sess.Close()
			source.become(domain.Catalog{}) // for what waits for a new catalog
		})
	}
}
