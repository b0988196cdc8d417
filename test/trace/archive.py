# SPDX-License-Identifier: BSD-3-Clause
"""What scripts that read archives have in common."""
from otf2 import definitions


def rank_of(location):
    return int(location.group.name.split()[-1])


def thread_of(location):
    return 0 if location.name == "Master thread" else int(location.name.split()[-1])


def attributes_of(event):
    return {attribute.name: value for attribute, value in event.attributes.items()}


def read_intercommunicators():
    """python3-otf2 3.0.2 makes InterComm of Comm with the fields of both, and so takes one for the other."""
    fields = definitions.InterComm._fields
    definitions.InterComm._fields = [f for f in fields if f.name not in ("group", "parent", "flags")] + [
        f for f in fields if f.name in ("parent", "flags")][-2:]
