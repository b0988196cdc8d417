// SPDX-License-Identifier: BSD-3-Clause
// Puts the page of the time line together. What is in sight stands behind the # of its address, so that it can be asked
// for: clock=measured, from and to in ns, messages=no.

const most_table_rows = 500;

function view_asked_for() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const number = (name, otherwise) => {
        const value = Number(asked.get(name));
        return asked.has(name) && Number.isFinite(value) ? value : otherwise;
    };
    const whole = Math.max(...trace.length_ns, 1);
    const from = Math.min(Math.max(number("from", 0), 0), whole - 1);
    const to = Math.min(Math.max(number("to", whole), from + 1), whole);
    return {clock: trace.clocks > 1 && asked.get("clock") === "measured" ? 1 : 0, from, to,
        messages: asked.get("messages") !== "no"};
}

function button(id, words, pressed, action) {
    const made = element("button", {type: "button", id, "aria-pressed": pressed}, words);
    made.addEventListener("click", action);
    return made;
}

// What each thread did in what is in sight.
class Figures {
    constructor() {
        const head = ["thread", "program", "MPI", "waiting", "waiting, %"];
        this.body = element("tbody");
        this.element = element("table", {id: "threads-table", class: "messages"}, element("thead", {}, element("tr", {},
            ...head.map((name, i) => element("th", {scope: "col", class: i ? "number" : "text"}, name)))), this.body);
    }

    // Gives back the sums of all threads.
    fill(view) {
        const sums = [0, 0, 0, 0];
        const rows = threads.map((thread) => {
            const amounts = thread.between(view.clock, view.from, view.to);
            amounts.forEach((amount, kind) => { sums[kind] += amount; });
            return [thread.name, amounts];
        });
        const unit = unit_for(largest(rows.flatMap(([, amounts]) => amounts)));
        this.body.replaceChildren(...rows.slice(0, most_table_rows).map(([name, amounts]) => this.row(name, amounts, unit)));
        return sums;
    }

    row(name, amounts, unit) {
        const [, program, mpi, waiting] = amounts, all = program + mpi + waiting;
        const cells = [program, mpi, waiting].map((ns) => element("td", {class: "number"}, time_text(ns, unit) + " " +
            unit.name));
        return element("tr", {}, element("th", {scope: "row", class: "text"}, name_element(name)), ...cells,
            element("td", {class: "number"}, percent_text(percent_of(waiting, all))));
    }
}

class Page {
    constructor() {
        this.view = view_asked_for();
        this.kept = location.hash;
        this.theme = new Theme();
        this.status = element("p", {id: "timeline-status", class: "status", "aria-live": "polite"});
        this.figures = new Figures();
        this.timeline = new Timeline(this.view, (lines) => this.tell(lines));
        this.theme.button.addEventListener("click", () => this.timeline.draw());
        this.clock_buttons = both.map((c) => button("clock-" + clock_names[c], c ? "Measured" : "Compensated", false,
            () => { this.view.clock = c; this.timeline.draw(); }));
        this.message_button = button("show-messages", "Messages", true, () => {
            this.view.messages = !this.view.messages;
            this.timeline.draw();
        });
        window.addEventListener("hashchange", () => {
            this.kept = location.hash;
            Object.assign(this.view, view_asked_for());
            this.timeline.draw();
        });
    }

    controls() {
        const t = this.timeline;
        const zooms = [["zoom-in", "+", () => t.zoom(0.5)], ["zoom-out", "\u2212", () => t.zoom(2)],
            ["zoom-all", "All", () => t.show(0, t.whole())]];
        const clocks = trace.clocks > 1 ? [element("span", {}, "Clock:"), ...this.clock_buttons] : [];
        return element("div", {class: "controls"}, ...clocks, this.message_button,
            ...zooms.map(([id, words, action]) => button(id, words, null, action)));
    }

    legend() {
        const kinds = [["compensated", "program"], ["before", "MPI"], ["waiting", "waiting in MPI"], ["message", "message"]];
        return element("ul", {class: "legend"}, ...kinds.map(([kind, words]) => element("li", {},
            element("span", {class: "swatch " + kind, "aria-hidden": "true"}), words)));
    }

    note() {
        const {all, by_sequence, left} = trace.messages;
        const joined = `Of ${count_phrase(all, "message")}, ${by_sequence} are joined by what they carried (sequence) and ${
            all - by_sequence} by MPI's order (fifo); ${left} sends and receives have no other end in the trace. `;
        const grain = trace.grain_ns > 0 ? `Parts that are shorter than ${time_phrase(trace.grain_ns)} are put together. ` : "";
        return element("p", {class: "note"}, joined + grain + "Waiting: until the message was sent, or who is waited for had " +
            "entered the collective call. Wheel or + and \u2212: zoom; drag or arrows: move; 0: all.");
    }

    // In words, and for who asks the page.
    tell(lines) {
        const view = this.view, [, program, mpi, waiting] = this.figures.fill(view);
        const share = percent_text(percent_of(waiting, program + mpi + waiting));
        const words = `${trace.clocks > 1 ? clock_names[view.clock] + " clock, " : ""}${time_phrase(view.from)} to ${
            time_phrase(view.to)}: ${count_phrase(threads.length, "thread")}, ${count_phrase(lines.messages, "message")
            } in ${count_phrase(lines.lines, "line")}${lines.left_out ? `, ${lines.left_out} more are too many` : ""
            }, waiting ${share} %`;
        this.status.textContent = words;
        this.timeline.canvas.setAttribute("aria-label", words);
        Object.assign(this.status.dataset, {clock: clock_names[view.clock], rows: this.timeline.tops.length,
            messages: lines.messages, lines: lines.lines, programNs: Math.round(program), mpiNs: Math.round(mpi),
            waitingNs: Math.round(waiting)});
        this.clock_buttons.forEach((made, c) => made.setAttribute("aria-pressed", c === view.clock));
        this.message_button.setAttribute("aria-pressed", view.messages);
        this.keep();
    }

    // An address that somebody has changed is asked for, and its event still to come.
    keep() {
        if (location.hash !== this.kept)
            return;
        const {clock, from, to, messages: with_messages} = this.view, whole = this.timeline.whole();
        const words = [];
        if (trace.clocks > 1)
            words.push("clock=" + clock_names[clock]);
        if (from > 0 || to < whole)
            words.push("from=" + Math.round(from), "to=" + Math.round(to));
        if (!with_messages)
            words.push("messages=no");
        history.replaceState(null, "", "#" + words.join("&"));
        this.kept = location.hash;
    }

    fill() {
        document.getElementById("figures").append(this.controls(), this.legend(), this.status, this.timeline.box,
            this.note(), element("h2", {}, "The same in figures"), element("div", {class: "scroll"}, this.figures.element));
        document.getElementById("switches").append(this.theme.button);
        this.timeline.draw();
    }
}

new Page().fill();
