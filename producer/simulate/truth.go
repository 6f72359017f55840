package simulate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/inferlake/inferlake/producer/stepmodel"
	"github.com/inferlake/inferlake/stream"
)

// ledger writes what truly was: a line of JSON a leg on an engine (row: request), a boot of an engine (instance), an
// incident, and a version's constants (physics). Times are ns since 1970, GPU times ns of an instance, whatever its GPUs.
type ledger struct {
	w *bufio.Writer // nil: nobody wants it
}

func newLedger(w io.Writer) *ledger {
	if w == nil {
		return &ledger{}
	}
	return &ledger{w: bufio.NewWriterSize(w, 1<<20)}
}

func (t *ledger) on() bool { return t.w != nil }

func (t *ledger) write(row any) error {
	line, err := json.Marshal(row)
	if err == nil {
		_, err = t.w.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("cannot write the truth: %w", err)
	}
	return nil
}

func (t *ledger) close() error {
	if !t.on() {
		return nil
	}
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("cannot write the truth: %w", err)
	}
	return nil
}

// requestRow is a leg. The parts of gpu_ns are prefill, decode and cached (reading the cached part of the prompt); inside
// the whole lie recompute_ns, unheard_ns (after the client left) and rejected_ns (drafts that were wrong).
type requestRow struct {
	Row        string `json:"row"`
	Instance   string `json:"instance"`
	Boot       string `json:"boot"`
	Role       string `json:"role"`
	RequestID  string `json:"request_id"`
	Attempt    int64  `json:"attempt"`
	Ordinal    int64  `json:"ordinal"`
	Deployment string `json:"deployment"`
	Model      string `json:"model"`
	Version    string `json:"model_version"`
	Class      string `json:"request_class"`
	Tenant     string `json:"tenant"` // the hash, as v1.requests shows it
	Probe      bool   `json:"probe"`
	Outcome    string `json:"outcome"`

	Prompt      int64 `json:"prompt_tokens"`
	Cached      int64 `json:"cached_tokens"`
	Output      int64 `json:"output_tokens"`
	Unheard     int64 `json:"unheard_tokens"`
	Recomputed  int64 `json:"recomputed_tokens"`
	Preemptions int64 `json:"preemptions"`
	Drafted     int64 `json:"drafted_tokens"`
	Accepted    int64 `json:"accepted_tokens"`

	GPU       int64 `json:"gpu_ns"`
	Prefill   int64 `json:"prefill_ns"`
	Decode    int64 `json:"decode_ns"`
	CachedNS  int64 `json:"cached_ns"`
	Recompute int64 `json:"recompute_ns"`
	UnheardNS int64 `json:"unheard_ns"`
	Rejected  int64 `json:"rejected_ns"`
}

func (t *ledger) leg(l *leg, use *stepmodel.Use) error {
	if !t.on() {
		return nil
	}
	if use == nil {
		use = &stepmodel.Use{}
	}
	s, e, g := l.seat, &l.end, &use.Spent
	r := requestRow{
		Row: "request", Instance: s.in.Name, Boot: s.boot(), Role: s.in.Role.String(), RequestID: l.ID, Attempt: l.Attempt, Ordinal: l.Ordinal,
		Deployment: s.in.Deployment, Model: l.Model, Version: l.Version, Class: l.Class, Tenant: fmt.Sprintf("%016x", uint64(l.Tenant)), Probe: l.Probe,
		Outcome: e.Outcome.String(), Prompt: e.Prompt, Cached: max(0, e.Cached), Output: use.Output, Recomputed: use.Recomputed,
		Preemptions: use.Preemptions, Drafted: use.Drafted, Accepted: use.Accepted,
		GPU: g.Total(), Prefill: g.Prefill, Decode: g.Decode, CachedNS: g.Cached, Recompute: g.Recompute, UnheardNS: g.Unheard, Rejected: g.Rejected,
	}
	if left := l.call.fate.leaves; left > 0 && l.pool.role != stream.RolePrefill {
		r.Unheard = max(0, use.Output-left)
	}
	return t.write(r)
}

