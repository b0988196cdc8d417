// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names as they are shown, and elements to show them in. Nothing here parses text as HTML.

const units = [["us", 1e3], ["ms", 1e6], ["s", 1e9]].map(([name, ns]) => ({name, ns}));

// One unit for a whole table, as in the tool's own tables.
function unit_for(largest_ns) {
    if (largest_ns < 10e6)
        return units[0];
    return largest_ns < 10000e9 ? units[1] : units[2];
}

function time_text(ns, unit) { return (ns / unit.ns).toFixed(3); }

// In words: with a unit that suits the larger.
function times_phrase(...times_ns) {
    const size = largest(times_ns);
    const unit = size < 1e6 ? units[0] : size < 1e9 ? units[1] : units[2];
    return times_ns.map((ns) => (ns / unit.ns).toFixed(2) + " " + unit.name).join(" \u2192 ");
}

function time_phrase(ns) { return times_phrase(ns); }

function percent_of(part, whole) { return whole === 0 ? (part === 0 ? 0 : NaN) : 100 * part / whole; }
function percent_text(value) { return Number.isFinite(value) ? value.toFixed(2) : ""; }
function change_text(value) { return (value >= 0 ? "+" : "") + percent_text(value); }
function count_phrase(count, what) { return count + " " + what + (count === 1 ? "" : "s"); }

function size_text(bytes) {
    const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let n = 0;
    for (; bytes >= 1024 && n + 1 < names.length; n++)
        bytes /= 1024;
    return (Number.isInteger(bytes) ? bytes : bytes.toFixed(1)) + " " + names[n];
}

function largest(values) {
    let most = 0;
    for (const value of values)
        most = Math.max(most, Math.abs(value));
    return most;
}

// Names come from files: what a browser would not show, or would obey, is replaced.
function printable(name) {
    return name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

// element("td", {class: "x"}, text or element, ...)
function element(kind, attributes = {}, ...content) {
    const made = kind.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", kind.slice(4))
                                         : document.createElement(kind);
    for (const name in attributes)
        if (attributes[name] !== null)
            made.setAttribute(name, attributes[name]);
    made.append(...content.filter((part) => part !== null));
    return made;
}

// A name as text of its own, cut where a browser would have to lay out far more than it can show.
const longest_shown = 300;
function name_element(name) {
    const text = printable(name.length > longest_shown ? name.slice(0, longest_shown) + "\u2026" : name);
    return element("bdi", {}, text);
}
