package sandbox

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// faultBody is a fault on the wire; delay_ms is in milliseconds.
type faultBody struct {
	Operation string `json:"operation"`
	Mode      string `json:"mode"`
	Times     int    `json:"times"`
	DelayMS   int64  `json:"delay_ms"`
}

func (b faultBody) fault() Fault {
	return Fault{Operation: b.Operation, Mode: b.Mode, Times: b.Times, Delay: time.Duration(b.DelayMS) * time.Millisecond}
}

func (s *Sandbox) adminAddFault(w http.ResponseWriter, r *http.Request, _ string) {
	body, err := readBody(w, r)
	if err == nil {
		err = s.addFault(r.Context(), body)
	}
	s.deliver(w, r, s.settled(done(), err))
}

func (s *Sandbox) addFault(ctx context.Context, body []byte) error {
	b, err := decode[faultBody](body)
	if err != nil {
		return err
	}
	// Bounded before it is multiplied into a Duration, where it could wrap.
	b.DelayMS = max(-1, min(b.DelayMS, maxDelay.Milliseconds()+1))
	err = s.AddFault(context.WithoutCancel(ctx), b.fault())
	var meaningless *MeaninglessFaultError
	if errors.As(err, &meaningless) {
		return invalid("meaningless_fault", meaningless.Reason)
	}
	return err
}

func (s *Sandbox) adminClearFaults(w http.ResponseWriter, r *http.Request, _ string) {
	err := s.ClearFaults(context.WithoutCancel(r.Context()))
	s.deliver(w, r, s.settled(done(), err))
}

func (s *Sandbox) adminFaults(w http.ResponseWriter, r *http.Request, _ string) {
	faults, err := s.Faults(r.Context())
	body := struct {
		Faults []faultBody `json:"faults"`
	}{Faults: []faultBody{}}
	for _, f := range faults {
		body.Faults = append(body.Faults, faultBody{f.Operation, f.Mode, f.Times, f.Delay.Milliseconds()})
	}
	s.deliver(w, r, s.settled(answer{status: http.StatusOK, body: body}, err))
}

func (s *Sandbox) adminReset(w http.ResponseWriter, r *http.Request, _ string) {
	ctx := context.WithoutCancel(r.Context())
	var body struct {
		Account string `json:"account"`
	}
	err := s.Reset(ctx)
	if err == nil {
		body.Account, err = s.Account(ctx)
	}
	s.deliver(w, r, s.settled(answer{status: http.StatusOK, body: body}, err))
}

func (s *Sandbox) adminEffects(w http.ResponseWriter, r *http.Request, _ string) {
	books, err := s.Effects(r.Context())
	s.deliver(w, r, s.settled(answer{status: http.StatusOK, body: books}, err))
}

func done() answer { return answer{status: http.StatusOK, body: struct{}{}} }
