package warehouse_test

import (
	"slices"
	"testing"

	text "github.com/inferlake/inferlake/sql"
)

// TestLayersHaveColumns holds docs/layers.md to the views: the columns that it names are there.
func TestLayersHaveColumns(t *testing.T) {
	db := openViews(t)
	for _, layer := range text.Layers {
		for _, c := range layer.Columns {
			columns := columnsOf(t, db, c.View)
			for _, name := range c.Names {
				if !slices.Contains(columns, name) {
					t.Errorf("%s: v1.%s has no %s (sql/layers.go)", layer.Name, c.View, name)
				}
			}
		}
	}
}
