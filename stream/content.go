package stream

import (
	"bytes"
	"strings"
)

// contents are the content types read here, with the other names that are in use for them.
var contents = map[string]string{
	ContentProtobuf: ContentProtobuf, "application/protobuf": ContentProtobuf, "application/vnd.google.protobuf": ContentProtobuf,
	ContentColumns: ContentColumns,
	ContentJSON:    ContentJSON, "text/json": ContentJSON,
	ContentNDJSON: ContentNDJSON, "application/ndjson": ContentNDJSON, "application/jsonl": ContentNDJSON,
}

const contentUnknown = "?"

// contentOf maps a header to one of the content types; "" stays, anything not known is contentUnknown.
func contentOf(header string) string {
	switch header {
	case "", ContentProtobuf, ContentColumns, ContentJSON, ContentNDJSON:
		return header
	}
	name, parameter, _ := strings.Cut(header, ";")
	if parameter = strings.ToLower(strings.TrimSpace(parameter)); parameter != "" && !strings.HasPrefix(parameter, "charset=") {
		return contentUnknown
	}
	if c, ok := contents[strings.ToLower(strings.TrimSpace(name))]; ok {
		return c
	}
	return contentUnknown
}

// unframe strips a schema registry's framing: a zero byte, four bytes of id and, before protobuf, the message index.
// No payload of ours begins with a zero byte. Where the content type is absent it is found here.
func unframe(b []byte, content string) ([]byte, string) {
	framed := len(b) > 5 && b[0] == 0
	if framed {
		b = b[5:]
	}
	if content == "" {
		content = sniff(b)
	}
	if framed && (content == ContentProtobuf || content == ContentColumns) {
		b = skipMessageIndex(b)
	}
	return b, content
}

const maxMessageIndex = 16 // nesting of the message in its .proto

// skipMessageIndex passes over the count and the indices, zigzag varints; a count of 0 stands for the first message.
func skipMessageIndex(b []byte) []byte {
	u, i := uvarint(b, 0)
	n := unzigzag(u)
	if i == 0 || n < 0 || n > maxMessageIndex {
		return b
	}
	for ; n > 0; n-- {
		if _, i = uvarint(b, i); i == 0 {
			return b
		}
	}
	return b[i:]
}

// sniff tells JSON from protobuf. A brace or bracket would be a group in protobuf, which Event does not have. White
// space may be a tag (a line feed is the tag of producer), so what follows must be what only JSON begins with.
func sniff(b []byte) string {
	if len(b) == 0 {
		return ContentProtobuf
	}
	if b[0] == '{' || b[0] == '[' {
		return ContentJSON
	}
	b = trimLeft(b)
	if len(b) > 1 {
		inner := trimLeft(b[1:])
		if len(inner) > 0 && (b[0] == '{' && bytes.IndexByte([]byte(`"}`), inner[0]) >= 0 ||
			b[0] == '[' && bytes.IndexByte([]byte(`{]`), inner[0]) >= 0) {
			return ContentJSON
		}
	}
	return ContentProtobuf
}

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}
