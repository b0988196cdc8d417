# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Which tests there are: MPICH's testlist files.  A line is `program ranks [key=value...]`, or a folder that has a
# list itself.  A test is named `folder/program ranks`; what a list holds twice gets `(2)`, `(3)` behind it.

# Of each test that was looked at: its line in MPICH's list, and the folder of that list.
declare -A line_of folder_with
tests=() folders=()

list_files() {
    echo testlist
    [[ $sweeps == no ]] || printf '%s\n' testlist.dtp testlist.cvar
}

# source_of FOLDER: where its sources are; lists that configure does not write are there.
source_of() {
    local source
    source=$(sed -n 's/^srcdir *= *//p' "$suite/Makefile" 2>/dev/null) || true
    [[ $source == /* ]] || source=$suite/${source:-.}
    echo "$source/$1"
}

# lines_of FOLDER: its lists without comments.
lines_of() {
    local list place
    for list in $(list_files); do
        for place in "$suite/$1" "$(source_of "$1")"; do
            [[ ! -f $place/$list ]] || { cat "$place/$list"; break; }
        done
    done | sed -e 's/#.*//' -e 's/^[[:space:]]*//' -e '/^$/d'
}

# read_folder FOLDER: its tests, and those of the folders that its list names, into `found` and line_of.
read_folder() {
    local folder=$1 program ranks rest name
    local -A seen=()
    while read -r program ranks rest; do
        if [[ -d $suite/$folder/$program ]]; then
            read_folder "$folder/$program"
            continue
        fi
        name="$folder/$program ${ranks:-2}"
        seen[$name]=$((${seen[$name]:-0} + 1))
        ((seen[$name] == 1)) || name+=" (${seen[$name]})"
        line_of[$name]="$program ${ranks:-2} $rest"
        folder_with[$name]=$folder
        found+=("$name")
    done < <(lines_of "$folder")
}

# The folders of the C tests that configure has chosen, and those that their lists name.
known_folders() {
    local folder
    for folder in $(lines_of .); do
        echo "$folder"
        (cd "$suite" && find "$folder" -mindepth 1 -type d -exec test -f '{}/Makefile' \; -print)
    done
}

# folder_of TEST: the longest beginning that is a folder with tests.
folder_of() {
    local folder=${1%% *}
    while [[ -n $folder ]]; do
        if grep -qxF -- "$folder" <<<"$all_folders"; then
            echo "$folder"
            return
        fi
        [[ $folder == */* ]] || break
        folder=${folder%/*}
    done
    bad_usage "$1: no such folder of MPICH's tests; there are $(lines_of . | paste -s -d ' ')"
}

# select_one TEST: adds to `tests` what a word of the command line names.
select_one() {
    local folder name before=${#tests[@]}
    folder=$(folder_of "$1") || exit
    found=()
    read_folder "$folder"
    for name in "${found[@]}"; do
        if [[ $1 == "$folder" || $name == "$1" || ${name%% *} == "$1" ]]; then
            tests+=("$name")
        fi
    done
    ((${#tests[@]} > before)) ||
        bad_usage "$1: $folder has no such test; mpich-suite list $folder prints its tests"
}

select_tests() {
    local word all_folders found
    all_folders=$(known_folders)
    for word in "${wanted[@]}"; do
        select_one "$word"
    done
    mapfile -t tests < <(printf '%s\n' "${tests[@]}" | awk '!seen[$0]++')
    for word in "${tests[@]}"; do
        [[ " ${folders[*]} " == *" ${folder_with[$word]} "* ]] || folders+=("${folder_with[$word]}")
    done
}
