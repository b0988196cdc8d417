# SPDX-License-Identifier: BSD-3-Clause
# From lines of tare_scale: a matrix of one column's mean over the seeds, by two others. -v x=NAME -v y=NAME
# -v by=NAME; -v where=NAME=VALUE[,NAME=VALUE]... takes some lines only, -v size=1 the values without their signs,
# -v factor=F multiplies them, -v format=markdown makes a table of it.
BEGIN { FS = "\t"; if (factor == "") factor = 1 }
$1 == "pattern" { for (i = 1; i <= NF; i++) at[$i] = i; conditions = split(where, condition, ","); next }
function fits(    i, part) {
    for (i = 1; i <= conditions; i++) {
        split(condition[i], part, "=")
        if ($(at[part[1]]) != part[2]) return 0
    }
    return 1
}
fits() {
    row = $(at[x]); column = $(at[by]); value = $(at[y]) * factor
    if (!(row in row_known)) { row_known[row] = 1; rows[++row_count] = row }
    if (!(column in column_known)) { column_known[column] = 1; columns[++column_count] = column }
    sum[row, column] += size && value < 0 ? -value : value
    count[row, column]++
}
function shown(value) {
    if (value == 0) return "0"
    magnitude = value < 0 ? -value : value
    return sprintf(magnitude < 0.00995 ? "%.1e" : magnitude < 99.5 ? "%.2g" : "%.0f", value)
}
END {
    bar = format == "markdown" ? " | " : "\t"
    line = format == "markdown" ? "| " x : "x"
    for (c = 1; c <= column_count; c++) line = line bar columns[c]
    print format == "markdown" ? line " |" : line
    if (format == "markdown") {
        line = "|"
        for (c = 0; c <= column_count; c++) line = line "---|"
        print line
    }
    for (r = 1; r <= row_count; r++) {
        line = (format == "markdown" ? "| " : "") rows[r]
        for (c = 1; c <= column_count; c++) {
            has = (rows[r], columns[c]) in count
            value = has ? sum[rows[r], columns[c]] / count[rows[r], columns[c]] : 0
            line = line bar (!has ? (format == "markdown" ? "" : "nan") : format == "markdown" ? shown(value) : value)
        }
        print format == "markdown" ? line " |" : line
    }
}
