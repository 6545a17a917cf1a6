package tools_test

import (
	"testing"

	"counterfoil/schemas"
	"counterfoil/tools"
)

func TestParseKeyValues(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	schema := set.Input("issue_refund")
	tests := []struct {
		name  string
		pairs []string
		want  string
	}{
		{"nothing", nil, `{}`},
		{"text and integer", []string{"order_id=SU-88421", "amount_cents=11800"}, `{"order_id":"SU-88421","amount_cents":11800}`},
		{"the first =", []string{"reason=a=b"}, `{"reason":"a=b"}`},
		{"an empty value", []string{"reason="}, `{"reason":""}`},
		{"digits that are text", []string{"order_id=123"}, `{"order_id":"123"}`},
		{"quotes are text", []string{`reason="so" he said`}, `{"reason":"\"so\" he said"}`},
		{"list", []string{"units=1,2"}, `{"units":[1,2]}`},
		{"list in brackets", []string{"units=[1, 2]"}, `{"units":[1,2]}`},
		{"list of one", []string{"units=1"}, `{"units":[1]}`},
		{"empty list", []string{"units=[]"}, `{"units":[]}`},
		{"no integer is left for Decode to refuse", []string{"amount_cents=118.00"}, `{"amount_cents":"118.00"}`},
		{"no integer in a list", []string{"units=1,x"}, `{"units":[1,"x"]}`},
		{"leading nought", []string{"amount_cents=011800"}, `{"amount_cents":"011800"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tools.ParseKeyValues(schema, tt.pairs)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParseKeyValuesRefuses(t *testing.T) {
	t.Parallel()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, pair, want string }{
		{"no =", "order_id", `"order_id": write key=value`},
		{"no key", "=SU-88421", `"=SU-88421": write key=value`},
		{"unknown key", "order=SU-88421", "order: unknown; known are order_id"},
		{"invalid UTF-8", "order_id=\xff", "order_id: its value is not valid UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tools.ParseKeyValues(set.Input("get_order"), []string{tt.pair})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := tools.ParseKeyValues(set.Input("get_order"), []string{"order_id=1", "order_id=2"}); err == nil {
		t.Error("a key given twice was taken")
	}
}
