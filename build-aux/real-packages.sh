# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2317
# Programs that Debian has built for its MPICH, run as they are on the patched one. Sourced by real-programs, which sets
# $work, $prefix, $rounds and $form.

# Packages are unpacked, not installed. Libraries of other packages are taken from this machine where it has them.
declare -A packages=(
    [netpipe]='netpipe-mpich2'
    [scalapack]='scalapack-mpi-test scalapack-test-common libscalapack-mpich2.2'
    [nwchem]='nwchem-mpich nwchem-data libscalapack-mpich2.2'
)
declare -A package_of_library=(
    [libblas.so.3]=libblas3 [liblapack.so.3]=liblapack3 [libgfortran.so.5]=libgfortran5
    [libquadmath.so.0]=libquadmath0 [libpython3.11.so.1.0]=libpython3.11
)

root=
libraries=

# unpack PROGRAM: into $work/PROGRAM, with the libraries that this machine lacks.
unpack() {
    local library wanted
    read -ra wanted <<<"${packages[$1]}"
    for library in "${!package_of_library[@]}"; do
        ldconfig -p | grep -q "$library " || wanted+=("${package_of_library[$library]}")
    done
    rm -rf "${work:?}/$1"
    mkdir -p "$work/$1/deb"
    cd "$work/$1/deb"
    apt-get -q -o APT::Sandbox::User=root download "${wanted[@]}"
    for library in *.deb; do dpkg -x "$library" "$work/$1"; done
    touch "$work/$1/unpacked"
}

