package simulate

import "time"

// Scenario is what exists, and what happens to it. Its YAML has these keys; docs/operations.md explains them. Shares and
// points of time are from 0 to 1, of all requests or of the simulated time.
type Scenario struct {
	Hours    float64 // simulated time, 0.1 to 8784
	Requests int64   // of users, about; a retry is not counted again

	// Producers says who speaks: collector, one process for all; or instances, every engine and gateway for itself, with a
	// new boot after each restart, and one process for samples of GPUs, nodes and Kubernetes.
	Producers string
	Placement Placement
	Samples   Samples
	Traffic   Traffic
	Clients   Clients
	Gateway   Gateway
	Physics   Physics
	Cache     Cache
	Tenants   int // the n-th has 1/n of the traffic of the first

	Deployments []Deployment
	Classes     []Class
	Incidents   []Incident
}

// Placement names where the fleet stands.
type Placement struct{ Namespace, Cluster, Region string }

// Samples is how often what is sampled; 0 is never. GPU is a multiple of Engine.
type Samples struct {
	Engine, GPU, Node, Kube time.Duration
	Probe                   time.Duration // between health probes of an engine
	Steps                   bool          // tell runs of passes
	Moments                 bool          // tell each moment of a request when it happens; else all of them in its last event
}

// Traffic is the shape of the traffic over time, UTC.
type Traffic struct {
	Swing    float64 // of a day about its mean: 0.6 is from 0.4 to 1.6
	PeakHour float64 `yaml:"peak_hour"`
	Weekend  float64 // load of Saturday and Sunday against the other days; 0 counts as 1
	Bursts   []Burst
}

// Burst is a time with more sessions, or fewer.
type Burst struct {
	At     float64
	For    time.Duration
	Factor float64
}

// Clients is what users and their programs do beside waiting for the answer.
type Clients struct {
	Cancelled     float64       // share that leaves within the answer, and whose engine is told so
	UnheardTokens float64       `yaml:"unheard_tokens"` // that the engine still gives them, on average
	Disconnected  float64       // share that leaves within the answer while the engine goes on to its end
	Impatient     float64       // share that leaves when there is no token after Patience
	Patience      time.Duration //
	Failed        float64       // share that ends in an error of the engine
	Retries       int64         // attempts after a rejection or an error
	RetryAfter    time.Duration `yaml:"retry_after"` // doubles with each attempt
}

// Gateway stands before the engines. With no instances there is none, and clients talk to the engines.
type Gateway struct {
	Instances int
	Hop       time.Duration // each way
	Timeout   time.Duration // of a whole request; 0: none
	Limit     int64         // requests under way for each ready engine, beyond which it answers 429; 0: none
}

// Physics is how engines depart from their profiles.
type Physics struct {
	Quadratic bool          // count the attention of prompts to themselves
	Reserve   bool          // reserve KV tokens at admission, so that nothing is preempted
	Noise     float64       // sigma of a lognormal factor of each pass, 0 to 0.05
	Drift     float64       // amplitude of a slow sine of each engine's speed, 0 to 0.1
	Period    time.Duration // of that sine
	Spread    float64       // sigma of a lognormal factor that an engine's GPUs have for good, 0 to 0.2
}

// Cache is the prefix cache of an engine.
type Cache struct {
	Blocks      int64 // 0: none
	BlockTokens int64 `yaml:"block_tokens"`
}

// Deployment is engines that serve one model.
type Deployment struct {
	Name    string
	Share   int64 // of the sessions, beside the others' shares
	Profile string

	Engines   int     // how many; 0: at least two, and enough for PerEngine
	PerEngine float64 `yaml:"per_engine"` // requests a second that one engine is planned for
	Startup   time.Duration

	PrefillEngines int     `yaml:"prefill_engines"` // these compute prompts and Engines decode; 0: engines do both
	Network        float64 // Gbit/s between them

	KVTokens    int64 `yaml:"kv_tokens"` // of an engine; 0: the profile's
	Speculation Speculation
	Autoscale   Autoscale
	Rollout     []Version
}

// Speculation is decoding with drafts; none without Tokens.
type Speculation struct {
	Tokens int64 // drafts of a sequence and pass
	Accept float64
	Time   time.Duration // that making them adds to a pass
}

// Autoscale changes the number of engines; none without Max.
type Autoscale struct {
	Min, Max  int
	Target    float64       // requests under way for each engine
	Every     time.Duration // between decisions
	DownAfter time.Duration `yaml:"down_after"` // how long fewer must do before one goes
}

// Version is a version of a deployment's model.
type Version struct {
	Name  string
	From  float64 // when it begins to serve
	Speed float64 // time of its work against the profile's
}

// Class is a kind of request. Lengths are lognormal.
type Class struct {
	Name   string
	Share  int64   // of the sessions, beside the others' shares
	Turns  float64 // of a session, on average
	Shared int64   // tokens of the prompt that all sessions of the class begin with

	Prompt, Output float64       // median tokens: of what a turn adds, of an answer
	PromptSpread   float64       `yaml:"prompt_spread"` // sigma
	OutputSpread   float64       `yaml:"output_spread"`
	MaxOutput      int64         `yaml:"max_output"` // tokens
	Think          time.Duration // between an arrival and the next turn, on average
}

// Incident is something that goes wrong: with one engine of a deployment, or with all.
type Incident struct {
	Kind       string
	At         float64
	For        time.Duration
	Deployment string
	Engine     int     // index among the deployment's engines of then; -1: all
	Factor     float64 // how bad; each kind has its own meaning and default
	Code       int64   // Xid
}
