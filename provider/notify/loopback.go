package notify

import "net/netip"

// loopback reports whether a host is this machine, so that nothing goes over a
// network in the clear.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