// instanceRow is a boot: startup + busy + idle = until its end; down is from there to the next boot on its GPUs.
type instanceRow struct {
	Row        string `json:"row"`
	Instance   string `json:"instance"`
	Boot       string `json:"boot"`
	Role       string `json:"role"`
	Deployment string `json:"deployment"`
	Version    string `json:"model_version"`
	GPUType    string `json:"gpu_type"`
	GPUs       int64  `json:"gpus"`
	Started    int64  `json:"started_ns"`
	Ready      int64  `json:"ready_ns"` // 0: never
	Ended      int64  `json:"ended_ns"`
	Startup    int64  `json:"startup_ns"`
	Busy       int64  `json:"busy_ns"`
	Idle       int64  `json:"idle_ns"`
	Down       int64  `json:"down_ns"`
	Passes     int64  `json:"passes"`
	PeakKV     int64  `json:"peak_kv_tokens"`
	PeakBatch  int64  `json:"peak_running"`
	PeakQueue  int64  `json:"peak_waiting"`

	Speed float64 `json:"speed"` // time of its passes against the profile's, for good
}

func (t *ledger) instance(s *seat) error {
	if !t.on() {
		return nil
	}
	f, st := &s.life, &s.stats
	r := instanceRow{
		Row: "instance", Instance: s.in.Name, Boot: s.boot(), Role: s.in.Role.String(), Deployment: s.in.Deployment, Version: s.in.Version,
		GPUType: s.pool.profile.GPUType, GPUs: s.pool.profile.GPUs, Started: f.started * 1000, Ready: f.ready * 1000, Ended: f.ended * 1000,
		Busy: st.Busy * 1000, Down: (f.next - f.ended) * 1000, Passes: st.Passes,
		PeakKV: st.PeakKV, PeakBatch: st.PeakRunning, PeakQueue: st.PeakWaiting, Speed: s.spread,
	}
	ready := f.ready
	if ready == 0 {
		ready = f.ended
	}
	r.Startup = (ready - f.started) * 1000
	r.Idle = (f.ended-ready)*1000 - r.Busy
	return t.write(r)
}

// boot is the id of a seat's boot as its events say it.
func (s *seat) boot() string { return s.voice.Boot() }

type incidentRow struct {
	Row        string   `json:"row"`
	Kind       string   `json:"kind"`
	Deployment string   `json:"deployment"`
	Objects    []string `json:"objects"`
	Factor     float64  `json:"factor"`
	From       int64    `json:"from_ns"`
	To         int64    `json:"to_ns"`
}

func (t *ledger) incident(n *incident, at int64) error {
	if !t.on() {
		return nil
	}
	return t.write(incidentRow{"incident", n.Kind, n.Deployment, n.objects(), n.Factor, n.begun * 1000, at * 1000})
}

// physicsRow is the true constants of a version: ps, but alpha.
type physicsRow struct {
	Row        string `json:"row"`
	Deployment string `json:"deployment"`
	Version    string `json:"model_version"`
	Role       string `json:"role"`
	GPUType    string `json:"gpu_type"`
	Alpha      int64  `json:"alpha_ps"`
	Prompt     int64  `json:"beta_p_ps"`
	Context    int64  `json:"beta_x_ps"` // of a unit of X = Σ p·(c + p/2)
	Decode     int64  `json:"beta_d_ps"`
	KV         int64  `json:"beta_k_ps"`
	KVTokens   int64  `json:"kv_tokens"`
	Sequences  int64  `json:"max_sequences"`
	Batched    int64  `json:"max_batched_tokens"`
}

func (t *ledger) physics(p *pool, quadratic bool) error {
	if !t.on() {
		return nil
	}
	c := &p.profile
	r := physicsRow{Row: "physics", Deployment: p.gen.service.deployment.Name, Version: p.gen.version.Name, Role: p.role.String(), GPUType: c.GPUType,
		Alpha: c.A * 1_000_000, Prompt: c.B, Decode: c.N, KV: c.D, KVTokens: c.KVTokens, Sequences: c.MaxSequences, Batched: c.MaxBatchedTokens}
	if quadratic {
		r.Context = 2 * c.E
	}
	return t.write(r)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
