package sandbox

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// procedure is one support procedure. Its sentences are steps, in the order in
// which they are taken.
type procedure struct {
	id, title string
	sentences []string
}

// seedProcedures say what to do in the cases that the seed's tickets are about,
// in the words of the tools that an agent has.
var seedProcedures = []procedure{
	{"PR-DAMAGED", "Damage in transit: the item arrived damaged or broken", []string{
		"Read the ticket and the order first, and find the item and the unit that is cracked, dented, scratched or broken.",
		"If it is not clear which item it is, or what is wrong with it, ask the buyer for a photo and wait.",
		"Before you refund more than 100.00, message the seller what arrived damaged and that a refund follows; you need not wait for an answer.",
		"Refund what was paid for the damaged unit, and nothing for what arrived whole.",
		"Where the buyer keeps a flawed item, agree a part of the price with the buyer and refund that part only.",
		"Book a pickup if the item was over 50.00 and the seller may want it back; below that the buyer may throw it away.",
		"Reply to the buyer only once the refund is performed, with its amount.",
		"Hand over with the reason safety if anybody was hurt.",
	}},
	{"PR-PICKUP", "Pickup of a damaged or wrong item", []string{
		"Read the order, and list the effects of the ticket to see whether a courier is booked already.",
		"Ask the buyer for a day on which somebody is at home, and book the pickup for that day.",
		"Tell the buyer the day, and to put everything back into its box.",
		"If the day no longer suits, cancel that booking first and then book the new day.",
		"Message the seller what is coming back and when.",
		"A refund for damage does not wait for the pickup; a refund for a change of mind does.",
		"Hand over if the courier has missed two pickups of one order.",
	}},
	{"PR-LOST", "Lost parcel: tracking has stopped or nothing came", []string{
		"Read the ticket and the order, and see which items the buyer is still without.",
		"Message the seller and ask for the courier's last scan and for proof of delivery.",
		"Tell the buyer that the parcel is being looked for, and promise nothing else yet.",
		"A parcel counts as lost when there has been no scan for seven days, or when the seller says so.",
		"Then ask the buyer whether a refund or a replacement is wanted, and do one of the two, never both.",
		"If the tracking says delivered and the buyer says that nothing came, hand over with the reason unclear_facts.",
	}},
	{"PR-LATE", "Late delivery: the parcel is delayed but on its way", []string{
		"Read the ticket and the order, and look for the day that was promised.",
		"Up to three days late: apologise to the buyer and refund nothing.",
		"More than three days late: message the seller and ask for a new date.",
		"Tell the buyer that date once the seller has named one.",
		"If the item came late and is kept, a refund of up to 10.00 may be given as a gesture, once per order.",
		"If it was for a date that has gone by, such as a birthday, the buyer may send it back as if it were damaged.",
		"After seven days without a scan it is a lost parcel: follow that procedure.",
	}},
	{"PR-WRONG", "Wrong item, colour or size was sent", []string{
		"Read the ticket and the order, and compare what came with the title of the item that was ordered.",
		"If it is smaller or of another colour than the page said, that counts as a wrong item too.",
		"Message the seller what was ordered and what came.",
		"Book a pickup of the wrong item on a day that suits the buyer; the buyer never pays for it.",
		"Send a replacement if the buyer still wants what was ordered, and otherwise refund what was paid for it.",
		"Do not do both for one unit.",
		"Hand over if the seller says that the right item was sent.",
	}},
	{"PR-MISSING", "Missing part, screws or an item left out of the box", []string{
		"Read the ticket and the order, and find out exactly which part is missing.",
		"Message the seller, name the item and the part, and ask for it to be posted within two days.",
		"Tell the buyer that the seller has been asked for the part.",
		"If the item cannot be used without it and the seller cannot send it, send a replacement of that unit.",
		"If a whole item of the order was left out, treat it as a lost parcel of that item alone.",
		"A refund of part of the price, up to 20.00, may be given if the buyer finds the part elsewhere.",
	}},
	{"PR-SILENT", "Seller unresponsive: the seller does not answer", []string{
		"List the effects of the ticket and see when the seller was last written to.",
		"If less than two days have passed, wait, and tell the buyer that the seller has been asked.",
		"After two days message the seller once more, with the first message's id as follow_up_to, and name the order and the question.",
		"Do not send the same message in other words on the same day.",
		"After four days decide without the seller, by the procedure that fits the case.",
		"Hand over with the reason outside_policy if the seller is silent on three tickets or more.",
	}},
	{"PR-CHANGED", "Buyer changed their mind: return of an unused item", []string{
		"Read the order and the ticket; a return may be asked for within 14 days of delivery.",
		"Ask the buyer whether the item is unused and in its box.",
		"Book a pickup on a day that suits the buyer, and tell the seller that the item is coming back.",
		"Wait until the seller has confirmed that it came back whole.",
		"Then refund what was paid for the item.",
		"If the 14 days are over, tell the buyer so politely and refund nothing.",
		"For an exchange for another size, treat it as a return: the buyer orders the other size anew.",
		"Hand over if the buyer insists.",
	}},
	{"PR-REPLACE", "Replacement instead of a refund", []string{
		"Read the order and list the effects of the ticket: a unit that was refunded is not replaced as well.",
		"Ask the buyer to confirm that a replacement is wanted.",
		"Message the seller and ask whether the item is in stock.",
		"Send the replacement for exactly the units that are damaged, wrong or lost.",
		"Book a pickup of the old item if it was over 50.00.",
		"Tell the buyer once the replacement is ordered, with its id.",
		"If the seller has none left, refund instead.",
	}},
	{"PR-UNITS", "Partial refund: one or two units of an order line", []string{
		"Read the order: the price of a line is for all its units, so divide it by the quantity.",
		"Find out from the ticket which units are affected, and count them from 1.",
		"Refund the price of those units in one refund, and name the units.",
		"If a second unit turns out to be broken later, refund it by its own number; that is another refund.",
		"Give the order's refunded_cents as expected_refunded_cents once any money has moved.",
		"Never refund more than was paid for the line.",
		"Hand over with the reason unclear_facts if the buyer and the seller count differently.",
	}},
	{"PR-CEILING", "Refund above the ceiling of 150.00", []string{
		"A refund above 150.00, or one that brings a ticket above 150.00, needs a person's approval.",
		"Read the ticket and the order, and make sure of the amount before you ask.",
		"Message the seller what the refund is for.",
		"Call issue_refund once with the full amount: it is queued for approval and nothing is sent.",
		"Never split an amount into smaller refunds to stay under the ceiling.",
		"Tell the buyer that a colleague is looking at it, and promise neither an amount nor a day.",
		"Hand over with the reason approval_needed if the buyer cannot wait.",
	}},
	{"PR-SAFETY", "Safety hazard: fire, smoke, shock, sharp edge or injury", []string{
		"Hand over at once with the reason safety, and put into the summary what happened and whether anybody was hurt.",
		"Then tell the buyer to stop using the item, to unplug it and to keep it out of reach of children.",
		"Ask the buyer to keep the item and the packaging, and do not book a pickup.",
		"Do not refund, replace or message the seller before the person has answered.",
		"A strong smell of gas, varnish or burning counts as a hazard.",
		"Say nothing about whose fault it is.",
	}},
	{"PR-CHARGED", "Duplicate charge: the buyer was charged twice", []string{
		"Read the ticket and the order, and compare paid_cents with the sum that the buyer names.",
		"List the effects of the ticket and see whether something was refunded already.",
		"If the order shows one payment only, the second line on the card is often a hold that goes away within five days: tell the buyer so.",
		"If two parcels came for one payment, book a pickup of the second one and refund nothing.",
		"If the buyer paid for two orders by mistake, treat the second one as a change of mind.",
		"Never refund more than the order shows as paid.",
		"Hand over with the reason unclear_facts if the card statement and the order differ.",
	}},
	{"PR-ADDRESS", "Address change before or after dispatch", []string{
		"Read the ticket and the order; an order's address cannot be changed with any of your tools.",
		"Message the seller at once with the order and the ticket, and ask to hold the parcel for a new address.",
		"Do not put the full address into the message; the seller reads it on the ticket.",
		"Tell the buyer that the seller has been asked, and that it is not certain.",
		"If the parcel has gone to the old address, treat it as a lost parcel.",
		"Hand over with the reason unclear_facts if somebody other than the buyer asks, for it may be fraud.",
	}},
	{"PR-WHERE", "Where is my refund: the money has not arrived", []string{
		"Read the order and look at its refunds, and list the effects of the ticket.",
		"Succeeded: tell the buyer the amount and the day, and that a bank takes up to five working days to show it.",
		"Pending: tell the buyer that it is on its way, and do not call it paid.",
		"Unknown: tell the buyer that it is being looked into, and do not send it again.",
		"If there is no refund, go back to the procedure for what went wrong.",
		"Hand over with the reason technical_problem if it succeeded more than ten days ago and has not come.",
	}},
	{"PR-UNKNOWN", "Outcome unknown: a refund, message or booking timed out", []string{
		"Do not repeat the act and do not try another one in its place.",
		"List the effects of the ticket: they say what is known now.",
		"If the act is shown as performed, go on from there.",
		"If it is still unknown, tell the buyer what the field tell_customer says and no more.",
		"A person has been told or will be; add what you know with a handover only if it helps.",
		"Work on the other questions of the ticket in the meantime.",
	}},
}

// procedures writes all of them.
func (w *seeder) procedures(ctx context.Context, all []procedure) {
	for _, p := range all {
		w.exec(ctx, `INSERT INTO procedures (id, title, text) VALUES (?, ?, ?)`, p.id, p.title, strings.Join(p.sentences, " "))
	}
}

// addMissingProcedures writes them into a file that has none.
func addMissingProcedures(ctx context.Context, tx *sql.Tx) error {
	var there bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM procedures)`).Scan(&there); err != nil {
		return fmt.Errorf("look for procedures: %w", err)
	}
	if there {
		return nil
	}
	w := newSeeder(tx)
	if w.procedures(ctx, seedProcedures); w.err != nil {
		return fmt.Errorf("add the procedures: %w", w.err)
	}
	return nil
}
