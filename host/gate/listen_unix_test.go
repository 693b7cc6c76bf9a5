//go:build unix

package gate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// certificate writes a new certificate for localhost and its key into dir.
func certificate(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	public, err := x509.CreateCertificate(rand.Reader, of, of, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		write(t, path, string(pem.EncodeToMemory(block)))
	}
	return cert, key
}

func TestACertificateIsReadAgainWhenItChanges(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1)
	secure, err := TLS(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := startOn(t, Config{Open: true}, tls.NewListener(l, secure))
	// served returns the serial number of the certificate that the server presents.
	served := func(most uint16) (serial int64, err error) {
		data, err := os.ReadFile(cert)
		if err != nil {
			t.Fatal(err)
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(data)
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, ServerName: "localhost", MaxVersion: most}}}
		res, err := c.Post("https://"+s.addr, "", strings.NewReader("{}"))
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		if res.StatusCode != 200 || res.ProtoMajor != 1 {
			t.Errorf("%s %s", res.Proto, res.Status)
		}
		return res.TLS.PeerCertificates[0].SerialNumber.Int64(), nil
	}
	if n, err := served(tls.VersionTLS13); n != 1 {
		t.Errorf("the first certificate is %d: %v", n, err)
	}
	certificate(t, dir, 2)
	if n, err := served(tls.VersionTLS13); n != 2 {
		t.Errorf("the second certificate is %d: %v", n, err)
	}
	if _, err := served(tls.VersionTLS11); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	// A key that does not match the certificate yet changes nothing.
	write(t, key, "no key")
	if n, err := served(tls.VersionTLS13); n != 2 {
		t.Errorf("with a broken key it is %d: %v", n, err)
	}
	if status := s.answer(s.dial("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")); status != 400 {
		t.Errorf("without encryption: %d", status)
	}
}

func TestATLSHandshakeThatIsSlowEndsItsConnection(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), 1)
	secure, err := TLS(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := startOn(t, Config{Open: true, Header: time.Millisecond}, tls.NewListener(l, secure))
	if status := s.answer(s.dial("\x16\x03\x01")); status != 0 {
		t.Errorf("answered with %d", status)
	}
}

func listenUnixAt(t *testing.T, path string, others bool) net.Listener {
	t.Helper()
	l, err := Listen("unix:"+path, others)
	if errors.Is(err, errNoPeers) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// over sends one request over a unix socket.
func over(t *testing.T, path string) (status int, text string) {
	t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	res, err := c.Post("http://localhost/", "", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(data)
}

func TestAUnixSocketIsPrivateKnowsItsUsersAndGoesAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	t.Run("served", func(t *testing.T) {
		startOn(t, Config{}, listenUnixAt(t, path, false))
		if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		if status, text := over(t, path); status != 200 || text != "uid-"+strconv.Itoa(os.Getuid())+" 2" {
			t.Errorf("%d %s", status, text)
		}
		if _, err := Listen("unix:"+path, false); err == nil || !strings.Contains(err.Error(), "another server listens") {
			t.Errorf("a second server: %v", err)
		}
	})
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after its end: %v", err)
	}
}

func TestASocketThatADeadServerLeftIsReplacedAndNoOtherFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	left := listenUnixAt(t, path, false)
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	listenUnixAt(t, path, false).Close()
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen("unix:"+path, false); err == nil {
		t.Error("a file was replaced")
	}
	if data, err := os.ReadFile(path); string(data) != "mine" {
		t.Errorf("%q %v", data, err)
	}
}

// asClient is the variable that makes the test binary a client of the socket that it names.
const asClient = "FCP_TEST_SOCKET"

func TestMain(m *testing.M) {
	if path := os.Getenv(asClient); path != "" {
		c, err := net.Dial("unix", path)
		if err != nil {
			panic(err)
		}
		io.WriteString(c, "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
		io.Copy(os.Stdout, c)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestAnotherUserOfAUnixSocketIsAdmittedOnlyIfNamed(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	const nobody = 65534
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A folder that the other user can access, too.
	dir, err := os.MkdirTemp("/tmp", "fcp-gate-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	exe = filepath.Join(dir, "client")
	if err := os.WriteFile(exe, data, 0o755); err != nil {
		t.Fatal(err)
	}
	own, _ := tokens(t, "ann "+annToken)
	for name, c := range map[string]struct {
		Config
		want string
	}{
		"not named":            {Config{}, "HTTP/1.0 403"},
		"open to all":          {Config{Open: true}, "HTTP/1.0 403"},
		"named":                {Config{Users: []int{nobody}}, "HTTP/1.0 200"},
		"named, but no token":  {Config{Users: []int{nobody}, Tokens: own}, "HTTP/1.0 401"},
		"another one is named": {Config{Users: []int{nobody - 1}}, "HTTP/1.0 403"},
	} {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		startOn(t, c.Config, listenUnixAt(t, path, true))
		cmd := exec.Command(exe)
		cmd.Env = []string{asClient + "=" + path}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		out, err := cmd.Output()
		if err != nil || !strings.HasPrefix(string(out), c.want) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		if c.want == "HTTP/1.0 200" && !strings.HasSuffix(string(out), "uid-65534 2") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Nobody writes to or reads from the FIFOs here: code that opens one would wait until the test is killed.
func TestAFIFOBlocksNothing(t *testing.T) {
	fifo := func(path string) string {
		t.Helper()
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	log := slog.New(slog.DiscardHandler)
	first := fifo(filepath.Join(t.TempDir(), "fifo"))
	if _, err := NewTokens(first, log); !errors.Is(err, errNotRegular) {
		t.Errorf("as the token file: %v", err)
	}
	if _, err := TLS(first, first, log); !errors.Is(err, errNotRegular) {
		t.Errorf("as a certificate: %v", err)
	}
	if f, err := OpenAudit(first); !errors.Is(err, errNotRegular) {
		t.Errorf("as the audit log: %v %v", f, err)
	}
	own, path := tokens(t, "ann "+annToken)
	s := start(t, Config{Tokens: own})
	if err := os.Rename(fifo(path+".new"), path); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := s.ask("POST", "/", "{}", "Authorization", "Bearer "+annToken); status != 401 {
		t.Errorf("with a FIFO for tokens: %d", status)
	}
	if status, _, _ := s.ask("GET", "/readyz", ""); status != 503 {
		t.Errorf("with a FIFO for tokens, readyz answers %d", status)
	}
}

func TestAnAuditLogIsARegularFileOrNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit")
	for range 2 {
		f, err := OpenAudit(path)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("line\n")
		f.Close()
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "line\nline\n" {
		t.Errorf("%q %v", data, err)
	}
	f, err := OpenAudit(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, other := range []string{t.TempDir(), "/dev/zero", "/dev/full"} {
		if f, err := OpenAudit(other); !errors.Is(err, errNotRegular) {
			t.Errorf("%s: %v %v", other, f, err)
		}
	}
}
