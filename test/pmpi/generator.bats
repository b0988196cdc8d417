#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2020,SC2154  # tr on three characters; the Makefile sets the rest
# gen_wrappers.awk: every prototype of an mpi.h is wrapped or listed with the reason why not.
load helper

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
int MPI_Comm_join(int fd, MPI_Comm *intercomm);
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
MPI_Bsend_c carry
MPI_Comm_join refuse'
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
    grep -q 'refuse(call::Comm_join);' source.cpp
}

@test "table_with_an_unknown_word_is_refused" {
    echo 'MPI_Send carry=send blocks' > tab
    run generate list tab
    [[ $status -eq 1 && $output == *"tab:1: 'blocks' is none of skip, hand, wait, unseen, refuse, together, makes, frees, helper, \
carry=FUNCTION, collect=FLOW, poll=ARGUMENT, bytes=FUNCTION, status=ARGUMENT, trace=CLASS, moves=FLOW, buffers=FUNCTION, \
for=FUNCTION, pending=CLASS, asks=FUNCTION" ]]
}

@test "words_for_bytes_ask_after_the_call_and_give_a_status" {
    printf 'MPI_Send bytes=send\nMPI_Group_range_incl status=newgroup poll=n\n' > tab
    generate source tab > source.cpp
    grep -qF 'rc, [&] { return bytes::send(buf, count, datatype, dest, tag, comm); }, waits_for<awaited::unknown>{});' source.cpp
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

@test "words_for_traces_put_an_object_around_the_call_or_tell_what_it_moves" {
    printf '%s\n' 'MPI_Send bytes=send trace=send' 'MPI_Finalize moves=barrier' 'MPI_Ibarrier moves=barrier' > tab
    echo 'int MPI_Send(int); int MPI_Finalize(void); int MPI_Ibarrier(MPI_Comm c, MPI_Request *r);' > named.i
    generate source tab named.i > source.cpp
    [ "$(grep -nE '^    (traced::send events\(a1\);|const int rc = real.Send\(a1\);|events.returned\(rc\);)' source.cpp | wc -l)" -eq 3 ]
    grep -qF 'return bytes::send(a1); }, waits_for<awaited::unknown>{}, [&](const moved_bytes &moved) { events.write(moved); });' source.cpp
    grep -qF 'traced::write_collective(traced::barrier());' source.cpp
    grep -qF 'traced::begin_collective(traced::barrier(c, r), *r);' source.cpp
}

@test "words_for_waits_say_whom_the_call_waits_for" {
    printf '%s\n' 'MPI_Send wait for=send' 'MPI_Tick wait' 'MPI_Unnamed for=several' 'MPI_Recv pending=wait' \
        'MPI_Bsend poll=buf for=send' > tab
    echo 'int MPI_Recv(MPI_Request *);' | cat header.i - > waits.i
    generate source tab waits.i > source.cpp
    grep -qF '[&] { return awaits::send(buf, count, datatype, dest, tag, comm); });' source.cpp
    grep -qF 'leave(call::Tick, how, __builtin_return_address(0), rc, no_bytes{}, waits_for<awaited::all>{});' source.cpp
    grep -qF 'no_bytes{}, waits_for<awaited::several>{});' source.cpp
    grep -qF 'const awaits::wait whom(how, a1);' source.cpp
    grep -qF 'rc, no_bytes{}, whom);' source.cpp
    grep -qF 'rc, rc == MPI_SUCCESS && *buf != 0, [&] { return awaits::send(buf, count); });' source.cpp
    [[ $(grep -n 'awaits::wait whom' source.cpp | cut -d : -f 1) -lt $(grep -n 'real.Recv(a1);' source.cpp | tail -n 1 | cut -d : -f 1) ]]
}

@test "what_a_request_is_for_is_remembered_where_one_is_made" {
    printf '%s\n' 'MPI_Isend asks=ask_send' 'MPI_Ibarrier collect=barrier' > tab
    printf 'int MPI_%s;\n' 'Isend(int to, MPI_Request *r)' 'Ibarrier(MPI_Comm c, MPI_Request *r)' 'Rput(MPI_Request *r)' \
        'Wait(MPI_Request *r)' 'Waitall(int n, MPI_Request all[])' > asked.i
    generate source tab asked.i > source.cpp
    [[ $(grep -c 'if (rc == MPI_SUCCESS)' source.cpp) -eq 3 ]]
    grep -qF 'awaits::ask_send(to, r);' source.cpp
    grep -qF 'awaits::remember(*r, waits_for<awaited::all>{}());' source.cpp
    grep -qF 'awaits::remember(*r, {});' source.cpp
}

@test "word_makes_finds_where_the_communicator_is_put" {
    echo 'MPI_Unnamed makes' > tab
    echo 'int MPI_Unnamed(MPI_Comm, const int[], MPI_Comm *, int *);' > named.i
    generate source tab named.i > source.cpp
    grep -qF 'made_comm(*a3);' source.cpp
    run generate source tab
    [[ $status -eq 1 && $output == *"'makes' of MPI_Unnamed, which has no argument of type MPI_Comm *"* ]]
}

@test "word_together_finds_the_communicator" {
    echo 'MPI_Unnamed wait together' > tab
    echo 'int MPI_Unnamed(const MPI_Comm *, int[], MPI_Comm);' > named.i
    generate source tab named.i > source.cpp
    grep -qF 'const waits_for_all_on whom(a3);' source.cpp
    grep -qF 'rc, no_bytes{}, whom);' source.cpp
    grep -qF '"PMPI_Unnamed", TARE_END_BLOCKS | TARE_END_NOTED(noted_exit)}' source.cpp
    [[ $(grep -n 'waits_for_all_on whom' source.cpp | cut -d : -f 1) -lt $(grep -n 'real.Unnamed(' source.cpp | tail -n 1 | cut -d : -f 1) ]]
    sed -i 's/, MPI_Comm)/)/' named.i
    run generate source tab named.i
    [[ $status -eq 1 && $output == *"'together' of MPI_Unnamed, which has no communicator"* ]]
}

@test "header_without_prototypes_is_refused" {
    echo 'int main(void);' > header.i
    run generate list
    [[ $status -eq 1 && $output == *"no prototype of an MPI function in header.i" ]]
}

@test "words_for_helpers_let_a_binding_pass" {
    printf 'MPI_Tick helper\n' > tab
    generate source tab > source.cpp
    grep -qF 'const entry how = enter_helper(call::Tick, __builtin_return_address(0));' source.cpp
    grep -qF 'const entry how = enter(call::Send, __builtin_return_address(0));' source.cpp
}

@test "handles_that_are_addresses_are_named_once" {
    generate handles > none
    [[ $(grep -c struct none) -eq 0 ]]
    cat >> header.i <<'END'
typedef struct ompi_communicator_t *MPI_Comm;
struct ompi_predefined_communicator_t;
__attribute__((visibility("default"))) extern struct ompi_predefined_communicator_t ompi_mpi_comm_world;
extern struct ompi_predefined_datatype_t
    ompi_mpi_byte;
extern struct ompi_other_t ompi_other;
END
    generate handles > some
    [[ $(grep -c 'void \*ompi_mpi_comm_world;' some) -eq 1 && $(grep -c '"ompi_mpi_byte",' some) -eq 1 ]]
    [[ $(grep -c other some) -eq 0 ]]
}
