#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare exec: what it runs, what it refuses, and that it becomes the program.
load helpers

setup_file() {
    install_tool "$BATS_FILE_TMPDIR/inst"
}

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
    tare=$BATS_FILE_TMPDIR/inst$TOOL_BINDIR/tare
}

@test "exit_status_is_the_programs_own" {
    for wanted in 0 1 7 255; do
        run "$tare" exec sh -c "exit $wanted"
        [ "$status" -eq "$wanted" ]
    done
}

@test "signal_reaches_the_program_and_its_status_comes_back" {
    run "$tare" exec sh -c 'kill -TERM $$'
    [ "$status" -eq 143 ]
}

@test "process_is_the_same_before_and_after" {
    sh -c "echo \$\$; exec '$tare' exec sh -c 'echo \$\$'" > pids
    [ "$(sort -u pids | wc -l)" -eq 1 ]
}

@test "arguments_and_input_arrive_as_given" {
    run bash -c "echo from-stdin | '$tare' exec sh -c 'cat; printf \"<%s>\" \"\$@\"' name 'a b' '' --help"
    [ "$status" -eq 0 ]
    [ "$output" = $'from-stdin\n<a b><><--help>' ]
}

@test "options_behind_the_program_are_the_programs" {
    run "$tare" exec -- echo --dry-run
    [ "$output" = "--dry-run" ]
}

@test "missing_program_word_is_refused" {
    run --separate-stderr "$tare" exec --dry-run
    assert_refused 2
    assert_says "a program to run is missing"
}

@test "program_that_is_not_there_gives_127" {
    run -127 --separate-stderr "$tare" exec ./nothing
    assert_refused 127
    assert_says "./nothing"
    run -127 --separate-stderr "$tare" exec no-such-program
    assert_refused 127
    assert_says "PATH"
    run -127 --separate-stderr "$tare" exec ""
    assert_refused 127
}

@test "file_that_is_not_executable_gives_126" {
    echo text > plain
    run --separate-stderr "$tare" exec ./plain
    assert_refused 126
    assert_says "'./plain' is not executable"
    mkdir folder
    run --separate-stderr "$tare" exec ./folder
    assert_refused 126
    assert_says "is a directory"
}

@test "program_in_path_that_is_not_executable_gives_126" {
    mkdir bin
    echo text > bin/only-here
    PATH=$PWD/bin:$PATH run --separate-stderr "$tare" exec only-here
    assert_refused 126
    assert_says "$PWD/bin/only-here"
}

@test "executable_text_without_interpreter_gives_126" {
    echo echo hello > text
    chmod +x text
    run --separate-stderr "$tare" exec ./text
    assert_refused 126
    assert_says "no script that begins with #!"
}

@test "script_with_a_missing_interpreter_gives_126" {
    printf '#!/no/such/interpreter\n' > script
    chmod +x script
    run --separate-stderr "$tare" exec ./script
    assert_refused 126
    assert_says "interpreter"
}

@test "static_program_is_refused" {
    program static 'int main(void) { return 0; }' -static || skip "no static C library here"
    run --separate-stderr "$tare" exec ./static
    assert_refused 2
    assert_says "linked statically"
}

@test "set_uid_program_is_refused" {
    cp /bin/true privileged
    chmod u+s privileged
    run --separate-stderr "$tare" exec ./privileged
    assert_refused 2
    assert_says "set-uid"
    chmod u-s,g+s privileged
    run --separate-stderr "$tare" exec ./privileged
    assert_refused 2
    assert_says "set-gid"
}

@test "program_with_capabilities_is_refused" {
    cp /bin/true capable
    PATH=$PATH:/usr/sbin:/sbin setcap cap_net_raw+ep capable 2> /dev/null || skip "cannot give capabilities here"
    run --separate-stderr "$tare" exec ./capable
    assert_refused 2
    assert_says "capabilities"
}

@test "program_of_another_machine_is_refused" {
    cp /bin/true foreign
    printf '\001' | dd of=foreign bs=1 seek=4 conv=notrunc status=none # EI_CLASS: 32 bit
    run --separate-stderr "$tare" exec ./foreign
    assert_refused 2
    assert_says "another machine or word size"
}

@test "damaged_programs_never_crash_the_tool" {
    local size=0
    for size in 1 4 16 40 64 100 1000 5000; do
        head -c "$size" /bin/true > broken
        chmod +x broken
        run "$tare" exec --dry-run ./broken
        [ "$status" -lt 126 ]
        rm broken
    done
}

@test "launchers_are_refused_with_what_to_do" {
    for launcher in mpiexec mpirun mpiexec.hydra mpirun.openmpi srun /some/where/mpiexec; do
        run --separate-stderr "$tare" exec "$launcher" -n 2 ./app
        assert_refused 2
        assert_says "${launcher##*/} -n 2 tare exec ./app"
    done
}

@test "program_that_only_begins_like_a_launcher_runs" {
    cp /bin/true srunner
    run "$tare" exec ./srunner
    [ "$status" -eq 0 ]
}

@test "value_that_is_not_allowed_ends_with_one_sentence" {
    TARE_MODE=telepathy run --separate-stderr "$tare" exec touch ran
    assert_refused 1
    assert_says "TARE_MODE"
    assert_says "telepathy"
    assert_says "header, datatype"
    [ ! -e ran ]
}

@test "value_that_is_not_allowed_is_said_by_rank_0_alone" {
    for variable in PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID; do
        TARE_RULE=x run --separate-stderr env $variable=0 "$tare" exec true
        assert_refused 1
        TARE_RULE=x run --separate-stderr env $variable=3 "$tare" exec true
        [ "$status" -eq 1 ]
        [ -z "$stderr" ]
    done
}

@test "program_missing_on_a_node_is_said_by_its_first_rank" {
    run -127 --separate-stderr env PMI_RANK=4 MPI_LOCALRANKID=0 "$tare" exec ./nothing
    assert_refused 127
    run -127 --separate-stderr env PMI_RANK=5 MPI_LOCALRANKID=1 "$tare" exec ./nothing
    [ "$status" -eq 127 ]
    [ -z "$stderr" ]
}

@test "unknown_family_is_refused" {
    run --separate-stderr "$tare" exec --family=lam true
    assert_refused 2
    assert_says "tare, mpich, openmpi"
}
