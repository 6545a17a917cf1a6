package demo

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// width is how long a line may be, in characters.
const width = 88

// story prints the incident for a reader.
type story struct {
	out   io.Writer
	paint bool
	mute  bool
}

func (s story) line(format string, args ...any) {
	if !s.mute {
		fmt.Fprintf(s.out, format+"\n", args...)
	}
}

func (s story) opening() {
	s.line("%s", s.in(bold, "The incident of 17 March"))
	s.line("")
	s.line("A buyer's oak shelf arrived cracked. It cost $118.00, which is to be paid back.")
	s.line("The seller, %s, has $189.00 with the marketplace.", sellerName)
	s.line("A language model answers the ticket. It pays refunds with a tool.")
	s.line("The payment provider is about to do as it is asked, and lose its own answer.")
}

func (s story) before(h Half) {
	s.heading("1. As it was: an ordinary tool")
	s.timeline(h)
	s.books(h)
	s.line("  The model tells the buyer of one refund. %s", s.in(red, fmt.Sprintf("%s were paid.", count(h.Refunds))))
}

func (s story) after(h Half) {
	s.heading("2. As it is: the same order, the same lost answer, through counterfoil")
	s.timeline(h)
	s.books(h)
	s.line("  %s", s.in(bold, "Counterfoil's ledger"))
	for _, row := range h.Ledger {
		s.line("    %s  %s  %s  %s", row.Tool, row.State, row.EffectID, dollars(row.Cents))
		s.line("    %s", s.in(dim, row.IntentKey))
		for i, a := range row.Attempts {
			s.line("      attempt %d: %s", i+1, a)
		}
	}
	s.line("")
	s.line("  The model tells the buyer of one refund. %s", s.in(green, fmt.Sprintf("%s was paid.", count(h.Refunds))))
}

func (s story) closing(t Told) {
	s.heading("Side by side")
	s.line("  %-22s %-14s %s", "", "as it was", "as it is")
	s.line("  %-22s %-14d %d", "refunds paid", t.Before.Refunds, t.After.Refunds)
	s.line("  %-22s %s %s", sellerName, s.in(red, fmt.Sprintf("%-14s", dollars(t.Before.SellerBalanceCents))), s.in(green, dollars(t.After.SellerBalanceCents)))
	s.line("  %-22s %-14s %s", "the model was told", "“failed”", "what is true")
}

func (s story) heading(text string) {
	s.line("")
	s.line("%s", s.in(bold, text))
	s.line("%s", s.in(dim, strings.Repeat("─", utf8.RuneCountInString(text))))
}

// timeline prints what happened in the order in which it did.
func (s story) timeline(h Half) {
	for _, e := range h.events {
		at := fmt.Sprintf("%5.2f s", e.at.Sub(h.events[0].at).Seconds())
		s.line("  %s  %s", s.in(dim, at), e.what)
		for _, text := range e.read {
			for _, part := range folded(text) {
				s.line("           %s %s", s.in(dim, "│"), s.in(cyan, part))
			}
		}
	}
	s.line("")
}

// books prints what the provider did, and what that left the seller with.
func (s story) books(h Half) {
	s.line("  %s", s.in(bold, "The provider's books"))
	for _, r := range h.Books {
		s.line("    %s  %s  %s  key %s", r.ID, dollars(r.Cents), itemID, r.Key)
	}
	hue := green
	if h.SellerBalanceCents < 0 {
		hue = red
	}
	s.line("    %s is left with %s", sellerName, s.in(hue, dollars(h.SellerBalanceCents)))
	s.line("")
}

// folded breaks a text into lines that fit; what follows on is indented as far
// as the first word's column.
func folded(text string) []string {
	const room = width - 14
	indent := ""
	if _, rest, ok := strings.Cut(text, "  "); ok {
		indent = strings.Repeat(" ", len(text)-len(strings.TrimLeft(rest, " ")))
	}
	var lines []string
	for utf8.RuneCountInString(text) > room {
		cut := strings.LastIndex(text[:room], " ")
		if cut <= len(indent) {
			break
		}
		lines = append(lines, text[:cut])
		text = indent + text[cut+1:]
	}
	return append(lines, text)
}

func count(n int) string {
	words := []string{"None", "One", "Two", "Three"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// dollars writes cents as a reader expects them: -$47.00.
func dollars(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s$%d.%02d", sign, cents/100, cents%100)
}
