package jobs

import "slices"

// Shipped are the jobs that there are without being asked for, with those of a configuration: one of the same name takes its
// place.
func Shipped(configured []Job) []Job {
	all := slices.DeleteFunc(slices.Clone(shipped), func(j Job) bool {
		return slices.ContainsFunc(configured, func(c Job) bool { return c.Name == j.Name })
	})
	return append(all, configured...)
}

// byTeamAndModel is what a day or a week costs. A team is a tenant or a request class, whichever the events say.
var byTeamAndModel = []Report{
	{Name: "cost_by_tenant", Params: map[string]string{"by": "tenant"}, Compare: []string{"usd", "gpu_hours"}},
	{Name: "cost_by_tenant", As: "cost_by_class", Params: map[string]string{"by": "request_class"}, Compare: []string{"usd", "gpu_hours"}},
	{Name: "cost_per_token", As: "cost_by_model", Params: map[string]string{"by": "model"}, Compare: []string{"usd", "usd_per_million_tokens"}},
	{Name: "unpriced"},
}

var shipped = []Job{
	{Name: "daily_cost", Schedule: "0 6 * * *", Period: Day, Reports: byTeamAndModel},
	{Name: "weekly_cost", Schedule: "0 7 * * 1", Period: Week, CatchUp: 8, Reports: byTeamAndModel},
	{Name: "monthly_statement", Schedule: "0 8 2 * *", Period: Month, CatchUp: 12, Attach: []string{"focus"}, Reports: []Report{
		{Name: statement},
		{Name: "cost_by_tenant", Params: map[string]string{"by": "tenant"}, Compare: []string{"usd", "gpu_hours"}},
		{Name: "cost_per_token", As: "cost_by_model", Params: map[string]string{"by": "model"}, Compare: []string{"usd", "usd_per_million_tokens"}},
		{Name: "cost_change"},
		{Name: "unpriced"},
	}},
}
