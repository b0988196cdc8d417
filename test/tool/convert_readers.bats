#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare convert: what readers that know nothing of Tare find in its files.
# shellcheck disable=SC2154,SC2016  # $ in single quotes is meant; bats sets status, output, lines and stderr
load helpers

setup() {
    clean_environment
    command -v python3 > /dev/null || skip "python3 is not installed"
    cp -r "$FIXTURES/two_ranks" "$BATS_TEST_TMPDIR/run"
    chmod -R u+w "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR/run" || return 1
}

with_paths() {
    add_path '.TAU application => MPI_Send()' MPI 6 60 50 4 3
    add_path '.TAU application => work' TAU_USER 10 960 765 0 0
    add_path '.TAU application => work => MPI_Send()' MPI 3 30 25 2 1
    add_path 'helper => work => MPI_Send()' MPI 1 10 5 1 1
}

cube_values() {
    "$TOOL" convert -o ../run.cubex "$@"
    python3 "$SOURCES/test/tool/cube_values.py" ../run.cubex --shown
}

@test "cube_of_a_flat_profile_has_the_exclusive_figures" {
    run cube_values
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    grep -qx 'visits 0 0 work 10' <<< "$output"
    grep -qx 'time 1 0 MPI_Recv 0.0011505' <<< "$output"
    grep -qx 'tare_time_compensated 1 0 MPI_Recv 0.00090050000000000004' <<< "$output"
    grep -qx 'tare_removed 0 0 work 0.00020000000000000001' <<< "$output"
    grep -qx 'tare_mpi_wait 1 0 MPI_Recv 0.00114' <<< "$output"
    grep -qx 'tare_mpi_wait_compensated 1 0 MPI_Recv 0.00088999999999999995' <<< "$output"
    grep -qx 'bytes_sent 0 0 MPI_Send 400' <<< "$output"
    grep -qx 'bytes_received 1 0 MPI_Recv 400' <<< "$output"
    [ "$(grep -c '^bytes' <<< "$output")" -eq 2 ]
}

# Of MPI_Send() 100.25 us are measured, of them 100 on call paths; of work 1000, of them 960.
@test "cube_of_call_paths_adds_up_to_the_flat_profile" {
    with_paths
    run cube_values
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    grep -qx 'time 0 0 .TAU application => work => MPI_Send 3.0000000000000001e-05' <<< "$output"
    grep -qx 'time 0 0 helper => work => MPI_Send 1.0000000000000001e-05' <<< "$output"
    grep -qx 'time 0 0 MPI_Send 2.4999999999999999e-07' <<< "$output"
    grep -qx 'time 0 0 work 4.0000000000000003e-05' <<< "$output"
    grep -qx 'bytes_sent 0 0 MPI_Send 400' <<< "$output"
    for name in 'MPI_Send:10:0.00010025' 'work:10:0.001' '.TAU application:1:0.00010025'; do
        IFS=: read -r region calls time <<< "$name"
        [ "$(grep -E "^visits 0 0 (.* => )?$region [0-9]+\$" <<< "$output" |
            awk '{s += $NF} END {print s}')" -eq "$calls" ]
        [ "$(grep -E "^time 0 0 (.* => )?$region [0-9.e-]+\$" <<< "$output" |
            awk '{s += $NF} END {printf "%.9g", s}')" = "$time" ]
    done
}

@test "cube_keeps_figures_in_ghosts" {
    "$TOOL" convert -o ../run.cubex
    run python3 "$SOURCES/test/tool/cube_values.py" ../run.cubex
    grep -qx 'tare_region_incl_ns 0 0 .TAU application 1200500' <<< "$output"
    grep -qx 'tare_region_residue_ns 1 0 .TAU application -500' <<< "$output"
    grep -qx 'tare_region_hi_ns 1 0 MPI_Recv 905125' <<< "$output"
}

