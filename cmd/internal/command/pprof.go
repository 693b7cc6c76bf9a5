package command

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
)

// profile serves the profiles of this process at the address of --pprof, until stop is called. ok
// is false if the address is refused.
func (s *settings) profile(io stdio) (stop func(), ok bool) {
	if s.pprof == "" {
		return func() {}, true
	}
	fail := func(format string, args ...any) (func(), bool) {
		io.complain("--pprof "+s.pprof+": "+format, args...)
		return nil, false
	}
	host, _, err := net.SplitHostPort(s.pprof)
	if err != nil {
		return fail("write it as 127.0.0.1:6060")
	}
	if !gate.Loopback(host) {
		return fail("profiles may contain data from your documents, so they are served only on the loopback: use 127.0.0.1")
	}
	l, err := net.Listen("tcp", s.pprof)
	if err != nil {
		return fail("%v", err)
	}
	secret := "/" + rand.Text()
	srv := &http.Server{Handler: http.StripPrefix(secret, profiles()), ReadHeaderTimeout: 10 * time.Second}
	go srv.Serve(l) // its error is that of Close
	io.complain("profiles at http://%s%s/debug/pprof/", l.Addr(), secret)
	return func() { srv.Close() }, true
}

// profiles answers like net/http/pprof. Importing that package also registers its handlers in
// http.DefaultServeMux, which this program does not serve.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
