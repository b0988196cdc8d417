#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""windows.py ARCHIVE RANK: the events of windows of a rank, one a line, as windows.c writes them.

Operations are numbered in the order in which they begin. Tests that fail one behind the other are one line. An operation
that completes twice, or was not begun, is an assertion, and so is one that is complete at its target before its origin.
"""
import sys

import archive
import otf2
from otf2 import events as e

ALL = 2**32 - 1


def word(value):
    return str(value).split(".")[-1]


def level(value):
    return "|".join(name for bit, name in ((1, "PROCESS"), (2, "MEMORY")) if int(value.value) & bit) or "NONE"


def target(rank):
    return "all" if rank == ALL else str(rank)


class Reader:
    def __init__(self):
        self.numbers, self.local, self.remote, self.lines = {}, set(), set(), []

    def begin(self, event):
        assert event.matching_id not in self.numbers, event
        self.numbers[event.matching_id] = len(self.numbers) + 1
        return self.numbers[event.matching_id]

    def complete(self, event, done):
        assert event.matching_id in self.numbers and event.matching_id not in done, event
        done.add(event.matching_id)
        return self.numbers[event.matching_id]

    def line(self, v):
        if isinstance(v, e.RmaWinCreate):
            return f"create {v.win.name}"
        if isinstance(v, e.RmaWinDestroy):
            return f"destroy {v.win.name}"
        if isinstance(v, e.RmaCollectiveBegin):
            return "begin"
        if isinstance(v, e.RmaCollectiveEnd):
            assert v.bytes_sent == 0 and v.bytes_received == 0, v
            return f"end {word(v.collective_op)} {level(v.sync_level)} {v.win.name}"
        if isinstance(v, e.RmaPut):
            return f"put {v.win.name} {v.remote} {v.bytes} {self.begin(v)}"
        if isinstance(v, e.RmaGet):
            return f"get {v.win.name} {v.remote} {v.bytes} {self.begin(v)}"
        if isinstance(v, e.RmaAtomic):
            return f"atomic {v.win.name} {v.remote} {word(v.type)} {v.bytes_sent} {v.bytes_received} {self.begin(v)}"
        if isinstance(v, e.RmaOpCompleteNonBlocking):
            return f"local {v.win.name} {self.complete(v, self.local)}"
        if isinstance(v, e.RmaOpCompleteRemote):
            assert v.matching_id in self.local, v
            return f"remote {v.win.name} {self.complete(v, self.remote)}"
        if isinstance(v, e.RmaOpTest):
            assert v.matching_id not in self.local, v
            return f"test {v.win.name} {self.numbers[v.matching_id]}"
        if isinstance(v, e.RmaGroupSync):
            return f"group {level(v.sync_level)} {v.win.name} {' '.join(str(archive.rank_of(m)) for m in v.group.members)}"
        if isinstance(v, e.RmaRequestLock):
            return f"lock {v.win.name} {target(v.remote)} {word(v.lock_type)}"
        if isinstance(v, e.RmaReleaseLock):
            return f"unlock {v.win.name} {target(v.remote)}"
        if isinstance(v, e.RmaSync):
            return f"sync {v.win.name} {v.remote} {word(v.sync_type)}"
        return None


def lines_of(path, rank):
    reader = Reader()
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if archive.rank_of(location) == rank:
                line = reader.line(event)
                if line is not None and not (line.startswith("test") and reader.lines[-1] == line):
                    reader.lines.append(line)
    return reader.lines


if __name__ == "__main__":
    print("\n".join(lines_of(sys.argv[1], int(sys.argv[2]))))
