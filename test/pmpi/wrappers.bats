#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The wrappers that were written from a family's own mpi.h.
# shellcheck disable=SC2020,SC2154  # tr on three characters; the helper sets the rest
load helper

# An independent count: names before a parenthesis in declarations of the preprocessed header.
prototypes_of() {
    grep -v '^#' "$1" | sed 's/__attribute__((visibility("default")))//' | tr '\n' ' ' | tr ';{}' '\n\n\n' |
        grep -v typedef |
        grep -oE '^[^(=]*[ *]MPI_[A-Za-z0-9_]+ *\(' | grep -oE 'MPI_[A-Za-z0-9_]+ *\($' | tr -d ' (' | sort -u
}

@test "mpi_h_every_prototype_wrapped_or_excluded" {
    header=$layer_folder/mpi.i
    generate list "" "$header" > list.txt
    diff <(prototypes_of "$header") <(cut -d" " -f1 list.txt | sort)
    [[ $(wc -l < list.txt) -gt 350 ]]
}

@test "library_defines_both_names_of_every_wrapped_function" {
    generate list "" "$layer_folder/mpi.i" > list.txt
    awk '$2 != "skip" { print $1; print "P" $1 }' list.txt | sort > wanted
    nm -D --defined-only "${LAYER%%:*}" | awk '{ print $3 }' | sed 's/@.*//' | grep 'MPI_' | sort > defined
    diff wanted defined
}

@test "library_refers_to_no_mpi_symbol" {
    run bash -c 'nm -D --undefined-only "$1" | grep -w "P*MPI_[A-Za-z_0-9]*\|[a-z]*mpi_[a-z_]*"' - "${LAYER%%:*}"
    [[ -z $output ]]
}
