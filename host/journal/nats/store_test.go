package nats

import (
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
