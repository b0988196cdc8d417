#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what a Cube file holds, read by nothing of Tare's: a line METRIC RANK THREAD PATH VALUE for each value that is
not 0, and with --shown only of metrics that are not ghosts. Times are printed as %.17g."""
import struct
import sys
import tarfile
import xml.etree.ElementTree as xml

archive = tarfile.open(sys.argv[1], "r:")
root = xml.fromstring(archive.extractfile("anchor.xml").read())
regions = {r.get("id"): r.findtext("name") for r in root.find("program").findall("region")}
paths = {}


def walk(parent, way):
    for cnode in parent.findall("cnode"):
        path = way + [regions[cnode.get("calleeId")]]
        paths[int(cnode.get("id"))] = " => ".join(path)
        walk(cnode, path)


walk(root.find("program"), [])
locations = {}
for group in root.iter("locationgroup"):
    for location in group.findall("location"):
        locations[int(location.get("Id"))] = (group.findtext("rank"), location.findtext("rank"))
assert sorted(locations) == list(range(len(locations)))
assert sorted(paths) == list(range(len(paths)))

for metric in root.iter("metric"):
    index = archive.extractfile(metric.get("id") + ".index").read()
    data = archive.extractfile(metric.get("id") + ".data").read()
    marker, order, version, kind, count = struct.unpack("<11sIHBI", index[:22])
    assert (marker, order, version, kind) == (b"CUBEX.INDEX", 1, 0, 1), index
    ids = struct.unpack("<%dI" % count, index[22:])
    assert data[:10] == b"CUBEX.DATA" and list(ids) == sorted(set(ids))
    code = {"UINT64": "Q", "INT64": "q", "DOUBLE": "d"}[metric.findtext("dtype")]
    values = struct.unpack("<%d%s" % (count * len(locations), code), data[10:])
    if "--shown" in sys.argv and metric.get("viztype") == "GHOST":
        continue
    for i, value in enumerate(values):
        if value != 0:
            text = "%.17g" % value if code == "d" else str(value)
            rank, thread = locations[i % len(locations)]
            print(metric.findtext("uniq_name"), rank, thread, paths[ids[i // len(locations)]], text)
