package aggregate

import "github.com/inferlake/inferlake/stream"

// dimCache finds the window dimensions of a request by the words that it has, without looking its names up. It holds only
// names that were admitted, and is emptied when any gives up its place. It is a cache: an empty one changes nothing.
type dimCache struct {
	known map[dimWords]dimEntry
	freed int64 // of all dimensions, when it was emptied last
}

// dimWords are a request's dimensions as words.
type dimWords struct {
	role                                            stream.Role
	instance, model, version, adapter, requestClass uint32
}

// texts are the dimensions as texts.
func (d *dimWords) texts(w *words) [len(dimensions{})]string {
	return [...]string{nameInstance: w.texts[d.instance], nameModel: w.texts[d.model], nameVersion: w.texts[d.version],
		nameAdapter: w.texts[d.adapter], nameClass: w.texts[d.requestClass]}
}

type dimEntry struct {
	id   int32
	last [len(dimensions{})]*int64 // when each name was seen last; nil for one that is always admitted
}

// dimCacheMost bounds the cache; what does not fit is looked up each time.
const dimCacheMost = 1 << 16

// dimWords looks the request's dimensions up as words.
func (q *requests) dimWords(r *Request) dimWords {
	word := func(f stream.Field) uint32 {
		if !r.has(f) {
			return 0
		}
		slot := textSlot[index(f)]
		if r.word[slot] == 0 {
			r.word[slot] = q.words.number(r.text[slot])
		}
		return r.word[slot]
	}
	if r.names[3] == 0 {
		r.names[3] = q.words.number(r.id.instance)
	}
	return dimWords{r.id.role, r.names[3], word(stream.RequestModel), word(stream.RequestModelVersion),
		word(stream.RequestAdapter), word(stream.RequestRequestClass)}
}

// find returns the id of dimensions that are known, whose names are seen again.
func (c *dimCache) find(w dimWords, d *dimensions, log int64) (id int32, ok bool) {
	if freed := d.freed(); freed != c.freed {
		clear(c.known)
		c.freed = freed
	}
	e, ok := c.known[w]
	if !ok {
		return 0, false
	}
	for _, last := range e.last {
		if last != nil {
			*last = log
		}
	}
	return e.id, true
}

// add remembers dimensions that are the request's own names.
func (c *dimCache) add(w dimWords, d *dimensions, of dims, id int32) {
	if len(c.known) >= dimCacheMost {
		return
	}
	e := dimEntry{id: id}
	for i, name := range [...]string{nameInstance: of.instance, nameModel: of.model, nameVersion: of.version,
		nameAdapter: of.adapter, nameClass: of.requestClass} {
		e.last[i] = d[i].seen[name]
	}
	c.known[w] = e
}

// freed is how often names gave up their places.
func (d *dimensions) freed() (n int64) {
	for i := range d {
		n += d[i].freed
	}
	return n
}
