package nats

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAnErrorAboutAURLDoesNotShowItsPassword(t *testing.T) {
	for _, url := range []string{"nats://ann:s3cret@127.0.0.1:x", "nats://ann:s3cret%zz@127.0.0.1:4222", "nats://ann:s3cret#x@127.0.0.1:4222"} {
		_, err := Open(t.Context(), url, Options{Wait: time.Second})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The client writes what it reports on its own to stderr, unless it has a handler.
func TestWhatTheClientReportsIsALineOfTheLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	logError(log, errors.New("nats: slow consumer\non connection [7]"))
	logError(log, &net.OpError{Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 4222}, Err: errors.New("reset")})
	logError(nil, errors.New("x"))
	logError(log, nil)
	if text := out.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "slow consumer") || strings.Contains(text, "10.1.2.3") {
		t.Errorf("logged %s", text)
	}
}
