package web

import (
	"net/netip"
	"testing"
)

func TestAddressesAreReachedOnlyByEndpointsThatMay(t *testing.T) {
	for want, list := range map[reach][]string{
		everyone: {"1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.0.1.1", "223.255.255.255",
			"2606:4700::1111", "2a00::1", "2400:cb00::1", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1"},
		own: {"127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "198.18.0.1",
			"::1", "fd00::1", "fc00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::c0a8:1", "2002:7f00:1::", "2002:a00:1::1"},
		verbatim: {"169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::",
			"fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"},
		nobody: {"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.51.100.1", "203.0.113.1",
			"::", "ff02::1", "ff0e::1", "2001:db8::1", "2001::1", "2001:0:1::", "3fff::1", "fec0::1", "100::1", "5f00::1", "::127.0.0.1", "::ffff:0:7f00:1",
			"64:ff9b:1::7f00:1", "::ffff:0.0.0.0", "64:ff9b::e000:1", "2002:0:0::1", "4000::1"},
	} {
		for _, s := range list {
			if got := reachOf(netip.MustParseAddr(s)); got != want {
				t.Errorf("%s: %d, want %d", s, got, want)
			}
		}
	}
}

func TestALinkLocalAddressIsReachedOnlyAsTheBaseItself(t *testing.T) {
	for _, c := range []struct {
		base, addr string
		user, may  bool
	}{
		{"https://a.example", "1.1.1.1", false, true},
		{"https://a.example", "127.0.0.1", false, false},
		{"https://127.0.0.1", "127.0.0.1", false, false},
		{"https://169.254.1.1", "169.254.1.1", false, false},
		{"https://a.example", "127.0.0.1", true, true},
		{"https://a.example", "fd00::1", true, true},
		{"https://a.example", "169.254.1.1", true, false},
		{"https://169.254.1.1", "169.254.1.1", true, true},
		{"https://169.254.1.1", "169.254.1.2", true, false},
		{"https://[::ffff:169.254.1.1]", "169.254.1.1", true, true},
		{"https://[fe80::1%25eth0]", "fe80::1%eth0", true, true},
		{"https://[fe80::1%25eth0]", "fe80::1%eth1", true, false},
		{"https://0.0.0.0", "0.0.0.0", true, false},
		{"https://224.0.0.1", "224.0.0.1", true, false},
	} {
		e, err := NewEndpoint("api", c.base, nil, Options{Configured: c.user})
		if err != nil {
			t.Fatal(err)
		}
		a := netip.MustParseAddr(c.addr)
		if err := e.mayDial(a, reachOf(a)); (err == nil) != c.may {
			t.Errorf("%s of the user's (%v) to %s: %v", c.base, c.user, c.addr, err)
		}
	}
}
