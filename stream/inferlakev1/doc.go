// Package inferlakev1 is the published schema inferlake.v1 as Go structs, for programs that would rather fill
// generated messages than stream.Event. The stream package does not use it; its tests hold the two to each other.
package inferlakev1

//go:generate sh -c "protoc -I ../proto --plugin=protoc-gen-go=$(go tool -n protoc-gen-go) --go_out=../.. --go_opt=module=github.com/inferlake/inferlake inferlake/v1/events.proto"
