#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Communicators of every kind with a carrier that keeps a twin of each: the program sees what it sees without.
load helper

# as_plain N CASE
as_plain() {
    plain "$1" comms "$2" > plain
    [[ -s plain ]]
    TARE_MODE=datatype layered "$1" comms "$2" > carried
    diff plain carried
}

@test "attribute_functions_run_as_often_as_without_a_carrier" {
    as_plain 2 callbacks
    grep -q '^copies, rank 0: [1-9]' plain
}

@test "topologies_carry" { as_plain 4 topologies; }
@test "groups_and_their_absent_members_carry" { as_plain 4 groups; }
@test "intercommunicators_carry" { as_plain 4 intercommunicators; }
@test "made_and_freed_again_nothing_is_used_up" { as_plain 2 many; }
@test "idup_waits_for_nobody" { as_plain 2 idup_waits_for_nobody; }
@test "idup_completed_in_any_order" { as_plain 2 idup_completed_in_any_order; }
@test "two_threads_make_their_own" { as_plain 2 threads; }

@test "too_many_communicators_end_with_a_sentence" {
    [[ $family != openmpi ]] || skip "Open MPI has room for more communicators than a test can make"
    plain 1 comms too_many
    TARE_MODE=off layered 1 comms too_many
    TARE_MODE=datatype run layered 1 comms too_many
    expect_refusal "rank 0: the MPI library cannot make another communicator: a carrier above MPI needs a second one \
beside each of the program's; use TARE_MODE=header or off"
}
