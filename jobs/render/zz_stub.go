package render
import ("io";"fmt";"strings")
type Table struct{Title string; Columns []Column; Params []Param; Rows [][]any; Optional []string}
type Column struct{Name,Type,Unit string}
type Param struct{Name,Value string}
type Options struct{Format string; Width int; Color bool}
func Write(w io.Writer,t Table,o Options) error { for _,c:=range t.Columns{fmt.Fprint(w,c.Name,",")}; fmt.Fprintln(w); for _,r:=range t.Rows{ s:=[]string{}; for _,v:=range r{s=append(s,fmt.Sprint(v))}; fmt.Fprintln(w,strings.Join(s,","))}; return nil}
