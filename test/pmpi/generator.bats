#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2020,SC2154  # tr on three characters; the Makefile sets the rest
# gen_wrappers.awk: every prototype of an mpi.h is wrapped or listed with the reason why not.
load helper

generate() {
    local table=${2:-$top_srcdir/src/pmpi/calls.tab}
    awk -v what="$1" -f "$top_srcdir/src/pmpi/gen_wrappers.awk" "$table" "${3:-header.i}"
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    cat > header.i <<'END'
# 1 "mpi.h"
typedef int MPI_Comm; typedef int (MPI_Handler)(MPI_Comm *, int *, ...);
struct MPI_Status { int MPI_SOURCE; };
extern int MPI_Send(const void *buf, int count,
                    MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm) __attribute__((visibility("default"), pointer_with_type_tag(MPI,1,3)));
 __attribute__((visibility("default"))) int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
    MPI_Group *newgroup) __attribute__((deprecated("use; (something) else")));
int MPI_Unnamed(MPI_Comm, int, void *, const char *, int [], const int[]);
int MPI_Finalize(void); int MPI_Tick();
double MPI_Wtime(void) ;
int MPI_T_init_thread(int required, int *provided);
int MPI_Pcontrol(const int level, ...);
int MPI_Bsend_c(const void *buf, MPI_Count count);
int PMPI_Send(const void *buf);
int QMPI_Send(int tool);
static inline int local(void) { return MPI_Other(1); }
END
}

@test "list_names_every_prototype_once" {
    run generate list
    [[ $status -eq 0 ]]
    want='MPI_Send carry
MPI_Group_range_incl time
MPI_Unnamed time
MPI_Finalize hand
MPI_Tick time
MPI_Wtime skip (returns double)
MPI_T_init_thread skip (calls.tab)
MPI_Pcontrol hand
MPI_Bsend_c refuse'
    diff <(echo "$want") <(echo "$output")
}

@test "wrapper_passes_every_argument" {
    generate source > source.cpp
    grep -q 'MPI_Send(const void \*buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)$' source.cpp
    grep -q 'carried::send(real.Send, buf, count, datatype, dest, tag, comm)' source.cpp
    grep -q 'MPI_Group_range_incl(MPI_Group group, int n, int ranges\[\]\[3\], MPI_Group \*newgroup)$' source.cpp
    grep -q 'real.Group_range_incl(group, n, ranges, newgroup)' source.cpp
    grep -q 'MPI_Unnamed(MPI_Comm a1, int a2, void \* a3, const char \* a4, int a5\[\], const int a6\[\])$' source.cpp
    grep -q 'real.Unnamed(a1, a2, a3, a4, a5, a6)' source.cpp
    grep -q 'refuse(call::Bsend_c);' source.cpp
}

@test "table_with_an_unknown_word_is_refused" {
    echo 'MPI_Send carry=send blocks' > tab
    run generate list tab
    [[ $status -eq 1 && $output == *"tab:1: 'blocks' is none of skip, hand, wait, refuse, makes, carry=FUNCTION, \
poll=ARGUMENT, bytes=FUNCTION, status=ARGUMENT" ]]
}

@test "words_for_bytes_ask_after_the_call_and_give_a_status" {
    printf 'MPI_Send bytes=send\nMPI_Group_range_incl status=newgroup poll=n\n' > tab
    generate source tab > source.cpp
    grep -qF 'rc, [&] { return bytes::send(buf, count, datatype, dest, tag, comm); });' source.cpp
    grep -qF 'if (how == entry::measured && newgroup == MPI_STATUS_IGNORE)' source.cpp
    [[ $(grep -c own_status source.cpp) -eq 2 ]]
}

@test "words_for_bytes_tell_what_the_note_finds_out" {
    printf '%s\n' 'MPI_Send wait bytes=send' 'MPI_Unnamed bytes=sendrecv' 'MPI_Tick bytes=irecv' \
        'MPI_Group_range_incl bytes=isendrecv' 'MPI_Finalize wait bytes=startall' > tab
    generate source tab > source.cpp
    grep -qF '"PMPI_Send", TARE_END_BLOCKS | TARE_END_NOTED(noted_send)}' source.cpp
    grep -qF '"PMPI_Unnamed", TARE_END_RETURNS | TARE_END_NOTED(noted_send | noted_receive)}' source.cpp
    grep -qF '"PMPI_Tick", TARE_END_RETURNS | TARE_END_NOTED(noted_buffer)}' source.cpp
    grep -qF '"PMPI_Group_range_incl", TARE_END_RETURNS | TARE_END_NOTED(noted_send | noted_buffer)}' source.cpp
    grep -qF '"PMPI_Finalize", TARE_END_BLOCKS}' source.cpp
}

@test "word_makes_finds_where_the_communicator_is_put" {
    echo 'MPI_Unnamed makes' > tab
    echo 'int MPI_Unnamed(MPI_Comm, const int[], MPI_Comm *, int *);' > named.i
    generate source tab named.i > source.cpp
    grep -qF 'made_comm(*a3);' source.cpp
    run generate source tab
    [[ $status -eq 1 && $output == *"'makes' of MPI_Unnamed, which has no argument of type MPI_Comm *"* ]]
}

@test "header_without_prototypes_is_refused" {
    echo 'int main(void);' > header.i
    run generate list
    [[ $status -eq 1 && $output == *"no prototype of an MPI function in header.i" ]]
}

# An independent count: names before a parenthesis in declarations of the preprocessed header.
prototypes_of() {
    grep -v '^#' "$1" | tr '\n' ' ' | tr ';{}' '\n\n\n' | grep -v typedef |
        grep -oE '^[^(=]*[ *]MPI_[A-Za-z0-9_]+ *\(' | grep -oE 'MPI_[A-Za-z0-9_]+ *\($' | tr -d ' (' | sort -u
}

@test "mpi_h_every_prototype_wrapped_or_excluded" {
    header=$top_builddir/src/pmpi/mpi.i
    generate list "$top_srcdir/src/pmpi/calls.tab" "$header" > list.txt
    diff <(prototypes_of "$header") <(cut -d" " -f1 list.txt | sort)
    [[ $(wc -l < list.txt) -gt 400 ]]
}

@test "library_defines_both_names_of_every_wrapped_function" {
    generate list "$top_srcdir/src/pmpi/calls.tab" "$top_builddir/src/pmpi/mpi.i" > list.txt
    awk '$2 != "skip" { print $1; print "P" $1 }' list.txt | sort > wanted
    nm -D --defined-only "${LAYER%%:*}" | awk '{ print $3 }' | sed 's/@.*//' | grep 'MPI_' | sort > defined
    diff wanted defined
}

@test "library_refers_to_no_mpi_symbol" {
    run bash -c 'nm -D --undefined-only "$1" | grep -w "P*MPI_[A-Za-z_0-9]*\|[a-z]*mpi_[a-z_]*"' - "${LAYER%%:*}"
    [[ -z $output ]]
}
