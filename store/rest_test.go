package store_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"counterfoil/intent"
	"counterfoil/store"
)

// fullRow has every field that is kept in the column rest.
func fullRow() intent.Row {
	return intent.Row{
		CreatedAt: now, Step: 1, Parent: key(1), Retry: intent.RetryWait, Evidence: intent.EvidenceLookup, Released: true,
		Status: "succeeded", Final: true, EffectAt: now.Add(time.Second), Sends: 2, Ambiguous: 1, Ordinal: 3,
		OrdinalAt: now.Add(-time.Hour), Closed: true, Stored: true, Nonce: "0e2ee3d9-37ee-43b8-9f11-8ba3f9790a3f",
		ClaimedAt: now, ClaimedUp: intent.Uptime{Boot: 5, Since: time.Minute}, SendBy: now.Add(5 * time.Second), SenderDone: true,
		WatchUntil: now.Add(time.Minute), RetryAt: now.Add(2 * time.Second), Sweeps: 4, Reopened: true, RepeatAllowed: true,
		ConfirmedAt: now.Add(time.Minute),
	}
}

// TestRestIsPartOfTheSchema fails where a file that is there would read otherwise.
func TestRestIsPartOfTheSchema(t *testing.T) {
	t.Parallel()
	row := fullRow()
	packed, err := store.PackRest(&row)
	if err != nil {
		t.Fatal(err)
	}
	const want = "0102" + "02c7bf3541d01eb7111323f618ebe0cf43d7a9adba7b86584418b13220e1ae3395" + "0316" + "0406" + "05" + "0622" + "07" +
		"08d00f" + "0904" + "0a02" + "0b06" + "0cffb9b703" + "0d" + "0e" + "0f030e2ee3d937ee43b89f118ba3f9790a3f" + "1000" +
		"110a" + "12c0a907" + "13904e" + "14" + "15c0a907" + "16a01f" + "1708" + "18" + "19" + "1ac0a907"
	if got := hex.EncodeToString(packed); got != want {
		t.Errorf("a row is written as\n%s, want\n%s", got, want)
	}
}

func TestRestComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := func(name string) time.Time {
			if rapid.Bool().Draw(t, name+" is none") {
				return time.Time{}
			}
			return time.UnixMilli(rapid.Int64Range(-1e15, 1e15).Draw(t, name)).UTC()
		}
		text := func(name string) string {
			return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
				"succeeded", "never", "0e2ee3d9-37ee-43b8-9f11-8ba3f9790a3f", "0E2EE3D9-37EE-43B8-9F11-8BA3F9790A3F", "{0e2ee3d9-37ee-43b8-9f11-8ba3f9790a3f}",
			})).Draw(t, name)
		}
		row := intent.Row{
			CreatedAt: at("created"), Step: rapid.Int().Draw(t, "step"), Retry: intent.Retry(text("retry")), Evidence: intent.Evidence(text("evidence")),
			Released: rapid.Bool().Draw(t, "released"), Status: text("status"), Final: rapid.Bool().Draw(t, "final"), EffectAt: at("effect"),
			Sends: rapid.Int().Draw(t, "sends"), OrdinalAt: at("ordinal"), Nonce: text("nonce"), ClaimedAt: at("claimed"),
			ClaimedUp: intent.Uptime{Boot: rapid.Int64().Draw(t, "boot"), Since: time.Duration(rapid.Int32().Draw(t, "up")) * time.Millisecond},
			SendBy:    at("send by"), WatchUntil: at("watch"), RetryAt: at("retry at"), ConfirmedAt: at("confirmed"),
		}
		copy(row.Parent[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "parent"))
		packed, err := store.PackRest(&row)
		if err != nil {
			t.Fatal(err)
		}
		got := intent.Row{CreatedAt: row.CreatedAt}
		if err := store.UnpackRest(packed, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(row, got); diff != "" {
			t.Errorf("(-written +read):\n%s", diff)
		}
	})
}

// FuzzRest reads anything: what is damaged is an error, not a panic, and what can
// be read is written again as something that reads the same.
func FuzzRest(f *testing.F) {
	row := fullRow()
	packed, err := store.PackRest(&row)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Add(packed[:len(packed)-3])
	f.Add([]byte{15, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		var once, twice intent.Row
		if err := store.UnpackRest(b, &once); err != nil {
			return
		}
		packed, err := store.PackRest(&once)
		if err != nil {
			t.Fatal(err)
		}
		if err := store.UnpackRest(packed, &twice); err != nil {
			t.Fatal(err)
		}
		if once != twice {
			t.Errorf("%+v was written, %+v read", once, twice)
		}
	})
}
