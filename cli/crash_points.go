//go:build crashpoints

package cli

import (
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"counterfoil/intent"
)

// crashPoint kills this process, as kill -9 does, when it passes the point that
// COUNTERFOIL_CRASH_AT names for the n-th time; n is COUNTERFOIL_CRASH_AFTER,
// and 1 where that is not set.
func crashPoint(getenv func(string) string) (func(intent.Point), error) {
	at := intent.Point(getenv("COUNTERFOIL_CRASH_AT"))
	if at == "" {
		return nil, nil
	}
	if !slices.Contains(intent.Points(), at) {
		return nil, misused("COUNTERFOIL_CRASH_AT: there is no point %q", at)
	}
	nth := int64(1)
	if text := getenv("COUNTERFOIL_CRASH_AFTER"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return nil, misused("COUNTERFOIL_CRASH_AFTER: %q is no count from 1", text)
		}
		nth = n
	}
	var passed atomic.Int64
	return func(p intent.Point) {
		if p == at && passed.Add(1) == nth {
			die()
		}
	}, nil
}

// die does not return: nothing more may happen while the kill is on its way.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
