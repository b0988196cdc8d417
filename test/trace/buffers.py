#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""buffers.py ARCHIVE RANK [sites]: what TARE_TRACE_RECORDS has recorded of a rank, in that order.

Without sites, of each event that has buffers: EVENT [at DISPLACEMENT+OFFSET SPAN TYPE] [unit BYTES] [reads ADDRESS SPAN TYPE] [writes ADDRESS SPAN TYPE]
[names NAME ADDRESS SPAN TYPE], EVENT of a leave with its region, TYPE - where there is none. With sites, of each call that has one: REGION SITE.
"""
import sys

import archive
import otf2
from otf2 import events as e

archive.read_intercommunicators()


def name_of(event):
    return f"Leave {event.region.name}" if isinstance(event, e.Leave) else type(event).__name__


def memory(attributes, role, verb):
    if role + "_address" not in attributes:
        return ""
    kind = attributes.get(role + "_type", "-")
    return f" {verb} {attributes[role + '_address']:#x} {attributes[role + '_span']} {kind}"


def buffers(event):
    attributes = archive.attributes_of(event)
    at = f" at {attributes['displacement']}+{attributes['target_offset']} " + (
        f"{attributes['target_span']} {attributes['target_type']}") if "displacement" in attributes else ""
    at += f" unit {attributes['displacement_unit']}" if "displacement_unit" in attributes else ""
    used = memory(attributes, "send", "reads") + memory(attributes, "receive", "writes")
    if "data_name" in attributes:
        used += memory(attributes, "data", f"names {attributes['data_name']}")
    return name_of(event) + at + used if used else None


def site(event):
    found = archive.attributes_of(event).get("call_site")
    return f"{event.region.name} {found}" if found else None


def main(path, rank, what=buffers):
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            line = what(event) if archive.rank_of(location) == int(rank) else None
            if line is not None:
                print(line)


main(*sys.argv[1:3], *([site] if sys.argv[3:] == ["sites"] else []))