# Sets $root, and the search path by which the program finds the patched MPICH before Debian's.
use_packages() {
    local folder
    [[ -f $work/$1/unpacked ]] || step "$1: download" "$work/download-$1.log" unpack "$1" >&2
    root=$work/$1/usr
    libraries=$prefix/lib
    for folder in "$root"/lib/*-linux-gnu "$root"/lib/*-linux-gnu/{blas,lapack}; do
        [[ ! -d $folder ]] || libraries+=:$folder
    done
}

# --- inputs, which are in the folder that the programs run in ---

# Sizes, blocks and process grids of a factorization: small blocks, so that there are many messages. Its condition
# estimate and refinement are left out: with them xdlu hangs at times, on Debian's MPICH as well.
input_scalapack() {
    cp "$root"/share/scalapack/INV.dat .
    cat >LU.dat <<'END_OF_INPUT'
'ScaLAPACK, LU factorization input file'
'MPI Machine'
'LU.out'     output file name (if any)
6            device out
2            number of problem sizes
700 800      values of M
700 800      values of N
1            number of NB's
4            values of NB
1            number of NRHS's
4            values of NRHS
1            number of NBRHS's
4            values of NBRHS
2            number of process grids (ordered pairs of P & Q)
1 2          values of P
2 1          values of Q
1.0          threshold
F            (T or F) Test Cond. Est. and Iter. Ref. Routines
END_OF_INPUT
}

input_nwchem() {
    cat >water.nw <<'END_OF_INPUT'
start water
title "Water"
memory 256 mb
geometry units angstroms
  O  0.000  0.000  0.117
  H  0.000  0.757 -0.469
  H  0.000 -0.757 -0.469
end
basis
  * library 6-31g*
end
scf
  thresh 1e-8
end
task scf energy
dft
  xc b3lyp
end
task dft gradient
END_OF_INPUT
}

input_netpipe() { :; }

# --- what is run, each a line: to compare results, and to compare times (a given number of messages) ---

checked_netpipe() { echo "$root/bin/NPmpich2 -i -n 200 -u 65536 -o np.out"; }
checked_scalapack() {
    echo "$root"/lib/*-linux-gnu/scalapack/mpich-tests/xdlu
    echo "$root"/lib/*-linux-gnu/scalapack/mpich-tests/xdinv
}
checked_nwchem() { echo "$root/bin/nwchem.mpich water.nw"; }

timed_netpipe() { echo "$root/bin/NPmpich2 -n 3000 -u 1024 -o np.out"; }
timed_scalapack() { checked_scalapack | head -n 1; }
timed_nwchem() { checked_nwchem; }

# Nobody's functions have hooks here, so a run is hardly longer for being measured. To have something to take off, a
# rank spins at each call of this, and declares it.
declare -A injected=(
    [netpipe]='rank=1,region=MPI_Send(),ns=2000'
    [scalapack]='rank=1,region=MPI_Bcast(),ns=10000'
    [nwchem]='rank=1,region=MPI_Barrier(),ns=60000'
)

# --- what the results are, without times ---

results_netpipe() { grep -o '[0-9]* bytes *[0-9]* times -->.*'; }
# xdlu: times and speed are columns 9 to 11; xdinv: 6 to 8, then the condition number and the residual.
results_scalapack() {
    awk '$1 != "WALL" && !/^ *[0-9]+ tests/ { next }
        $1 == "WALL" && NF == 12 { $9 = $10 = $11 = "" }
        $1 == "WALL" && NF == 11 { $6 = $7 = $8 = "" }
        { print }'
}
# Energies, and the table of coordinates and gradients.
results_nwchem() { grep -E 'Total (SCF|DFT) energy|(One|Two)-electron energy|repulsion|^ +[0-9]+ [OH] ( +-?[0-9.]+){6}'; }

# run_once PROGRAM OUTPUT COMMAND...: two ranks, with the patched MPICH
run_once() {
    local program=$1 output=$2
    shift 2
    LD_LIBRARY_PATH=$libraries NWCHEM_BASIS_LIBRARY=$root/share/nwchem/libraries/ \
        timeout 600 "$prefix/bin/mpiexec" -n 2 "$@" >"$output" 2>&1 </dev/null ||
        die "$program ended with status $?; its output: $output"
}

# compare_results PROGRAM: mode off without anything preloaded, and header with a profile
compare_results() {
    local command words folder=$work/run-$1
    while read -r command; do
        read -ra words <<<"$command"
        TARE_MODE=off run_once "$1" "$folder/off.out" "${words[@]}"
        rm -rf "$folder/profile" && mkdir "$folder/profile"
        TARE_PROFILE_DIR=$folder/profile run_once "$1" "$folder/tare.out" "$prefix/bin/tare" exec "${words[@]}"
        "results_$1" <"$folder/off.out" >"$folder/off.results" || die "$command printed no results: $folder/off.out"
        "results_$1" <"$folder/tare.out" >"$folder/tare.results" || die "$command printed no results: $folder/tare.out"
        diff "$folder/off.results" "$folder/tare.results" >"$folder/differences" ||
            die "$command: the results differ: $folder/differences"
        echo "$1, ${command##*/}: $(wc -l <"$folder/tare.results") lines of results are the same without" \
            "Tare and with it; $(mpi_calls "$folder/profile") MPI calls measured"
    done < <("checked_$1")
}

# The calls of all ranks.
mpi_calls() {
    awk '/^"MPI_/ && /GROUP="MPI"/ { n += $2 } END { print n + 0 }' "$1"/MULTI__TIME/profile.*
}

run_packaged() {
    local launch="$prefix/bin/mpiexec -bind-to core -n 2" command
    use_packages "$1"
    mkdir -p "$work/run-$1"
    cd "$work/run-$1"
    "input_$1"
    [[ " ${form[*]-} " == *" --json "* ]] || compare_results "$1"
    [[ -z ${results_only-} ]] || return 0
    command=$("timed_$1")
    [[ " ${form[*]-} " == *" --json "* ]] || echo "$1: TARE_INJECT='${injected[$1]}'"
    # shellcheck disable=SC2086  # words on purpose
    LD_LIBRARY_PATH=$libraries NWCHEM_BASIS_LIBRARY=$root/share/nwchem/libraries/ TARE_INJECT=${injected[$1]} \
        "$prefix/bin/tare" validate -n "$rounds" ${form[@]+"${form[@]}"} -- $launch $command
}
