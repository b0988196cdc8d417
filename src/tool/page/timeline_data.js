// SPDX-License-Identifier: BSD-3-Clause
// The time line as the tool has written it: an object of JSON, for each thread and for the messages bytes in base64, in
// which numbers have seven bits a byte, the low ones first, and those that may be negative their sign in the lowest bit.
// Times are ns since the trace began, each on the compensated and on the measured clock.
//
// Of a thread: where its first part begins, and for each part a number (twice the region's, from 1 on, 0 for none, one
// more than all for several of them; and 1 if it waits), its lengths, and what waits at its beginning. Several together:
// how many, and how long they are in no region, in MPI, and wait.
"use strict";

const trace = JSON.parse(document.getElementById("tare-timeline").textContent);
const clock_names = ["compensated", "measured"];
const both = [0, 1];

class ByteReader {
    constructor(element) {
        const text = atob(element.textContent);
        this.bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++)
            this.bytes[i] = text.charCodeAt(i);
        this.at = 0;
    }

    number() {
        let value = 0;
        for (let scale = 1; ; scale *= 128) {
            const byte = this.bytes[this.at++];
            value += (byte & 127) * scale;
            if (byte < 128)
                return value;
        }
    }

    signed() {
        const value = this.number();
        return value % 2 ? -(value + 1) / 2 : value / 2;
    }
}

const kind_none = 0, kind_program = 1, kind_mpi = 2, kind_waiting = 3;
const region_none = 0, region_many = trace.regions.length + 1;
const is_mpi = new Uint8Array(region_many + 1);
for (const region of trace.mpi)
    is_mpi[region + 1] = 1;

function kind_of(region) { return region === region_none ? kind_none : is_mpi[region] ? kind_mpi : kind_program; }

// at[clock][i]: where part i begins, and the last one ends; sums[clock][kind][i]: how long it was of this kind before.
class Thread {
    constructor(about, element) {
        Object.assign(this, about);
        this.region = new Int32Array(this.parts);
        this.together = new Map();
        this.at = both.map(() => new Float64Array(this.parts + 1));
        this.sums = both.map(() => [null, ...[1, 2, 3].map(() => new Float64Array(this.parts + 1))]);
        const reader = new ByteReader(element);
        for (const c of both)
            this.at[c][0] = this.parts > 0 ? reader.number() : 0;
        for (let i = 0; i < this.parts; i++)
            this.read_part(reader, i);
    }

    read_part(reader, i) {
        const code = reader.number(), region = this.region[i] = Math.floor(code / 2);
        const lengths = both.map(() => reader.number());
        if (region === region_many)
            this.together.set(i, reader.number());
        const pairs = (is_there) => both.map(() => is_there ? reader.number() : 0);
        const nowhere = pairs(region === region_many), in_mpi = pairs(region === region_many), waits = pairs(code % 2);
        for (const c of both) {
            const rest = lengths[c] - waits[c];
            const mpi = region === region_many ? in_mpi[c] : kind_of(region) === kind_mpi ? rest : 0;
            const amounts = [0, region === region_none ? 0 : rest - mpi - nowhere[c], mpi, waits[c]];
            this.at[c][i + 1] = this.at[c][i] + lengths[c];
            for (const kind of [1, 2, 3])
                this.sums[c][kind][i + 1] = this.sums[c][kind][i] + amounts[kind];
        }
    }

    amount(clock, kind, i) { return this.sums[clock][kind][i + 1] - this.sums[clock][kind][i]; }

    // The part at this time; -1 or the number of parts: before or behind all of them. from: no part before it is.
    find(clock, time, from = 0) {
        const at = this.at[clock];
        if (this.parts === 0 || time < at[0])
            return -1;
        let low = Math.max(from, 0), high = this.parts;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (at[middle + 1] > time)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }

    // How long it has been of this kind at this time, which is in part i.
    sum(clock, kind, i, time) {
        if (i < 0)
            return 0;
        const sums = this.sums[clock][kind];
        if (i >= this.parts)
            return sums[this.parts];
        const begin = this.at[clock][i], length = this.at[clock][i + 1] - begin, amount = sums[i + 1] - sums[i];
        if (this.region[i] === region_many)
            return sums[i] + amount * (time - begin) / length;
        const waits = this.amount(clock, kind_waiting, i);
        const gone = kind === kind_waiting ? time - begin : time - begin - waits;
        return sums[i] + Math.min(Math.max(gone, 0), amount);
    }

    // By kind, how long it was each between two times.
    between(clock, from, to) {
        const first = this.find(clock, from), last = this.find(clock, to, first);
        return [0, 1, 2, 3].map((kind) => kind === kind_none ? 0 :
            this.sum(clock, kind, last, to) - this.sum(clock, kind, first, from));
    }
}

// Columns of what joins two threads: from, to, count; sent[clock], received[clock].
function read_messages(element, count) {
    const messages = {count};
    for (const name of ["from", "to", "of", "by_sequence", "bytes", "tag"])
        messages[name] = new Float64Array(count);
    messages.sent = both.map(() => new Float64Array(count));
    messages.received = both.map(() => new Float64Array(count));
    const reader = new ByteReader(element);
    for (let i = 0, before = 0; i < count; i++) {
        for (const name of ["from", "to", "of", "by_sequence", "bytes", "tag"])
            messages[name][i] = reader.number();
        before = messages.sent[1][i] = before + reader.number();
        messages.sent[0][i] = before - reader.signed();
        for (const c of both)
            messages.received[c][i] = messages.sent[c][i] + reader.signed();
    }
    return messages;
}

const part_elements = document.getElementsByClassName("tare-parts");
const threads = trace.threads.map((about, i) => new Thread(about, part_elements[i]));
const messages = read_messages(document.getElementById("tare-messages"), trace.messages.lines);
