package render

// withoutZeros leaves out the rare columns in which nothing but 0 and NULL stands.
func (r Table) withoutZeros() Table {
	var zeros []string
	for _, name := range r.Rare {
		if i := r.column(name); i >= 0 && r.allZero(i) {
			zeros = append(zeros, name)
		}
	}
	if len(zeros) == 0 {
		return r
	}
	return r.without(zeros...)
}

func (r Table) allZero(column int) bool {
	for _, row := range r.Rows {
		if v := row[column]; v != nil && v != int64(0) {
			return false
		}
	}
	return true
}
