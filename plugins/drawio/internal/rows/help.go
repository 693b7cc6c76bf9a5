package rows

// Help returns the lines of the help on rows.
func Help() []string {
	return []string{
		`rows of an existing box: add row "int stock" in:Product · add field "born: Date" in:Person after:Name · add method "pay()" in:Person (below the dividing line) · place: after:ROW, before:ROW, at:first|last · cells are separated by commas, or by blanks if there are as many words · several rows: "a; b"`,
		`TABLE/ROW names a row or a cell wherever a REF is taken: label Customer/email mail · the first cell of that row: label Customer/email/1 text · by column: label Plans/Pro/Price 39 · a whole row: label "Product/int stock" "bigint, stock"`,
		`columns: add column Seats in:Plans after:Plan rows:"1; 5" · remove column Seats in:Plans · a new one like an existing one: add table Payment like:Purchase rows:"int id; date day"`,
	}
}
