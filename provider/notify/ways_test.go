package notify_test

import (
	"context"
	"errors"
	"testing"

	"counterfoil/intent"
	"counterfoil/provider/notify"
)

type way struct {
	name string
	err  error
}

func (w way) Name() string                                    { return w.name }
func (w way) Notify(context.Context, intent.Escalation) error { return w.err }

func TestWays(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	tests := map[string]struct {
		ways  []notify.Way
		name  string
		want  error
		fault bool
	}{
		"one":          {[]notify.Way{way{"mail", nil}}, "mail", nil, false},
		"one, broken":  {[]notify.Way{way{"mail", broken}}, "mail", broken, false},
		"both":         {[]notify.Way{way{"webhook", nil}, way{"mail", nil}}, "webhook or mail", nil, false},
		"one of two":   {[]notify.Way{way{"webhook", broken}, way{"mail", nil}}, "webhook or mail", nil, true},
		"both, broken": {[]notify.Way{way{"webhook", broken}, way{"mail", broken}}, "webhook or mail", broken, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := false
			w := notify.Ways{All: tt.ways, Fault: func(error) { told = true }}
			if got := w.Notify(t.Context(), escalation()); !errors.Is(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if w.Name() != tt.name || told != tt.fault {
				t.Errorf("named %q, fault told %v; want %q, %v", w.Name(), told, tt.name, tt.fault)
			}
		})
	}
}
