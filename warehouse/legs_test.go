package warehouse

import (
	"context"
	"fmt"
	"testing"
)

// A choice stays until another is made or it is taken back, and a seal keeps the choices of its time.
func TestCountingLegsAreKept(t *testing.T) {
	w := open(t, t.TempDir())
	ctx := context.Background()
	choose := func(roles map[string]string) {
		t.Helper()
		if err := w.SetCountingLegs(ctx, roles); err != nil {
			t.Fatal(err)
		}
	}
	choose(map[string]string{"chat": "engine", "code": "decode"})
	if _, err := w.Seal(ctx, november); err != nil {
		t.Fatal(err)
	}
	choose(map[string]string{"chat": "gateway", "code": ""})
	const query = "FROM counting_legs ORDER BY ALL"
	now, err := w.Query(ctx, query, nil)
	if got := fmt.Sprint(now.Rows); err != nil || got != "[[chat gateway]]" {
		t.Errorf("chosen are %s, %v", got, err)
	}
	then, err := w.QueryAt(ctx, november.Name, query, nil)
	if got := fmt.Sprint(then.Rows); err != nil || got != "[[chat engine] [code decode]]" {
		t.Errorf("at the seal chosen were %s, %v", got, err)
	}
}