@test "cube_describes_regions_hosts_and_metadata" {
    sed -i 's#</metadata>#<attribute><name>tare host</name><value>node\&lt;7\&gt;</value></attribute>&#' \
        MULTI__*/profile.1.0.0
    "$TOOL" convert -o ../run.cubex
    run python3 - ../run.cubex << 'END'
import sys, tarfile, xml.etree.ElementTree as xml
root = xml.fromstring(tarfile.open(sys.argv[1], "r:").extractfile("anchor.xml").read())
print(root.get("version"), [n.text for n in root.iter("name") if n.text.startswith("node")])
for r in root.iter("region"):
    print(*(r.findtext(t) for t in ("name", "paradigm", "role", "descr")), r.get("mod"), sep="|")
print([(g.findtext("name"), g.findtext("rank"), g.findtext("type")) for g in root.iter("locationgroup")])
print({a.get("key"): a.get("value") for a in root.findall("attr")}["tare run id"])
print([a.get("value") for a in root.iter("attr") if a.get("key") == "tare enter constant ns"])
END
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$output" = "4.4 ['node<7>']
.TAU application|user|function|TAU_DEFAULT|
MPI_Recv|mpi|point2point|MPI|MPI
MPI_Send|mpi|point2point|MPI|MPI
work|user|function|TAU_USER|
[('MPI Rank 0', '0', 'process'), ('MPI Rank 1', '1', 'process')]
20240229-fixture
['12.4', '12.9']" ]
}

@test "csv_is_as_RFC_4180_says" {
    sed -i 's/"work"/"a, "b""/; s/: work"/: a, "b""/' MULTI__*/profile.0.0.0
    "$TOOL" convert -o ../run.csv
    [ "$(grep -c $'\r$' ../run.csv)" -eq "$(wc -l < ../run.csv)" ]
    run python3 - ../run.csv << 'END'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline=""), strict=True))
print(len(rows), [r["incl_ns"] for r in rows if r["region"] == 'a, "b"'], len({len(r) for r in rows}))
END
    [ "$output" = "5 ['1000000'] 1" ]
}

@test "chrome_bars_lie_inside_each_other_and_are_as_wide_as_their_time" {
    with_paths
    "$TOOL" convert -o ../run.trace.json
    run python3 - ../run.trace.json << 'END'
import json, sys
data = json.load(open(sys.argv[1]))
bars = [e for e in data["traceEvents"] if e["ph"] == "X"]
assert all(isinstance(e["ts"], float) and e["dur"] >= 0 for e in bars)
names = {(e["pid"], e["tid"]): e["args"]["name"] for e in data["traceEvents"] if e["name"] == "thread_name"}
open_until = {}
for e in bars:
    track = open_until.setdefault((e["pid"], e["tid"]), [])
    while track and e["ts"] > track[-1] - 0.0005:
        track.pop()
    assert not track or e["ts"] + e["dur"] <= track[-1] + 0.0005, e
    track.append(e["ts"] + e["dur"])
paths = [(e["name"], round(e["dur"], 3)) for e in bars if e["pid"] == 0 and e["tid"] == 0]
print(*paths, sep="\n")
print(names[0, 0], "|", names[0, 1], "|", "not a time line" in json.dumps(data))
END
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$output" = "('.TAU application', 940.25)
('work', 790.0)
('MPI_Send()', 25.0)
('MPI_Send()', 50.0)
('work', 35.0)
('MPI_Send()', 20.125)
('helper', 5.0)
('work', 5.0)
('MPI_Send()', 5.0)
thread 0, call paths | thread 0, regions, exclusive | True" ]
}

@test "chrome_regions_side_by_side_are_as_wide_as_the_root_is_long" {
    "$TOOL" convert --clock=measured -o ../run.trace.json
    run python3 - ../run.trace.json << 'END'
import json, sys
bars = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X" and e["pid"] == 1]
end = 0
for e in bars:
    assert abs(e["ts"] - end) < 1e-6
    end = e["ts"] + e["dur"]
print(round(end, 3))
END
    [ "$output" = "1250.0" ]
}

