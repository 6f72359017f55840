package workload

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/inferlake/inferlake/stream"
)

// The moments of a request's life, in order. A few events tell of progress.
var phases = [...]stream.Phase{stream.PhaseReceived, stream.PhaseQueued, stream.PhaseScheduled, stream.PhaseFirstToken,
	stream.PhaseTokens, stream.PhaseTokens, stream.PhaseTokens, stream.PhaseTokens, stream.PhaseFinished}

const (
	first    = 3 // places in phases
	finished = len(phases) - 1
)

// request is one request: everything about it follows from its number.
type request struct {
	number                 int64
	luck                   uint64
	instance               int
	adapter, class         int
	prompt, cached, output int64
	at                     [len(phases)]int64 // ns since 1970
}

const (
	instances = 32
	adapters  = 2
	classes   = 4

	// Groups is the number of combinations of dimensions.
	Groups = instances * adapters * classes
	// Partitions is the number of partitions over which the producers spread evenly. Each has one lane.
	Partitions = 4

	millisecond = int64(1e6)
	second      = int64(1e9)

	// Start is when the first request arrives, ns: 2025-01-01.
	Start = 1_735_689_600 * second
)

// mix spreads a number over 64 bits (splitmix64).
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// requestOf works out a request that lives life on average.
func requestOf(number, gap, life int64) (r request) {
	r.number, r.luck = number, mix(uint64(number))
	u := r.luck
	r.instance, u = int(u%instances), u/instances
	r.adapter, u = int(u%adapters), u/adapters
	r.class, u = int(u%classes), u/classes
	r.prompt, u = 100+int64(u%4000), u/4000
	r.cached = r.prompt / 3
	r.output = 40 + int64(u%900)
	r.times(Start+number*gap, life)
	return r
}

// times sets the moments: the wait and the prefill vary, the rest of the life goes to the tokens.
func (r *request) times(arrival, life int64) {
	u := mix(r.luck)
	r.at[0] = arrival
	r.at[1] = arrival + 200_000
	r.at[2] = r.at[1] + millisecond + int64(u%uint64(400*millisecond))
	r.at[first] = r.at[2] + 20*millisecond + r.prompt*80_000
	end := arrival + life*4/5 + int64(u>>20%uint64(life*2/5))
	for i := first + 1; i <= finished; i++ {
		r.at[i] = r.at[first] + (end-r.at[first])*int64(i-first)/int64(finished-first)
	}
}

// group is the request's combination of dimensions.
func (r *request) group() int { return (r.instance*adapters+r.adapter)*classes + r.class }

// names are the texts of a fleet, made once.
type names struct {
	instance, producer, boot, model, version [instances]string
	lane                                     [instances]int64
}

var (
	adapterNames = [adapters]string{"", "support-lora"}
	classNames   = [classes]string{"chat", "code", "batch", "agents"}
)

func newNames() (n names) {
	for i := range instances {
		n.instance[i] = fmt.Sprintf("vllm-%02d.prod.cluster-a", i)
		n.producer[i] = n.instance[i]
		n.lane[i] = laneTo(n.producer[i], i%Partitions)
		n.boot[i] = uuid(mix(uint64(i)^0xb007), uint64(i))
		n.model[i] = [...]string{"meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.3-70B-Instruct", "Qwen/Qwen3-32B", "mistralai/Mixtral-8x7B"}[i%4]
		n.version[i] = [...]string{"2025-01-15", "2025-02-01"}[i/4%2]
	}
	return n
}

// uuid is an id of 36 characters.
func uuid(a, b uint64) string {
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", uint32(a>>32), uint16(a>>16), uint16(a), uint16(b>>48), b&0xffffffffffff)
}

// ids are the texts that each request has of its own, written into one buffer.
type ids struct{ buf [36 + 32]byte }

func (b *ids) of(r *request) (id, trace string) {
	hi, lo := mix(r.luck^1), mix(r.luck^2)
	var raw [32]byte
	hexDigits(raw[:16], hi)
	hexDigits(raw[16:], lo)
	out := b.buf[:0]
	for i, c := range raw {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			out = append(out, '-')
		}
		out = append(out, c)
	}
	hexDigits(raw[:16], lo^r.luck)
	hexDigits(raw[16:], hi^r.luck)
	out = append(out, raw[:]...)
	all := string(out)
	return all[:36], all[36:]
}

func hexDigits(dst []byte, v uint64) {
	var b [8]byte
	for i := range b {
		b[i] = byte(v >> (56 - 8*i))
	}
	hex.Encode(dst, b[:])
}

// laneTo is the lane that brings a producer's records to a partition: they go to the one that Kafka's clients hash the
// producer's name to, plus the lane.
func laneTo(producer string, partition int) int64 {
	hashed := int(murmur2([]byte(producer)) & 0x7fffffff % Partitions)
	return int64((partition - hashed + Partitions) % Partitions)
}

// murmur2 is the hash of Kafka's clients.
func murmur2(b []byte) uint32 {
	const m = 0x5bd1e995
	h := 0x9747b28c ^ uint32(len(b))
	for ; len(b) >= 4; b = b[4:] {
		k := binary.LittleEndian.Uint32(b) * m
		h = h*m ^ (k^k>>24)*m
	}
	for i := len(b) - 1; i >= 0; i-- {
		h ^= uint32(b[i]) << (8 * i)
	}
	if len(b) > 0 {
		h *= m
	}
	h = (h ^ h>>13) * m
	return h ^ h>>15
}
