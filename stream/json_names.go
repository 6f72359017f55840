package stream

import "strings"

// nameTable finds what a JSON key names in a message: fields as f ≥ 0, bodies as -kind. It is open addressing over
// a hash of a few bytes, since it is asked for every key of every event.
type nameTable [nameSlots]nameSlot

const nameSlots = 512 // more than twice the names of the largest message

type nameSlot struct {
	name  string
	means int
}

func nameHash[S string | []byte](s S) int {
	n := len(s)
	if n == 0 {
		return 0
	}
	return (n*31 + int(s[0])*7 + int(s[n-1])*67 + int(s[n/2])*173 + int(s[n/3])*13) % nameSlots
}

func (t *nameTable) find(key []byte) (means int, known bool) {
	for h := nameHash(key); t[h].name != ""; h = (h + 1) % nameSlots {
		if t[h].name == string(key) {
			return t[h].means, true
		}
	}
	return 0, false
}

func (t *nameTable) add(name string, means int) {
	h := nameHash(name)
	for t[h].name != "" && t[h].name != name {
		h = (h + 1) % nameSlots
	}
	t[h] = nameSlot{name, means}
}

var jsonNames = makeJSONNames()

func makeJSONNames() (t [24]*nameTable) {
	t[Envelope] = new(nameTable)
	for _, k := range Kinds {
		t[k.Kind] = new(nameTable)
		t[Envelope].addBoth(k.Name, -int(k.Kind))
	}
	for f := range Fields {
		t[Fields[f].Message].addBoth(Fields[f].Name, f)
	}
	return t
}

// addBoth adds the name of the .proto, and the lowerCamel form that protobuf's own JSON writers default to.
func (t *nameTable) addBoth(name string, means int) {
	t.add(name, means)
	t.add(lowerCamel(name), means)
}

func lowerCamel(name string) string {
	var out strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '_' && i+1 < len(name) {
			i++
			if c = name[i]; 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
		}
		out.WriteByte(c)
	}
	return out.String()
}

// enumValue reads the name of an enum's value: first_token, or PHASE_FIRST_TOKEN as the .proto writes it.
func enumValue(f Field, name []byte) (int64, Reason) {
	for v, known := range *Fields[f].Enum {
		if v > 0 && (string(name) == known || string(name) == enumConstants[f][v]) {
			return int64(v), Accepted
		}
	}
	if string(name) == enumConstants[f][0] {
		return 0, Accepted
	}
	return 0, ReasonEnum
}

// enumTypes are the names of the .proto's enums, by their values here.
var enumTypes = map[*EnumNames]string{
	&RoleNames: "ROLE", &PhaseNames: "PHASE", &OutcomeNames: "OUTCOME", &FinishReasonNames: "FINISH_REASON",
	&TokenConventionNames: "TOKEN_CONVENTION", &FaultKindNames: "FAULT_KIND", &LifecycleNames: "INSTANCE_STATE",
}

// enumConstants are the .proto's constants of each enum field, by value.
var enumConstants = makeEnumConstants()

func makeEnumConstants() (t [numFields][]string) {
	for f := range Fields {
		if Fields[f].Enum == nil {
			continue
		}
		prefix := enumTypes[Fields[f].Enum] + "_"
		t[f] = []string{prefix + "UNSPECIFIED"}
		for _, name := range (*Fields[f].Enum)[1:] {
			t[f] = append(t[f], prefix+strings.ToUpper(name))
		}
	}
	return t
}
