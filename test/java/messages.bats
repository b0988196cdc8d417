#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# MPI for Java, with the agent and the PMPI layer around it.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; a script expands what is quoted
load helper

# all_do N CASE: each rank comes to its end
all_do() {
    ranks "$1" Messages "$2"
    ends_well
    [ "$(sort <<<"$output")" = "$(seq 0 $(($1 - 1)) | sed 's/$/ done/')" ] || { echo "$output"; return 1; }
}

@test "messages_of_each_type_arrive_whole" { all_do 2 types; }

@test "message_that_is_shorter_leaves_the_rest_of_the_array" { all_do 2 shorter; }

@test "direct_buffers_are_sent_and_received" { all_do 2 direct; }

@test "nonblocking_calls_copy_back_when_they_are_completed" { all_do 2 nonblocking; }

@test "sendrecv_does_both" { all_do 2 sendrecv; }

@test "probes_tell_what_comes" { all_do 2 probes; }

@test "collective_calls_give_what_is_expected" { all_do 3 collectives; }

@test "reductions_by_each_operation_and_type_are_right" { all_do 2 reductions; }

@test "communicators_are_apart" { all_do 3 communicators; }

@test "errors_are_exceptions_where_errors_return" { all_do 2 errors; }

@test "null_pointer_is_an_exception_as_without_mpi" { all_do 2 null-pointers; }

@test "handlers_of_the_machine_stay" {
    bare 1 -Xcheck:jni Messages collectives
    ends_well
    [ "$output" = "0 done" ]
}

@test "threads_of_two_ranks_exchange_messages" {
    all_do 2 threads
    for rank in 0 1; do
        for i in 0 1 2 3; do
            [ "$(value "$rank" "$(thread_of "exchange $i" "$rank")" calls 'MPI_Sendrecv()')" -eq 50 ]
        done
    done
}

# Each rank's own words go into a file: Hydra may end the job before it has passed on what a rank wrote last.
@test "error_ends_the_job_where_nobody_has_asked_for_exceptions" {
    printf '#!/bin/sh\nexec "%s" "$@" 2> "said.$PMI_RANK"\n' "$JAVA" > java
    chmod +x java
    JAVA=$PWD/java ranks 2 Messages fatal
    [ "$status" -ne 0 ]
    [[ $(cat said.*) == *"Invalid rank"* ]]
}

@test "calls_of_mpi_are_regions_beside_methods" {
    all_do 2 types
    main=$(thread_of main)
    [ "$(calls "$main" 'MPI_Ssend()')" -eq 24 ]
    [ "$(value 1 "$(thread_of main 1)" calls 'MPI_Recv()')" -eq 48 ]
    [ "$(calls "$main" 'Messages.types()')" -eq 1 ]
    assert_times_are_conserved
}

@test "carriers_above_mpi_leave_the_data_as_it_is" {
    for mode in datatype message copy; do
        TARE_MODE=$mode all_do 2 all
    done
}

@test "program_without_tare_exec_runs_as_well" {
    bare 2 Messages all
    ends_well
}
