package gate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
)

// errNoPeers means that fcp-host cannot read the user at the other end of a socket on this system.
var errNoPeers = errors.New("a unix socket needs peer credentials, which fcp-host reads on Linux only: use 127.0.0.1 with a token")

// UnixPath returns the path in an address of the form unix:PATH.
func UnixPath(addr string) (path string, ok bool) { return strings.CutPrefix(addr, "unix:") }

// Loopback reports whether a host name or address means this machine only.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Listen listens on addr: HOST:PORT, or unix:PATH for a socket. Only this user can connect to the socket, or with
// others everybody, so that the gate decides. The socket's file is removed when the listener is closed.
func Listen(addr string, others bool) (net.Listener, error) {
	path, ok := UnixPath(addr)
	if !ok {
		return net.Listen("tcp", addr)
	}
	if err := unlinkStale(path); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o600)
	if others {
		mode = 0o666
	}
	return listenUnix(path, mode)
}

// unlinkStale removes a socket that a dead server left.
func unlinkStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s exists and is not a socket", path)
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return fmt.Errorf("another server listens on %s", path)
	}
	return os.Remove(path)
}

// allowAny accepts any file: certificates are often readable for a group.
func allowAny(fs.FileInfo) error { return nil }

// TLS returns the configuration of a server with this certificate. The files are read again when they change; if the
// new ones are not valid, the old certificate is kept, and log says why.
func TLS(certFile, keyFile string, log *slog.Logger) (*tls.Config, error) {
	pair := &watched[*tls.Certificate]{paths: []string{certFile, keyFile}, read: func() (*tls.Certificate, error) {
		cert, err := readFile(certFile, allowAny)
		if err != nil {
			return nil, err
		}
		key, err := readFile(keyFile, allowAny)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		return &pair, err
	}, failed: func(err error) { log.Error("the new certificate cannot be used, the old one stays", "error", err) }}
	if _, err := pair.get(); err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c, _ := pair.get()
			return c, nil
		},
	}, nil
}
