package main
type demoCommand struct{}
func (demoCommand) Run() error {return nil}
type benchCommand struct{}
func (benchCommand) Run() error {return nil}
func whole(v any) int64 { n,_:=v.(int64); return n}
