package proof

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inferlake/inferlake/stream"
)

// Record is a record to send.
type Record struct {
	Topic       string
	Partition   int32 // where the product's writer puts the key
	Key         string
	Timestamp   int64 // ns, whole milliseconds: Kafka keeps no more
	ContentType string
	Value       []byte
}

// Stream is the record as a log returns it.
func (r *Record) Stream(offset int64) stream.Record {
	return stream.Record{Offset: offset, Timestamp: r.Timestamp, Key: []byte(r.Key), Value: r.Value, ContentType: r.ContentType}
}

// ship sends what is due: the events of a key together, in one of the encodings.
func (l *Load) ship() (records []Record) {
	type place struct{ topic, key string }
	byPlace := map[place][]*stream.Event{}
	var places []place
	for l.send.due(l.now) {
		s := l.send.next()
		if s.pill != nil {
			records = append(records, l.shipPill(*s.pill))
			continue
		}
		p := place{topicOf(s.event), keyOf(s.event)}
		if byPlace[p] == nil {
			places = append(places, p)
		}
		byPlace[p] = append(byPlace[p], s.event)
		l.watch.sent(l.now, p.topic, partitionOf(p.key, Partitions), s, int64(l.o.Memory)*second)
	}
	for _, p := range places {
		records = append(records, l.encode(Record{Topic: p.topic, Key: p.key}, byPlace[p])...)
	}
	return records
}

func (l *Load) shipPill(r Record) Record {
	l.stamp(&r)
	l.ledger.dead(&r)
	return r
}

// stamp sets the time of sending, which a broken clock puts far ahead.
func (l *Load) stamp(r *Record) {
	r.Partition = partitionOf(r.Key, Partitions)
	r.Timestamp = l.now
	if l.chance(0.0005) {
		r.Timestamp = Broken
	}
}

// encode writes events as one record, or as one each.
func (l *Load) encode(r Record, events []*stream.Event) []Record {
	switch l.rng.IntN(4) {
	case 0:
		return []Record{l.record(r, stream.ContentColumns, columns(events), events...)}
	case 1:
		return []Record{l.record(r, stream.ContentJSON, array(events), events...)}
	case 2:
		return []Record{l.record(r, stream.ContentNDJSON, lines(events), events...)}
	}
	var records []Record
	for _, e := range events {
		records = append(records, l.record(r, stream.ContentProtobuf, stream.AppendEvent(nil, e), e))
	}
	return records
}

func (l *Load) record(r Record, contentType string, value []byte, events ...*stream.Event) Record {
	r.ContentType, r.Value = contentType, value
	l.stamp(&r)
	l.ledger.events(&r, events)
	return r
}

func columns(events []*stream.Event) []byte {
	var w stream.ColumnsWriter
	for _, e := range events {
		w.Add(e)
	}
	return w.AppendTo(nil)
}

func array(events []*stream.Event) []byte {
	b := []byte{'['}
	for i, e := range events {
		if i > 0 {
			b = append(b, ',')
		}
		b = stream.AppendJSON(b, e)
	}
	return append(b, ']')
}

func lines(events []*stream.Event) (b []byte) {
	for _, e := range events {
		b = append(stream.AppendJSON(b, e), '\n')
	}
	return b
}

// pills are values that cannot be read, each one dead letter.
var pills = []Record{
	{ContentType: stream.ContentJSON, Value: []byte(`{"producer":"engine-0","request":{"request_id":`)},
	{ContentType: stream.ContentJSON, Value: []byte(`{"producer":"engine-0","time_unix_nano":"1735689600000000000","request":{"request_id":"x","phase":"received"}}`)},
	{ContentType: stream.ContentProtobuf, Value: []byte{0x0a, 0xff, 0x01}},
	{ContentType: "application/x-unheard-of", Value: []byte("?")},
	{ContentType: stream.ContentProtobuf},
}

// poison puts a record on a key that nobody can read.
func (l *Load) poison(topic, key string) {
	p := pills[l.rng.IntN(len(pills))]
	p.Topic, p.Key, p.Value = topic, key, slices.Clone(p.Value)
	l.transmit(said{pill: &p}, 0)
}

// partitionOf is where the product's writer puts the key producer/lane: the lanes of a producer lie side by side, the
// first where Kafka's clients put the producer.
func partitionOf(key string, partitions uint32) int32 {
	producer, number, _ := strings.Cut(key, "/")
	lane, _ := strconv.ParseUint(number, 10, 31)
	return int32((murmur2(producer)&0x7fffffff%partitions + uint32(lane)) % partitions)
}

// murmur2 is the hash by which Kafka's clients place keys.
func murmur2(key string) uint32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(key))
	for ; len(key) >= 4; key = key[4:] {
		k := uint32(key[0]) | uint32(key[1])<<8 | uint32(key[2])<<16 | uint32(key[3])<<24
		k *= m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	for i := len(key) - 1; i >= 0; i-- {
		h ^= uint32(key[i]) << (8 * i)
	}
	if len(key) > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return h
}
