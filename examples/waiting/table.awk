# SPDX-License-Identifier: BSD-3-Clause
# Reads lines `CASE RECEIVE_NS LOOP0_NS LOOP1_NS` and prints a row of medians a case, with errors against `plain`.
# With check=yes it judges header-exact by mark_receive, mark_ranks and mark_total (per cent): exit 1 if one is missed,
# 3 if one is missed by no more than runs of the same kind differ by themselves.

function magnitude(x) { return x < 0 ? -x : x }

function median(name, what,    n, i, j, x, sorted) {
    n = runs[name]
    for (i = 1; i <= n; i++) {
        x = value[name, what, i]
        for (j = i - 1; j >= 1 && sorted[j] > x; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = x
    }
    return n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
}

function percent_off(name, what,    truth) {
    truth = median("plain", what)
    return 100 * (median(name, what) - truth) / truth
}

# The rank that is further off.
function total_error(name,    first, second) {
    first = percent_off(name, "loop0")
    second = percent_off(name, "loop1")
    return magnitude(first) > magnitude(second) ? first : second
}

function print_row(name, title,    receive, totals) {
    receive = sprintf("%10.2f", median(name, "receive") / 1e6)
    totals = sprintf("%10.2f %10.2f %8.2f", median(name, "loop0") / 1e6, median(name, "loop1") / 1e6, \
                     median(name, "differ"))
    if (name == "plain")
        printf "%-26s %s %9s  %s\n", title, receive, "", totals
    else
        printf "%-26s %s %+9.2f  %s %+9.2f\n", title, receive, percent_off(name, "receive"), totals, total_error(name)
}

# Runs of the same kind do the same work: what they differ by, before any compensation, is the machine. Per cent of the
# truth, for the kind that differs more.
function spread(what,    i, k, x, least, most, worst, kind) {
    split("plain measured", kind, " ")
    for (k = 1; k <= 2; k++) {
        least = most = value[kind[k], what, 1]
        for (i = 2; i <= runs[kind[k]]; i++) {
            x = value[kind[k], what, i]
            least = x < least ? x : least
            most = x > most ? x : most
        }
        worst = most - least > worst ? most - least : worst
    }
    return 100 * worst / median("plain", what)
}

# Returns 0, 1 or 3: the exit status if it were alone.
function judge(what, found, mark, unsteady,    verdict) {
    verdict = magnitude(found) <= mark ? "good" : magnitude(found) <= mark + unsteady ? "UNCLEAR" : "FAILED"
    printf "%s: %s is %.2f %%, allowed %s %%", verdict, what, found, mark
    if (verdict == "UNCLEAR")
        printf "; equal runs differ by %.2f %% before any compensation: repeat it on a quiet machine", unsteady
    printf "\n"
    return verdict == "good" ? 0 : verdict == "UNCLEAR" ? 3 : 1
}

function worse(a, b) {
    return a == 1 || b == 1 ? 1 : a > b ? a : b
}

{
    n = ++runs[$1]
    value[$1, "receive", n] = $2
    value[$1, "loop0", n] = $3
    value[$1, "loop1", n] = $4
    value[$1, "differ", n] = 100 * magnitude($4 - $3) / $3
}

END {
    printf "%-26s %10s %9s  %10s %10s %8s %9s\n", "", "MPI_Recv()", "", "total", "total", "ranks", "total"
    printf "%-26s %10s %9s  %10s %10s %8s %9s\n", "", "rank 1", "error", "rank 0", "rank 1", "differ", "error"
    printf "%-26s %10s %9s  %10s %10s %8s %9s\n", "case, median of " runs["plain"], "ms", "%", "ms", "ms", "%", "%"
    print_row("plain", "plain program (truth)")
    print_row("measured", "header, as measured")
    print_row("header-exact", "header, exact rule")
    print_row("header-local", "header, local rule")
    print_row("header-published", "header, published rule")
    print_row("datatype-exact", "datatype, exact rule")
    print_row("message-exact", "message, exact rule")
    print_row("copy-exact", "copy, exact rule")
    if (check != "yes")
        exit 0
    status = judge("the error of MPI_Recv()", percent_off("header-exact", "receive"), mark_receive, spread("receive"))
    status = worse(status, judge("the difference between the ranks", median("header-exact", "differ"), mark_ranks, 0))
    status = worse(status, judge("the error of the total", total_error("header-exact"), mark_total, spread("loop0")))
    exit status
}
