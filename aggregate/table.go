package aggregate

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/inferlake/inferlake/stream"
)

// ColumnType is the type of a column: one in Arrow, one in SQL.
type ColumnType struct {
	SQL   string
	Arrow arrow.DataType
}

// The column types. Nothing that is summed is a floating-point number.
var (
	BigInt    = ColumnType{"BIGINT", arrow.PrimitiveTypes.Int64}
	HugeInt   = ColumnType{"HUGEINT", arrow.PrimitiveTypes.Int64}
	Varchar   = ColumnType{"VARCHAR", arrow.BinaryTypes.String}
	Boolean   = ColumnType{"BOOLEAN", arrow.FixedWidthTypes.Boolean}
	Timestamp = ColumnType{"TIMESTAMP_NS", &arrow.TimestampType{Unit: arrow.Nanosecond}}
	BigInts   = ColumnType{"BIGINT[]", arrow.ListOf(arrow.PrimitiveTypes.Int64)}
	Varchars  = ColumnType{"VARCHAR[]", arrow.ListOf(arrow.BinaryTypes.String)}
)

// Column is one column of a table. The warehouse adds commit BIGINT to every table.
type Column struct {
	Name string
	Type ColumnType
	Doc  string
}

// Sum is the SQL aggregate by which deltas of the column are merged: sums, except for extremes.
func (c Column) Sum() string {
	switch {
	case strings.HasSuffix(c.Name, "_min"):
		return "min"
	case strings.HasSuffix(c.Name, "_max"):
		return "max"
	}
	return "sum"
}

// Table is one table that the fold fills.
type Table struct {
	Name    string
	Doc     string
	Columns []Column
}

// HasPlace says whether a row names a place on the log. The warehouse adds lineage BIGINT there: which log it was.
func (t *Table) HasPlace() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == "offset" })
}

// Schema is the table's Arrow schema, without commit.
func (t *Table) Schema() *arrow.Schema {
	fields := make([]arrow.Field, len(t.Columns))
	for i, c := range t.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: c.Type.Arrow, Nullable: true}
	}
	return arrow.NewSchema(fields, nil)
}

// fieldColumn is the column that keeps a field of the contract as it was said.
func fieldColumn(f stream.Field) Column {
	info := stream.Fields[f]
	c := Column{Name: info.Name, Type: BigInt, Doc: info.Doc}
	switch info.Type {
	case stream.Bool:
		c.Type = Boolean
	case stream.Enum, stream.Text:
		c.Type = Varchar
	case stream.Ints:
		c.Type = BigInts
	case stream.Texts:
		c.Type = Varchars
	case stream.Time:
		c.Type, c.Name = Timestamp, strings.TrimSuffix(strings.TrimSuffix(c.Name, "_unix_nano"), "_nano")+"_at"
	case stream.Ratio:
		c.Name = strings.TrimSuffix(c.Name, "_ratio") + "_ppm"
	}
	if strings.Contains(c.Name, "_nano") {
		c.Name = strings.Replace(c.Name, "_nano", "_ns", 1)
	}
	if info.Merge == stream.Measured {
		c.Name = "measured_" + c.Name
	}
	return c
}

// place says where on the log a row's first event was.
var placeColumns = []Column{
	{"topic", Varchar, "Topic of the row's first event."},
	{"partition", BigInt, "Partition of the row's first event."},
	{"offset", BigInt, "Offset of the row's first event; with topic, partition and idx it names the row."},
	{"idx", BigInt, "Index of the row's first event in its record."},
}
