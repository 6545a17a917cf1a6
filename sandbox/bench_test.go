package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"counterfoil/sandbox"
)

func open(b *testing.B) *sandbox.Sandbox {
	b.Helper()
	box, err := sandbox.Open(b.Context(), filepath.Join(b.TempDir(), "sandbox.db"), sandbox.Options{Now: time.Now})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { box.Close() })
	return box
}

func BenchmarkGetOrder(b *testing.B) {
	box := open(b)
	for b.Loop() {
		w := httptest.NewRecorder()
		box.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/orders/SU-88510", nil))
		if w.Code != 200 {
			b.Fatal(w.Code)
		}
	}
}

func BenchmarkRefund(b *testing.B) {
	box := open(b)
	n := 0
	for b.Loop() {
		n++
		body := fmt.Sprintf(`{"order_id":"SU-%d","amount_cents":1,"currency":"USD"}`, 90001+n%6)
		r := httptest.NewRequest(http.MethodPost, "/v1/refunds", strings.NewReader(body))
		r.Header.Set("Idempotency-Key", fmt.Sprint("key-", n))
		w := httptest.NewRecorder()
		box.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
}
