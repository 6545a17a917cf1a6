package intent

// Point is a named place in the engine at which a test may stop or crash it.
type Point string

// The points, in the order in which a first call passes them.
const (
	PointRecognised   Point = "recognised"    // no exact repeat; nothing read yet
	PointRead         Point = "read"          // the authority has been read
	PointLookedUp     Point = "looked_up"     // the intent was looked for before its claim
	PointBeforeClaim  Point = "before_claim"  // all checks passed
	PointClaimed      Point = "claimed"       // the claim is durable, no byte has left
	PointSent         Point = "sent"          // the send has ended, in whatever way
	PointSettled      Point = "settled"       // what is to be recorded is known
	PointRecorded     Point = "recorded"      // the record is durable, nothing is answered
	PointBeforeTell   Point = "before_tell"   // an escalation is about to be delivered
	PointTold         Point = "told"          // the desk has answered, nothing is recorded of it
	PointSweepSettled Point = "sweep_settled" // the sweeper knows what it is to record
)

// Points is the closed list.
func Points() []Point {
	return []Point{
		PointRecognised, PointRead, PointLookedUp, PointBeforeClaim, PointClaimed, PointSent, PointSettled,
		PointRecorded, PointBeforeTell, PointTold, PointSweepSettled,
	}
}
