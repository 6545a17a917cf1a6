package intent

import (
	"fmt"
	"runtime/debug"
)

// panicked is a fault of ours, for the log.
type panicked struct {
	value any
	stack []byte
}

// caught makes an error of what recover returned, with the stack that led there.
func caught(value any) error { return panicked{value: value, stack: debug.Stack()} }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }
