package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// event is one thing that happened.
type event struct {
	at   time.Time
	what string
	read []string // what the model read then, line by line
	paid bool     // a refund, whose id and time are taken from the books
}

func (h *Half) happens(at time.Time, what string) {
	h.events = append(h.events, event{at: at, what: what})
}

// reads is something that the model got to read; lines are what is shown of it.
func (h *Half) reads(at time.Time, what string, whole json.RawMessage, lines ...string) {
	h.ModelRead = append(h.ModelRead, whole)
	h.events = append(h.events, event{at: at, what: what, read: lines})
}

// pays is where the provider's next refund belongs. When it was, and under
// which id, the provider's books say.
func (h *Half) pays(what string) {
	h.events = append(h.events, event{what: what, paid: true})
}

// fromBooks completes the refunds in the story; one that the books do not have
// did not happen. The books' times are rounded: none may precede its cause.
func (h *Half) fromBooks() {
	books := h.Books
	told := h.events[:0:0]
	for _, e := range slices.Clone(h.events) {
		if !e.paid {
			told = append(told, e)
			continue
		}
		if len(books) == 0 {
			continue
		}
		e.what = fmt.Sprintf(e.what, books[0].ID)
		e.at = told[len(told)-1].at
		if at, err := time.Parse(time.RFC3339, books[0].At); err == nil && at.After(e.at) {
			e.at = at
		}
		books = books[1:]
		told = append(told, e)
	}
	h.events = told
}
