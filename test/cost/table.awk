# SPDX-License-Identifier: BSD-3-Clause
# The table of all cases. Input: MODE CASE SEND RECEIVE SEND-CLOCKS RECEIVE-CLOCKS, instructions a call. What a mode did not
# count of a case is a dash.
function more(mode) {
    if (send[mode] == "" || send["unpatched"] == "")
        return ""
    return send[mode] + receive[mode] - send["unpatched"] - receive["unpatched"]
}
function figure(value, width) { return sprintf("%" width "s", value == "" ? "-" : sprintf("%.2f", value)) }
function side(counts, clocks) {
    return figure(counts["unpatched"], 11) figure(counts["off"], 9) figure(counts["header"], 9) \
        (clocks["header"] == "" ? " -" : sprintf("%2d", clocks["header"]))
}
function print_row(    part) {
    split(test, part, "/")
    printf "%-10s %-10s %5d%s%s%s%s\n", part[1], part[2], part[3], side(send, send_clocks), \
        side(receive, receive_clocks), figure(more("off"), 9), figure(more("header"), 9)
    split("", send)
    split("", receive)
    split("", send_clocks)
    split("", receive_clocks)
}
BEGIN {
    print "Instructions of libmpi a call by callgrind, clock reads (c); two ranks, shared memory, messages are there"
    printf "%58s%31s%18s\n", "MPI_Send", "MPI_Recv", "more, together"
    printf "%-10s %-10s %5s%11s%9s%9s%2s%11s%9s%9s%2s%9s%9s\n", "declared", "arrival", "bytes", \
        "unpatched", "off", "header", "c", "unpatched", "off", "header", "c", "off", "header"
}
$2 != test && test != "" { print_row() }
{
    test = $2
    send[$1] = $3
    receive[$1] = $4
    send_clocks[$1] = $5
    receive_clocks[$1] = $6
}
END { print_row() }
