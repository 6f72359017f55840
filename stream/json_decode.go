package stream

import "bytes"

// jsonValues reads an object, an array of objects, or several of them with white space between.
func (d *Decoder) jsonValues(b []byte) Reason {
	s := scanner{b: b}
	if s.peek() == 0 {
		return ReasonEmpty
	}
	for s.peek() != 0 {
		ok := false
		if s.peek() == '[' {
			ok = s.elements(d.limits.Depth, func() bool { return d.jsonElement(&s, d.limits.Depth-1) })
		} else {
			ok = d.jsonElement(&s, d.limits.Depth)
		}
		if !ok {
			return s.why
		}
	}
	return Accepted
}

// jsonLines reads one object a line. A bad line costs that line.
func (d *Decoder) jsonLines(b []byte) Reason {
	first := d.next
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, newline)
		b = rest
		s := scanner{b: line}
		if s.peek() == 0 {
			continue
		}
		if d.full() {
			return ReasonTooLarge
		}
		d.jsonLine(&s)
	}
	if d.next == first {
		return ReasonEmpty
	}
	return Accepted
}

var newline = []byte{'\n'}

func (d *Decoder) jsonLine(s *scanner) {
	if d.jsonEvent(s, d.limits.Depth) && s.peek() != 0 {
		s.fail(ReasonMalformed)
	}
	if s.why != Accepted {
		d.refuseNext(s.why)
		return
	}
	d.finish()
}

// jsonElement reads one event and hands it over; what is no object is refused and passed over.
func (d *Decoder) jsonElement(s *scanner, depth int) bool {
	if d.full() {
		return s.fail(ReasonTooLarge)
	}
	if !d.jsonEvent(s, depth) {
		return false
	}
	d.finish()
	return true
}

func (d *Decoder) jsonEvent(s *scanner, depth int) bool {
	d.begin()
	if s.peek() != '{' {
		return d.mismatch(s, depth)
	}
	return d.jsonMessage(s, Envelope, depth)
}

// mismatch passes over a value that is not of the type wanted, and refuses the event.
func (d *Decoder) mismatch(s *scanner, depth int) bool {
	d.note(ReasonMalformed, 0)
	return s.skip(depth)
}

func (d *Decoder) jsonMessage(s *scanner, kind Kind, depth int) bool {
	names := jsonNames[kind]
	return s.members(depth, func(key []byte, escaped bool) bool {
		if escaped {
			key, _ = d.unescape(key)
		}
		means, known := names.find(key)
		if !known {
			return s.skip(depth - 1)
		}
		if s.peek() == 'n' {
			return d.jsonNull(s)
		}
		if means < 0 {
			return d.jsonBody(s, Kind(-means), depth-1)
		}
		return d.jsonValue(s, &wireFields[means], depth-1)
	})
}

func (d *Decoder) jsonNull(s *scanner) bool {
	raw, ok := s.word()
	if ok && string(raw) != "null" {
		return s.fail(ReasonMalformed)
	}
	return ok
}

func (d *Decoder) jsonBody(s *scanner, kind Kind, depth int) bool {
	if s.peek() != '{' {
		return d.mismatch(s, depth)
	}
	d.body(kind)
	return d.jsonMessage(s, kind, depth)
}
