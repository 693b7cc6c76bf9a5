package web

import (
	"errors"
	"net/netip"
)

// reach says which endpoints may dial an address.
type reach int

const (
	nobody   reach = iota // none: reserved, multicast, documentation ranges
	verbatim              // those whose base is this very address and was given by the user: link-local, metadata services
	own                   // those whose base was given by the user: loopback, private networks
	everyone
)

// ranges lists special addresses, from IANA's registries. The first that contains an address counts.
var ranges = []struct {
	prefix netip.Prefix
	reach  reach
}{
	// Metadata services of clouds give credentials to anyone who asks.
	{netip.MustParsePrefix("100.100.100.200/32"), verbatim},
	{netip.MustParsePrefix("168.63.129.16/32"), verbatim},
	{netip.MustParsePrefix("192.0.0.192/32"), verbatim},
	{netip.MustParsePrefix("fd00:ec2::254/128"), verbatim},
	{netip.MustParsePrefix("fd20:ce::254/128"), verbatim},
	{netip.MustParsePrefix("169.254.0.0/16"), verbatim},
	{netip.MustParsePrefix("fe80::/10"), verbatim},

	{netip.MustParsePrefix("0.0.0.0/8"), nobody},
	{netip.MustParsePrefix("10.0.0.0/8"), own},
	{netip.MustParsePrefix("100.64.0.0/10"), own},
	{netip.MustParsePrefix("127.0.0.0/8"), own},
	{netip.MustParsePrefix("172.16.0.0/12"), own},
	{netip.MustParsePrefix("192.0.0.0/24"), nobody},
	{netip.MustParsePrefix("192.0.2.0/24"), nobody},
	{netip.MustParsePrefix("192.88.99.0/24"), nobody},
	{netip.MustParsePrefix("192.168.0.0/16"), own},
	{netip.MustParsePrefix("198.18.0.0/15"), own}, // benchmarks; some VPNs answer with these for every name
	{netip.MustParsePrefix("198.51.100.0/24"), nobody},
	{netip.MustParsePrefix("203.0.113.0/24"), nobody},
	{netip.MustParsePrefix("224.0.0.0/3"), nobody}, // multicast, reserved, broadcast
	{netip.MustParsePrefix("0.0.0.0/0"), everyone},

	{netip.MustParsePrefix("::1/128"), own},
	{netip.MustParsePrefix("fc00::/7"), own},
	{netip.MustParsePrefix("2001::/23"), nobody}, // Teredo and other protocols
	{netip.MustParsePrefix("2001:db8::/32"), nobody},
	{netip.MustParsePrefix("3fff::/20"), nobody},
	{netip.MustParsePrefix("2000::/3"), everyone},
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
)

// reachOf returns which endpoints may dial an address. An IPv6 address that embeds an IPv4 address is classified by the
// latter.
func reachOf(a netip.Addr) reach {
	a = a.Unmap().WithZone("")
	b := a.As16()
	switch {
	case nat64.Contains(a):
		a = netip.AddrFrom4([4]byte(b[12:16]))
	case sixToFour.Contains(a):
		a = netip.AddrFrom4([4]byte(b[2:6]))
	}
	for _, r := range ranges {
		if r.prefix.Contains(a) {
			return r.reach
		}
	}
	return nobody
}

// addressError says that a name resolved to an address that is not granted. It does not name the address: a guest must
// not learn about the network.
type addressError struct{ error }

var (
	errNobody   = addressError{errors.New("it leads to an address that is reserved, multicast or unspecified")}
	errVerbatim = addressError{errors.New("it leads to a link-local or metadata address, which is allowed only if the user's base is that address")}
	errOwn      = addressError{errors.New("it leads to a private address, which is allowed only if the base comes from the user's environment or configuration")}
)

// mayDial decides about an address at the moment when a socket connects to it.
func (e *Endpoint) mayDial(a netip.Addr, r reach) error {
	switch {
	case r == everyone, r == own && e.private, r == verbatim && e.exact == a.Unmap():
		return nil
	case r == own:
		return errOwn
	case r == verbatim:
		return errVerbatim
	}
	return errNobody
}
