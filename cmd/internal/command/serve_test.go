package command

import (
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

func TestTelemetryNeedsAProgramThatExportsIt(t *testing.T) {
	serve := func(args ...string) (code int, said string) {
		var out, err strings.Builder
		code = run(t.Context(), append([]string{"serve", "--config", "off", "--no-journal", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.List(t)}, args...), stdio{strings.NewReader(""), &out, &err})
		return code, err.String()
	}
	if code, said := serve("--otel"); code != exitUsage || !strings.Contains(said, "--otel") {
		t.Errorf("exit code %d, %s", code, said)
	}
	before := self
	defer func() { self = before }()
	asked, ended := []bool{}, 0
	self.StartTelemetry = func(w TelemetryOptions) (func(), error) {
		if asked = append(asked, w.Asked); len(w.Gauges) < 2 || w.Gauges[0].Value() != 0 {
			t.Errorf("the gauges are %v", w.Gauges)
		}
		if len(asked) > 2 {
			return nil, errors.New("no such collector")
		}
		return func() { ended++ }, nil
	}
	for _, args := range [][]string{nil, {"--otel"}} {
		if code, said := serve(args...); code != exitOK {
			t.Errorf("exit code %d, %s", code, said)
		}
	}
	if code, said := serve("--otel"); code != exitFailed || !strings.Contains(said, "--otel: no such collector") {
		t.Errorf("exit code %d, %s", code, said)
	}
	if len(asked) != 3 || asked[0] || !asked[1] || ended != 2 {
		t.Errorf("asked %v, ended %d times", asked, ended)
	}
}
