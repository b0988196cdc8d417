# SPDX-License-Identifier: BSD-3-Clause
# Reads the scenes (`scene NAME LIMIT WITHOUT_TYPES`, with tabs) and lines `PLACE RANKS KIND SCENE RANK MEASURED END
# WAIT LEAST MOST GUESSED INVERSIONS` (rank.cpp; ns), where KIND is truth or MODE-RULE, and prints what is left of the
# overhead: of the ranks' errors the largest. With check=yes it judges the exact rule, and exits 1 if a scene misses.

function magnitude(x) { return x < 0 ? -x : x }
function larger(a, b) { return a > b ? a : b }

# The key of a row: a scene in a place, with so many ranks.
function note_row(key, scene) {
    if (key in rows)
        return
    rows[key] = 1
    row[++row_count] = key
    scene_of[key] = scene
}

function note_mode(kind,    mode) {
    kinds[kind] = 1
    mode = substr(kind, 1, index(kind, "-") - 1)
    if (!(mode in modes)) {
        modes[mode] = 1
        mode_name[++mode_count] = mode
    }
}

$1 == "scene" {
    split($0, word, "\t")
    limit[word[2]] = word[3]
    if (word[4] != "")
        untyped[word[2]] = word[4]
    next
}

{
    key = $1 SUBSEP $2 SUBSEP $4
    if ($3 == "truth") {
        note_row(key, $4)
        truth[key, $5] = $7
        truth_wait[key, $5] = $8
        longest[key] = larger(longest[key], $7)
        next
    }
    note_mode($3)
    if (!((key, $5) in truth)) {
        print "table.awk: no truth for " $0 > "/dev/stderr"
        failed = 1
        exit 1
    }
    at = key SUBSEP $3
    seen[at]++
    dilation[at] = larger(dilation[at], $6 - truth[key, $5])
    error[at] = larger(error[at], magnitude($7 - truth[key, $5]))
    wait_error[at] = larger(wait_error[at], magnitude($8 - truth_wait[key, $5]))
    held[at] += $9 <= truth[key, $5] && truth[key, $5] <= $10
    width[at] = larger(width[at], $10 - $9)
    guessed[at] += $11
    inversions[at] += $12
}

function of(values, key, mode, rule,    at) {
    at = key SUBSEP mode "-" rule
    return at in seen ? values[at] : "-"
}

function is_played(key, mode,    kind) {
    for (kind in kinds)
        if (index(kind, mode "-") == 1 && (key, kind) in seen)
            return 1
    return 0
}

function is_playable(scene, mode) { return !(scene in untyped) || mode != "datatype" }

function print_row(key, mode,    part, at) {
    split(key, part, SUBSEP)
    at = key SUBSEP mode "-exact"
    printf "%-18s %-10s %5d %-8s %10d %10s %10s %10s %10s %10s", part[3], part[1], part[2], mode, \
           longest[key] / 1000, at in seen ? int(dilation[at] / 1000) : "-", of(error, key, mode, "local"), \
           of(error, key, mode, "published"), of(error, key, mode, "exact"), of(wait_error, key, mode, "exact")
    if (at in seen)
        printf "  %3d/%-3d %10d %7d %6d", held[at], seen[at], width[at], guessed[at], inversions[at]
    print ""
}

function print_table(exact,    i, m, n) {
    printf "%-18s %-10s %5s %-8s %10s %10s %10s %10s %10s %10s  %7s %10s %7s %6s\n", \
           exact ? "exact" : "limited", "place", "ranks", "mode", "truth, us", "added, us", "local, ns", \
           "publ., ns", "exact, ns", "wait, ns", "held", "width, ns", "guessed", "invers."
    for (m = 1; m <= mode_count; m++)
        for (i = 1; i <= row_count; i++)
            if ((limit[scene_of[row[i]]] == "exact") == exact && is_played(row[i], mode_name[m])) {
                print_row(row[i], mode_name[m])
                n++
            }
    print ""
    return n
}

function print_limits(    name) {
    for (name in limit)
        if (limit[name] != "exact")
            print name ": " limit[name] | "sort"
    for (name in untyped)
        print name ": not in mode datatype: " untyped[name] | "sort"
    close("sort")
    print ""
}

# The larger of what is left by no carrier at all and by the published rule. "": one of them was not played.
function left_otherwise(key, mode,    local, published) {
    local = key SUBSEP mode "-local"
    published = key SUBSEP mode "-published"
    return local in seen && published in seen ? larger(error[local], error[published]) : ""
}

# What a scene must come to of which the carrier sees everything: nothing left, and bounds that hold the truth. One in
# which no other rule leaves anything would show nothing.
function judge(key, mode,    at, part, what) {
    at = key SUBSEP mode "-exact"
    split(key, part, SUBSEP)
    if (!(at in seen))
        what = "it was not played"
    else if (error[at] != 0)
        what = error[at] " ns are left of the overhead"
    else if (wait_error[at] != 0)
        what = "a wait is " wait_error[at] " ns off"
    else if (held[at] != seen[at])
        what = "the bounds hold the truth of " held[at] " ranks only"
    else if (left_otherwise(key, mode) != "" && left_otherwise(key, mode) < 10000)
        what = "other rules leave no more than " left_otherwise(key, mode) " ns"
    printf "%s: %s, %s, %d ranks, %s%s\n", what == "" ? "good" : "FAILED", part[3], part[1], part[2], mode, \
           what == "" ? "" : ": " what
    return what != ""
}

function judge_all(    m, i, status) {
    for (m = 1; m <= mode_count; m++)
        for (i = 1; i <= row_count; i++)
            if (limit[scene_of[row[i]]] == "exact" && is_playable(scene_of[row[i]], mode_name[m]))
                status = judge(row[i], mode_name[m]) || status
    return status
}

END {
    if (failed)
        exit 1
    print_table(1)
    print_table(0)
    print_limits()
    if (check == "yes")
        exit judge_all() ? 1 : 0
}
