//go:build !race

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// demoLake is the data of a short simulated day.
func demoLake(t *testing.T) lake {
	t.Helper()
	l := newLake(t)
	l.run("demo", "--hours", "2", "--requests", "3000")
	dirs, err := filepath.Glob(filepath.Join(l.data, "demo-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	return lake{t, dirs[0]}
}

// What is exported of a simulated day passes every rule and adds up to what was paid; a file in which a cost was changed is refused,
// with the rule, the row and the column. Prices are changed while it is there, also through serve.
func TestExportOfASimulatedDay(t *testing.T) {
	l := demoLake(t)
	file := filepath.Join(t.TempDir(), "day.csv")
	export := func(args ...string) string {
		return l.run(append([]string{"export", "focus", "--from", "2020-01-01", "--to", "2100-01-01", "-o", file}, args...)...)
	}
	paid := func() string { return l.sql("SELECT sum(usd) AS usd FROM v1.allocations").maps()[0]["usd"] }

	l.contains(export(), " charges of "+paid()+" USD")
	l.contains(l.run("verify", "focus", file), "held: ")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.csv")
	cost, _, _ := strings.Cut(strings.SplitN(string(content), "\r\n", 3)[1], ",")
	if err := os.WriteFile(broken, []byte(strings.Replace(string(content), "\n"+cost+",", "\n1"+cost+",", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := l.try("verify", "focus", broken); !errors.Is(err, errBroken) || !strings.Contains(out, "split-sum: row 2, column BilledCost") {
		t.Errorf("a changed cost: %v\n%s", err, out)
	}
	l.contains(export("--by", "tenant", "--rows", "allocated"), " 0 charges ")
	l.contains(l.run("verify", "focus", "--rules"), "list-cost", "ratio-sum")

	l.run("seal", "day", "--from", "2020-01-01", "--to", "2100-01-01")
	was := paid()
	l.run("prices", "set", "1.5", "--gpu-type", "H100", "--variant", "contracted", "--from", "2020-01-01", "--source", "deal")
	contracted := paid()
	l.contains(export(), " charges of "+contracted+" USD")
	l.contains(export("--as-of", "day"), " charges of "+was+" USD")
	change := l.sql("SELECT " + contracted + "::DECIMAL(38, 12) - " + was + "::DECIMAL(38, 12) AS usd").maps()[0]["usd"]
	l.contains(l.run("export", "focus", "--corrections", "day", "-o", file), " charges of "+change+" USD, 0 rows that split them")
	l.contains(l.run("verify", "focus", file), "held: ")
	c := l.serve()
	l.run("prices", "use", "list")
	l.same("at list prices", paid(), was)
	l.run("prices", "use", "effective")
	l.same("at the best known", paid(), contracted)
	l.contains(l.run("prices", "list", "--format", "csv"), "deal", "contracted")
	l.run("prices", "drop", "deal")
	l.same("without the deal", paid(), was)
	l.fails([]string{"prices", "drop", "deal"}, "cannot drop the prices of \"deal\"")
	c.stop()
	l.fails([]string{"prices", "set", "2.95.1", "--gpu-type", "H100", "--from", "2026-01-01"}, `the price cannot be "2.95.1"`)
	l.fails([]string{"prices", "set", "2.95", "--gpu-type", "H100", "--from", "soon"}, `--from "soon" is no date`)
}

// Catalogues as providers print them: nebius and lambda in SkyPilot's form, OpenCost's defaults.
func TestCatalogues(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"skypilot_nebius_v8_excerpt.csv", "skypilot_lambda_v8_excerpt.csv", "opencost_default.json"} {
		files[name] = traces(t, "prices", name)
	}
	l := demoLake(t)
	for name, file := range files {
		format, _, _ := strings.Cut(name, "_")
		l.contains(l.run("prices", "import", file, "--format", format, "--from", "2026-01-01"), `from source "`+name+`"`)
	}
	got := map[string]string{}
	for _, p := range l.sql("SELECT price_key, region, kind, usd_per_hour FROM v1.prices WHERE source <> 'price list'").maps() {
		got[strings.Join([]string{p["price_key"], p["region"], p["kind"]}, " ")] = p["usd_per_hour"]
	}
	for what, usd := range map[string]string{
		"gpu-h100-sxm_8gpu-128vcpu-1600gb eu-north1 on_demand": "2.950000000000", "gpu-h100-sxm_8gpu-128vcpu-1600gb eu-north1 spot": "1.250000000000",
		"gpu-l40s-d_2gpu-64vcpu-384gb eu-north1 on_demand": "2.284400000000", "gpu-l40s-d_2gpu-64vcpu-384gb eu-north1 spot": "",
		"gpu_8x_h100_sxm5 us-east-1 on_demand": "3.990000000000", "gpu_2x_b200_sxm6 us-east-1 on_demand": "6.890000000000",
		"gpu_8x_v100 us-east-1 on_demand": "0.790000000000", "  on_demand": "0.950000000000",
	} {
		if got[what] != usd {
			t.Errorf("%s costs %q, want %q", what, got[what], usd)
		}
	}
}
