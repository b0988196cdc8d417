# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Tests use what is set here; bats sets status and output, the Makefile the rest.
# Shared by the tests of the PMPI layer. From the Makefile: top_srcdir, top_builddir, FAMILIES (those that a layer was
# built for), FAMILY_PROGRAMS (where each has its folder of test programs), MPIEXEC_FAMILY, ABOUT_FAMILY.
: "${top_srcdir:?is not set: run the tests by make check}" "${top_builddir:?}" "${FAMILY_PROGRAMS:?}"

# Sets MPIEXEC, PROGRAMS and LAYER (what is preloaded) for one family of MPI libraries, and its modes; own_mode is the
# one that is chosen where nobody chooses.
use_family() {
    local variable=MPIEXEC_${1^^}
    family=$1
    modes=(off datatype message copy)
    own_mode=datatype
    [[ $family != tare ]] || { modes+=(header) && own_mode=header; }
    MPIEXEC=${!variable-}
    PROGRAMS=$FAMILY_PROGRAMS/$family
    layer_folder=$top_builddir/src/pmpi/$family
    LAYER=$layer_folder/.libs/libtare-mpi.so:$top_builddir/src/lib/.libs/libtare.so
}

# A suite is for the family in whose folder it stands; in the source folder for the MPICH of this tree.
case ${BATS_TEST_DIRNAME##*/} in
mpich | openmpi) use_family "${BATS_TEST_DIRNAME##*/}" ;;
*) use_family tare ;;
esac

# Tests may run as root, and two ranks on one core; no rank is bound to a core, since ranks have threads.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none
bats_require_minimum_version 1.5.0

# Nothing of the caller's environment may change what is tested.
unset TARE_MODE TARE_RULE TARE_PROFILE TARE_PROFILE_DIR TARE_CARRIER_FORM TARE_VERBOSE TARE_OVERHEAD

# A program that crashes may leave files where it runs. Open MPI's jobs share a folder in /tmp, which the last one takes
# away under the next one's hands.
setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export OMPI_MCA_orte_tmpdir_base=$BATS_TEST_TMPDIR
}

# generate WHAT [TABLE [HEADER]]: what gen_wrappers.awk writes
generate() {
    local folder=$top_srcdir/src/pmpi
    awk -v what="$1" -f "$folder/gen_wrappers.awk" "${2:-$folder/calls.tab}" "${3:-header.i}"
}

# refusal CALL MODE: the sentence for a call that a carrier cannot take.
refusal() {
    echo "$1 is not carried by TARE_MODE=$2; use TARE_MODE=header or off"
}

# plain N PROGRAM [ARGUMENT]...: without the layer
plain() {
    local count=$1 program=$2
    shift 2
    timeout 120 "$MPIEXEC" -n "$count" "$PROGRAMS/$program" "$@"
}

# layered N PROGRAM [ARGUMENT]...: with the layer preloaded; variables as the caller has set them
layered() {
    local count=$1 program=$2
    shift 2
    timeout 120 "$MPIEXEC" -n "$count" env LD_PRELOAD="$LAYER" "$PROGRAMS/$program" "$@"
}

# measured N PROGRAM...: the same with a profile in $profile
measured() {
    profile=$BATS_TEST_TMPDIR/profile
    rm -rf "$profile" && mkdir "$profile"
    TARE_PROFILE=1 TARE_PROFILE_DIR=$profile layered "$@"
}

# calls RANK REGION: how often the profile says that a region was called; 0 if it is not there
calls() {
    awk -v name="\"$2\"" '$1 == name { n = $2 } END { print n + 0 }' \
        "$BATS_TEST_TMPDIR/profile/MULTI__TIME/profile.$1.0.0"
}

# expect_calls RANK REGION NUMBER [REGION NUMBER]...
expect_calls() {
    local rank=$1 n
    shift
    while [[ $# -gt 0 ]]; do
        n=$(calls "$rank" "$1")
        [[ $n -eq $2 ]] || { echo "rank $rank: $1 was called $n times, not $2"; return 1; }
        shift 2
    done
}

# One line of the output begins with `tare: `, and is this; MPI's launcher may add its own.
expect_sentence() {
    local lines
    lines=$(grep '^tare: ' <<< "$output")
    [[ $lines == "tare: $1" ]] || { printf 'said: %s\nwant: tare: %s\nall:\n%s\n' "$lines" "$1" "$output"; return 1; }
}

# The last run ended by itself, not well, and said this.
expect_refusal() {
    [[ $status -ne 0 && $status -ne 124 ]] || { echo "status $status: $output"; return 1; }
    expect_sentence "$1"
}

# Skips a test that needs one of the three Fortran bindings where the MPI has none.
need_fortran() {
    [[ -x $PROGRAMS/fortran_calls_$1 ]] || skip "$(cat "$PROGRAMS/fortran_missing")"
}
