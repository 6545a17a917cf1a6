package intent_test

import (
	"testing"
	"time"
)

func writeSimProof(t *testing.T, histories int, took time.Duration, cover *simCover) {
	t.Helper()
}
