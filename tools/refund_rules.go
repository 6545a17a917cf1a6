package tools

import (
	"fmt"

	"counterfoil/intent"
	"counterfoil/provider"
)

// moved reports whether a refund in the authority's books counts as money that
// has moved.
func moved(m provider.Moved) bool { return m.Status != "failed" }

// exceedsPaid refuses more than was paid for the item or the order, by the
// authority's own figures.
func exceedsPaid(w refundWorld) *intent.Refusal {
	currency := w.order.Currency
	left := min(w.item.PaidCents-w.item.RefundedCents, w.order.PaidCents-w.order.RefundedCents)
	if w.args.AmountCents <= left {
		return nil
	}
	note := "Ask for no more than that, and only if it is due."
	if left <= 0 {
		note = "Nothing is left to refund: do not ask again."
	}
	return &intent.Refusal{
		Reason: intent.ReasonExceedsPaid, Retry: intent.RetryFix,
		Verdict: fmt.Sprintf("Nothing was sent: of the %s paid for this item, at most %s can still be refunded.",
			intent.Money(w.item.PaidCents, currency), intent.Money(max(left, 0), currency)),
		Note:    note,
		Related: refundsShown(w.order.Refunds, nil),
	}
}

// exceedsWithOpen refuses where intents of ours that the order's figures do not
// show yet would take it over what was paid, or stand in this very scope.
func exceedsWithOpen(w refundWorld, v intent.View) *intent.Refusal {
	hidden := notShown(w.order, v.Around)
	scope := remedyScope(w.order.OrderID, w.item.ItemID)
	sum, ofItem := int64(0), int64(0)
	var related []intent.Related
	inScope, waits, named := false, false, ""
	for _, row := range hidden {
		sum += row.Cents
		if row.Scope == scope { // released by a person, or it would have kept this one back
			ofItem += row.Cents
		}
		inScope = inScope || row.Scope == scope && row.State == intent.StatePerformed
		waits = waits || row.State == intent.StateUnknown || row.State == intent.StateAwaiting
		if row.State == intent.StatePerformed && row.Evidence == intent.EvidencePerson {
			named = row.EffectID
		}
		related = append(related, intent.Relate(row))
	}
	fits := w.order.RefundedCents+sum+w.args.AmountCents <= w.order.PaidCents &&
		w.item.RefundedCents+ofItem+w.args.AmountCents <= w.item.PaidCents
	if len(hidden) == 0 || fits && !inScope {
		return nil
	}
	refusal := &intent.Refusal{
		Reason: intent.ReasonBlockedByOpen, Retry: intent.RetryWait, Related: related,
		Verdict: "Nothing was sent: the order does not show yet what an earlier refund on it came to, and with it this one may be more than was paid.",
		Note:    "Ask again with the same arguments after the pause; read the order first.",
	}
	switch {
	case waits:
		refusal.Retry = intent.RetryNever
		refusal.Note = "Do not ask again: an earlier refund on this order waits for a person."
	case named != "":
		refusal.Retry = intent.RetryNever
		refusal.Note = "Do not ask again: a person named " + named + " as an earlier refund, and the order does not show it. They can correct that with counterfoil resolve; hand over to one with escalate_to_human."
	}
	return refusal
}

// notShown are the refunds of ours on an order that the authority's list does
// not show: open ones that match no refund there, and effects that are missing.
func notShown(order provider.Order, around []intent.Row) []intent.Row {
	unclaimed := map[string]provider.Moved{}
	for _, m := range order.Refunds {
		unclaimed[m.ID] = m
	}
	shown := map[string]bool{}
	for _, row := range around {
		if _, there := unclaimed[row.EffectID]; there && row.EffectID != "" {
			shown[row.EffectID] = true
			delete(unclaimed, row.EffectID)
		}
	}
	var hidden []intent.Row
	for _, row := range around {
		counts := row.Tool == "issue_refund" && (row.Open() || row.State == intent.StatePerformed) && !shown[row.EffectID]
		if counts && !takeMatch(unclaimed, order.OrderID, row) {
			hidden = append(hidden, row)
		}
	}
	return hidden
}

// takeMatch finds, and uses up, a refund in the books that an open row may have
// brought.
func takeMatch(unclaimed map[string]provider.Moved, order string, row intent.Row) bool {
	if row.EffectID != "" {
		return false
	}
	for id, m := range unclaimed {
		if m.Cents == row.Cents && moved(m) && (m.ItemID == "" || remedyScope(order, m.ItemID) == row.Scope) {
			delete(unclaimed, id)
			return true
		}
	}
	return false
}

// acknowledge asks for expected_refunded_cents where the authority shows money
// moved on this item, or on the order without saying for which item.
func acknowledge(w refundWorld, v intent.View) *intent.Refusal {
	var here []provider.Moved
	for _, m := range w.order.Refunds {
		if moved(m) && (m.ItemID == "" || m.ItemID == w.item.ItemID) {
			here = append(here, m)
		}
	}
	expected := w.args.ExpectedRefundedCents
	if len(here) == 0 || expected != nil && *expected == w.order.RefundedCents {
		return nil
	}
	problem := "expected_refunded_cents is missing"
	if expected != nil {
		problem = "expected_refunded_cents is not what has been refunded"
	}
	return &intent.Refusal{
		Reason: intent.ReasonAcknowledge, Retry: intent.RetryFix,
		Verdict: fmt.Sprintf("Nothing was sent: money has been refunded here before (%s on this order, as listed), and %s.",
			intent.Money(w.order.RefundedCents, w.order.Currency), problem),
		Note: fmt.Sprintf("If those refunds already cover this, do not ask again. If this one is due on top of them, ask with expected_refunded_cents %d.",
			w.order.RefundedCents),
		Related: refundsShown(here, v.Around),
	}
}

// refundsShown lists refunds in the books, with the intent where one is ours.
func refundsShown(refunds []provider.Moved, around []intent.Row) []intent.Related {
	related := make([]intent.Related, 0, len(refunds))
	for _, m := range refunds {
		r := intent.Related{EffectID: m.ID, Cents: m.Cents, At: intent.Timestamp(m.At)}
		for _, row := range around {
			if row.EffectID == m.ID {
				r = intent.Relate(row)
			}
		}
		related = append(related, r)
	}
	return related
}
