package stream

import "strings"

// jsonNames finds what a JSON key names in a message: fields as f ≥ 0, bodies as -kind.
var jsonNames = makeJSONNames()

func makeJSONNames() (t [24]map[string]int) {
	t[Envelope] = map[string]int{}
	for _, k := range Kinds {
		t[k.Kind] = map[string]int{}
		addName(t[Envelope], k.Name, -int(k.Kind))
	}
	for f := range Fields {
		addName(t[Fields[f].Message], Fields[f].Name, f)
	}
	return t
}

// addName adds the name of the .proto, and the lowerCamel form that protobuf's own JSON writers default to.
func addName(names map[string]int, name string, means int) {
	names[name] = means
	names[lowerCamel(name)] = means
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
