package cli

import (
	"hash/fnv"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"counterfoil/intent"
)

// uptime reads CLOCK_BOOTTIME, which counts while the machine sleeps, and which
// start of the machine it counts from (clock_gettime(2), random(4)).
func uptime() func() intent.Uptime {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return nil
	}
	hash := fnv.New64a()
	hash.Write(id)
	boot := int64(hash.Sum64()) //nolint:gosec // a name, not a number
	return func() intent.Uptime {
		var ts unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
			return intent.Uptime{}
		}
		return intent.Uptime{Boot: boot, Since: time.Duration(ts.Nano())}
	}
}