@test "speedscope_weights_are_the_exclusive_times_and_frames_are_there" {
    with_paths
    "$TOOL" convert --clock=measured -o ../run.speedscope.json
    run python3 - ../run.speedscope.json << 'END'
import json, sys
data = json.load(open(sys.argv[1]))
assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
frames = [f["name"] for f in data["shared"]["frames"]]
for p in data["profiles"]:
    assert p["type"] == "sampled" and p["unit"] == "nanoseconds" and p["startValue"] == 0
    assert len(p["samples"]) == len(p["weights"]) and sum(p["weights"]) == p["endValue"]
    print(p["name"], p["endValue"])
    for stack, weight in zip(p["samples"], p["weights"]):
        print(" => ".join(frames[i] for i in stack), weight)
END
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    [ "$output" = "rank 0, thread 0 1200500
.TAU application 100250
.TAU application => work 960000
.TAU application => work => MPI_Send() 30000
.TAU application => MPI_Send() 60000
work 40000
helper => work => MPI_Send() 10000
MPI_Send() 250
rank 1, thread 0 1250000
MPI_Recv() 1150500
.TAU application 99500" ]
}

need() {
    command -v "$1" > /dev/null || skip "$1 is not installed"
}

@test "sqlite3_reads_csv_as_a_table" {
    need sqlite3
    sed -i 's/"work"/"a, "b""/; s/: work"/: a, "b""/' MULTI__*/profile.0.0.0
    "$TOOL" convert -o ../run.csv
    run sqlite3 -cmd '.mode csv' -cmd '.import ../run.csv p' :memory: \
        'select count(*), sum(cast(excl_ns as integer)) from p; select calls, incl_comp_ns from p where region = '\''a, "b"'\'
    [ "$(tr -d "\r" <<< "$output" | paste -s)" = $'5,2450500\t10,800000' ]
}

@test "tar_and_xmllint_read_cube" {
    need tar
    need xmllint
    with_paths
    "$TOOL" convert -o ../run.cubex
    [ "$(tar -tf ../run.cubex | head -n 2 | paste -s)" = $'anchor.xml\t0.index' ]
    tar -xOf ../run.cubex anchor.xml > ../anchor.xml
    run xmllint --noout ../anchor.xml
    [ "$status" -eq 0 ] && [ -z "$output" ]
    [ "$(xmllint --xpath 'count(//cnode)' ../anchor.xml)" -eq 10 ] ||
        { xmllint --xpath '//cnode/@calleeId' ../anchor.xml; return 1; }
    [ "$(xmllint --xpath 'string(//region[name="MPI_Recv"]/role)' ../anchor.xml)" = point2point ]
    [ "$(xmllint --xpath 'string(//metric[uniq_name="time"]/uom)' ../anchor.xml)" = sec ]
}

@test "jq_reads_json_chrome_and_speedscope" {
    need jq
    with_paths
    "$TOOL" convert -o ../run.json
    [ "$(jq '[.rows[] | select(.region == "MPI_Recv()") | .wait_ns] | add' ../run.json)" -eq 1140000 ]
    "$TOOL" convert -o ../run.trace.json
    [ "$(jq -r '[.traceEvents[] | select(.ph == "X") | .args.kind] | unique | join(" ")' ../run.trace.json)" = \
        "path region way" ]
    "$TOOL" convert -o ../run.speedscope.json
    [ "$(jq -c '[.profiles[] | (.weights | add) == .endValue]' ../run.speedscope.json)" = "[true,true]" ]
}

@test "perl_and_node_read_every_json" {
    for suffix in json trace.json speedscope.json; do "$TOOL" convert -o "../run.$suffix"; done
    if command -v node > /dev/null; then
        run node -e 'for (const f of process.argv.slice(1))
            console.log(Object.keys(JSON.parse(require("fs").readFileSync(f))).length)' ../run.json ../run.trace.json \
            ../run.speedscope.json
        [ "$(paste -s <<< "$output")" = $'6\t3\t6' ]
    fi
    perl -MJSON::PP -e 1 2> /dev/null || skip "perl has no JSON::PP"
    run perl -MJSON::PP -e 'local $/; for my $f (@ARGV) { open my $in, "<", $f; print scalar keys %{decode_json(<$in>)}, "\n" }' \
        ../run.json ../run.trace.json ../run.speedscope.json
    [ "$(paste -s <<< "$output")" = $'6\t3\t6' ]
}
