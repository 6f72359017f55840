package simulate

import "github.com/inferlake/inferlake/producer/stepmodel"

// Scenario is what exists.
type Scenario struct {
	Deployments []Deployment
	Classes     []Class
	Tenants     int // the n-th has 1/n of the traffic of the first

	CancelledPPM int64 // requests whose client leaves before the end, millionths
	FailedPPM    int64 // requests that end in an error

	CacheBlocks int64 // prefix cache of an engine, blocks of BlockTokens
	BlockTokens int64

	Namespace, Cluster, Region string
}

// Deployment is engines that serve one model.
type Deployment struct {
	Name    string
	Share   int64 // of the sessions, beside the others' shares
	Profile string
	PerSec  float64 // requests a second that one engine is planned for; there are at least two
	Rollout []Version
}

// Version is a version of a deployment's model.
type Version struct {
	Name  string
	From  float64 // share of the simulated time after which it serves
	Speed int64   // time of its work against the profile's, per cent
}

// Class is a kind of request. Lengths are lognormal.
type Class struct {
	Name   string
	Share  int64   // of the sessions, beside the others' shares
	Turns  float64 // of a session, on average
	Shared int64   // tokens of the prompt that all sessions of the class begin with

	Prompt, Output          float64 // median tokens: of what a turn adds, of an answer
	PromptSpread, OutSpread float64 // sigma
	MaxOutput               int64   // tokens
	ThinkSeconds            float64 // between an arrival and the next turn, on average
}

// Default is two models on two types of GPU, the smaller one going from one version to the next half-way.
func Default() Scenario {
	return Scenario{
		Deployments: []Deployment{
			{Name: "chat-8b", Share: 70, Profile: stepmodel.DefaultProfile, PerSec: 4,
				Rollout: []Version{{Name: "2024-07", Speed: 100}, {Name: "2024-09", From: 0.5, Speed: 90}}},
			{Name: "assist-70b", Share: 30, Profile: "a100-llama3-70b-tp4", PerSec: 0.8,
				Rollout: []Version{{Name: "2024-07", Speed: 100}}},
		},
		Classes: []Class{
			{Name: "chat", Share: 60, Turns: 4, Shared: 512, Prompt: 120, PromptSpread: 0.9, Output: 180, OutSpread: 0.7, MaxOutput: 1024, ThinkSeconds: 60},
			{Name: "search", Share: 25, Turns: 1, Shared: 256, Prompt: 1800, PromptSpread: 0.5, Output: 160, OutSpread: 0.5, MaxOutput: 512, ThinkSeconds: 30},
			{Name: "code", Share: 15, Turns: 3, Shared: 1024, Prompt: 500, PromptSpread: 1.0, Output: 140, OutSpread: 0.9, MaxOutput: 2048, ThinkSeconds: 90},
		},
		Tenants:      12,
		CancelledPPM: 10_000, FailedPPM: 5_000,
		CacheBlocks: 3_000, BlockTokens: 128,
		Namespace: "inference", Cluster: "sim", Region: "sim-1",
	}
}
