#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154  # bats sets status and output
load helper

# refused SENTENCE ARGUMENT...
refused() {
    local sentence=$1
    shift
    run --separate-stderr ranks 2 "$@"
    [[ $status -eq 2 ]]
    assert_sentence "tare_kernel: $sentence"
}

@test "kernel_help_without_mpiexec_goes_to_stdout" {
    for option in --help -h; do
        run --separate-stderr "$kernel" $option
        [[ $status -eq 0 && -z $stderr && ${lines[0]} == "Usage: mpiexec -n 2 tare_kernel [OPTION]... KERNEL" ]]
    done
}

@test "kernel_version_on_two_ranks_is_printed_once" {
    run --separate-stderr ranks 2 --version
    [[ $status -eq 0 && -z $stderr && $output == "tare_kernel (Tare) $VERSION" ]]
}

@test "kernel_list_has_a_row_each" {
    run --separate-stderr "$kernel" --list
    [[ $status -eq 0 && -z $stderr && ${#lines[@]} -eq 10 ]]
    [[ $(kernels | xargs) == "jacobi wavefront cg sort fft montecarlo contest pipe onesided" ]]
}

@test "kernel_manual_has_its_options_and_no_others" {
    options() { grep -oE '(^|[^a-z-])--?[a-z][a-z-]*' | grep -oE -e '--?[a-z][a-z-]*' | sort -u; }
    page=$(awk '/^\.SH / { on = $2 == "OPTIONS"; next } on && entry; { entry = /^\.TP/ }' \
        "$top_srcdir/doc/man/tare_kernel.1" | sed -E 's/\\-/-/g; s/\\f[A-Z]/ /g' | options)
    help=$("$kernel" --help | grep -oE '^ {2,6}(-[a-z], )?--[a-z-]+' | options)
    [[ $(wc -l <<< "$help") -ge 15 ]]
    diff <(echo "$help") <(echo "$page")
}

@test "kernel_completion_offers_its_options_and_the_kernels" {
    # shellcheck source=/dev/null
    source "$top_srcdir/src/tool/completion/tare"
    COMP_WORDS=("$kernel" -) COMP_CWORD=1
    _tare_kernel
    diff <("$kernel" --help | grep -oE '^ {2,6}(-[a-z], )?--[a-z-]+' | tr -d ' ' | tr , '\n' | sort) \
        <(printf '%s\n' "${COMPREPLY[@]}" | sort)
    COMP_WORDS=("$kernel" --json '') COMP_CWORD=2
    _tare_kernel
    [[ ${COMPREPLY[*]} == "$(kernels | xargs)" && $(complete -p tare_kernel) == *_tare_kernel* ]]
}

@test "kernel_that_is_unknown_is_refused" {
    all=$(kernels | paste -sd, | sed 's/,/, /g')
    refused "no kernel is called lu: give one of $all (see --help)" lu
    refused "a kernel is missing: give one of $all (see --help)" --dilation 20
    refused "unexpected argument cg (see --help)" jacobi cg
}

@test "kernel_values_out_of_range_are_refused" {
    refused "--dilation 10001: give a whole number from 0 to 10000 (see --help)" jacobi --dilation 10001
    refused "--dilation -1: give a whole number from 0 to 10000 (see --help)" jacobi -d -1
    refused "--others 101: give a whole number from 0 to 100 (see --help)" jacobi --others 101
    refused "--steps 0: give a whole number from 1 to 1000000 (see --help)" jacobi -i 0
    refused "--laps 0: give a whole number from 1 to 1000000 (see --help)" jacobi --laps 0
    refused "--laps 7: give a divisor of the 1500 steps (see --help)" jacobi --laps 7
    refused "--size x: give a whole number from 1 to 2147483647 (see --help)" jacobi -s x
    refused "--size 20001: the largest of jacobi is 20000 (see --help)" jacobi -s 20001
    refused "--size 4: jacobi on 2 ranks needs at least 6" jacobi -s 4
    refused "--rank 2: there are ranks 0 to 1" jacobi --rank 2
}

@test "kernel_options_unknown_are_refused" {
    refused "unknown option --bogus (see --help)" --bogus jacobi
    refused "unknown option -q (see --help)" -q jacobi
    refused "--dilation needs a value (see --help)" jacobi --dilation
}

@test "kernel_on_one_rank_is_refused" {
    for name in $(kernels); do
        run --separate-stderr ranks 1 "$name"
        [[ $status -eq 2 ]]
        assert_sentence "tare_kernel: $name needs at least 2 ranks: start it by mpiexec -n 2"
    done
}

@test "kernel_names_no_folder_of_the_build" {
    run readelf -d "$kernel"
    [[ $status -eq 0 && $output == *"[\$ORIGIN/../lib]"* && $output != *"$MPICH_STAGE"* ]]
}
