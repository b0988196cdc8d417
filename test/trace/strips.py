#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""strips.py ARCHIVE: which strips of examples/hybrid have sent to which, COUNT from STRIP to STRIP. A thread's strip is what
the tags of its messages say; who has sent a message is what the message says."""
import collections
import sys

import archive
import otf2

strips, messages = {}, collections.Counter()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, otf2.events.MpiIrecv):
            to = rank, thread = archive.rank_of(location), archive.thread_of(location)
            assert strips.setdefault(to, event.msg_tag // 2) == event.msg_tag // 2, "a thread with two strips"
            messages[(event.sender, archive.attributes_of(event)["peer_thread"]), to] += 1
for (sender, to), count in messages.items():
    print(f"{count} from {strips[sender]} to {strips[to]}")
