package intent

import "time"

// Uptime is how long the machine has run, sleep included, and since which
// start. Unlike the wall clock nobody sets it. The zero Uptime is unknown.
type Uptime struct {
	Boot  int64         // names the start of the machine; 0: unknown
	Since time.Duration // since then, in milliseconds at the finest
}

// backwards is how far the wall clock may fall behind what was written before
// it is no longer believed: more than clocks are corrected by in passing.
const backwards = time.Minute

// fellBack reports whether the wall clock has been set back since a row was
// written.
func fellBack(row Row, now time.Time) bool { return now.Before(row.UpdatedAt.Add(-backwards)) }

func (e *Engine) uptime() Uptime {
	if e.o.Uptime == nil {
		return Uptime{}
	}
	up := e.o.Uptime()
	up.Since = up.Since.Truncate(time.Millisecond)
	return up
}

// elapsed is how long ago a row was claimed, by whichever clock says less: a
// wall clock that was set forward must not make a send look old that may still
// land.
func (e *Engine) elapsed(row Row, now time.Time) time.Duration {
	wall := now.Sub(row.ClaimedAt)
	up := e.uptime()
	if row.ClaimedUp.Boot == 0 || row.ClaimedUp.Boot != up.Boot {
		return wall
	}
	return min(wall, up.Since-row.ClaimedUp.Since)
}

// keyAge is how long ago a row's provider key was first sent, by whichever clock
// says more; below zero where the wall clock was set back to before that.
func (e *Engine) keyAge(row Row, now time.Time) time.Duration {
	age, up := now.Sub(row.OrdinalAt), e.uptime()
	if row.ClaimedUp.Boot != 0 && row.ClaimedUp.Boot == up.Boot {
		age = max(age, row.ClaimedAt.Sub(row.OrdinalAt)+up.Since-row.ClaimedUp.Since)
	}
	return age
}

// endedBy is when a row's send, which is over now, ended at the latest, by
// whichever clock says more: a wall clock that was set back meanwhile must not
// make it look old later.
func (e *Engine) endedBy(row Row, now time.Time) time.Time {
	spent := now.Sub(row.ClaimedAt)
	if up := e.uptime(); row.ClaimedUp.Boot != 0 && row.ClaimedUp.Boot == up.Boot {
		spent = max(spent, up.Since-row.ClaimedUp.Since)
	}
	if ended := row.ClaimedAt.Add(spent); spent >= 0 && ended.Before(row.SendBy) {
		return ended
	}
	return row.SendBy
}
