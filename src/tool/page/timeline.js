// SPDX-License-Identifier: BSD-3-Clause
// Threads are rows of a canvas. A pixel that holds more than one part has each kind's share of it, from the sums: nothing
// is left out, however many parts there are. Messages that fall on the same pixels are one line.

const row_font = "12px system-ui, 'DejaVu Sans', sans-serif";
const axis_height = 22, group_gap = 5, most_lines = 20000, label_width = 190, most_height = 30000;

class Timeline {
    // view: {clock, from, to, messages}; changed(): it has another view.
    constructor(view, changed) {
        this.view = view;
        this.changed = changed;
        this.canvas = element("canvas", {id: "timeline", tabindex: 0, role: "img"});
        this.box = element("div", {class: "timeline-box"}, this.canvas);
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.box);
    }

    // --- where things are ---

    lay_out() {
        this.width = Math.max(this.box.clientWidth, label_width + 200);
        const wanted = Math.floor(640 / Math.max(threads.length, 1));
        this.row_height = Math.min(Math.max(wanted, 6), 26);
        this.tops = [];
        let top = axis_height;
        threads.forEach((thread, i) => {
            if (i > 0 && threads[i - 1].process !== thread.process)
                top += group_gap;
            if (top + this.row_height <= most_height)
                this.tops.push(top);
            top += this.row_height;
        });
        this.height = (this.tops.length ? this.tops[this.tops.length - 1] + this.row_height : axis_height) + 4;
    }

    x(time) { return label_width + (time - this.view.from) / (this.view.to - this.view.from) * (this.width - label_width); }
    time(x) { return this.view.from + (x - label_width) / (this.width - label_width) * (this.view.to - this.view.from); }
    middle(row) { return this.tops[row] + this.row_height / 2; }

    row_at(y) { return this.tops.findIndex((top) => y >= top && y < top + this.row_height); }

    // --- drawing ---

    colours() {
        const style = getComputedStyle(document.documentElement);
        const colour = (name) => style.getPropertyValue(name).trim();
        this.colour = {kinds: [colour("--stripe"), colour("--compensated"), colour("--before"), colour("--waiting")],
            text: colour("--text"), faint: colour("--faint"), line: colour("--line"), message: colour("--message"),
            page: colour("--page")};
    }

    draw() {
        this.lay_out();
        this.colours();
        const ratio = window.devicePixelRatio || 1;
        this.canvas.width = this.width * ratio;
        this.canvas.height = this.height * ratio;
        this.canvas.style.width = this.width + "px";
        this.canvas.style.height = this.height + "px";
        this.on = this.canvas.getContext("2d");
        this.on.scale(ratio, ratio);
        this.on.font = row_font;
        this.on.textBaseline = "middle";
        this.draw_axis();
        this.tops.forEach((top, row) => this.draw_row(threads[row], top));
        const lines = this.view.messages ? this.draw_messages() : {lines: 0, messages: 0, left_out: 0};
        this.draw_labels();
        this.changed(lines);
    }

    draw_axis() {
        const length = this.view.to - this.view.from;
        const unit = length < 20e3 ? {name: "ns", ns: 1} : length < 20e6 ? units[0] : length < 20e9 ? units[1] : units[2];
        const step = Math.pow(10, Math.ceil(Math.log10(length / 10 / unit.ns))) * unit.ns;
        this.on.fillStyle = this.colour.faint;
        this.on.strokeStyle = this.colour.line;
        for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step) {
            const x = Math.round(this.x(at)) + 0.5;
            this.on.textAlign = x < label_width + 20 ? "left" : "center";
            this.on.beginPath();
            this.on.moveTo(x, axis_height - 4);
            this.on.lineTo(x, this.height);
            this.on.stroke();
            this.on.fillText(+(at / unit.ns).toPrecision(12) + " " + unit.name, x, axis_height / 2 - 2);
        }
    }

    fill(kind, x, top, width, height) {
        this.on.fillStyle = this.colour.kinds[kind];
        this.on.fillRect(x, top, width, height);
    }

    // A part that is wider than a pixel is drawn to its end at once.
    draw_row(thread, top) {
        const clock = this.view.clock, high = Math.max(this.row_height - 2, 2);
        let part = 0;
        for (let x = label_width; x < this.width;) {
            part = Math.max(thread.find(clock, this.time(x), part), 0);
            if (part >= thread.parts)
                return;
            const from = this.x(thread.at[clock][part]), to = Math.min(this.x(thread.at[clock][part + 1]), this.width);
            if (from >= x + 1) {
                x = Math.floor(from);
            } else if (to >= x + 1 && thread.region[part] !== region_many) {
                this.draw_part(thread, part, Math.max(x, Math.floor(from)), Math.floor(to), top, high);
                x = Math.floor(to);
            } else {
                this.draw_shares(thread.between(clock, this.time(x), this.time(x + 1)), x, top, high);
                x++;
            }
        }
    }

    draw_part(thread, part, from, to, top, high) {
        const clock = this.view.clock, region = thread.region[part];
        const waits = thread.amount(clock, kind_waiting, part);
        const until = waits > 0 ? Math.min(Math.max(Math.round(this.x(thread.at[clock][part] + waits)), from), to) : from;
        if (region !== region_none)
            this.fill(kind_of(region), until, top, to - until, high);
        if (until > from)
            this.fill(kind_waiting, from, top, until - from, high);
        if (region !== region_none && to - from > 50 && high >= 12)
            this.write_name(trace.regions[region - 1], from, to, top + high / 2);
    }

    write_name(name, from, to, y) {
        this.on.save();
        this.on.beginPath();
        this.on.rect(from + 3, y - this.row_height, to - from - 6, 2 * this.row_height);
        this.on.clip();
        this.on.fillStyle = this.colour.page;
        this.on.textAlign = "left";
        this.on.fillText(printable(name), from + 4, y);
        this.on.restore();
    }

    // From the bottom: waiting, MPI, the program.
    draw_shares(amounts, x, top, high) {
        const whole = this.time(x + 1) - this.time(x);
        let bottom = top + high;
        for (const kind of [kind_waiting, kind_mpi, kind_program]) {
            const height = high * amounts[kind] / whole;
            bottom -= height;
            if (height > 0)
                this.fill(kind, x, bottom, 1, height);
        }
    }

    draw_messages() {
        const clock = this.view.clock, seen = new Set(), drawn = {lines: 0, messages: 0, left_out: 0};
        const {sent: {[clock]: sent}, received: {[clock]: received}, from, to, of} = messages;
        this.on.strokeStyle = this.on.fillStyle = this.colour.message;
        this.on.globalAlpha = 0.75;
        this.on.beginPath();
        for (let i = 0; i < messages.count; i++) {
            if (Math.max(sent[i], received[i]) < this.view.from || Math.min(sent[i], received[i]) > this.view.to)
                continue;
            if (from[i] >= this.tops.length || to[i] >= this.tops.length)
                continue;
            const x1 = Math.round(this.x(sent[i])), x2 = Math.round(this.x(received[i]));
            const place = `${from[i]} ${to[i]} ${x1} ${x2}`;
            const is_new = !seen.has(place);
            if (is_new && seen.size >= most_lines) {
                drawn.left_out += of[i];
                continue;
            }
            drawn.messages += of[i];
            if (is_new)
                this.draw_message(x1, this.middle(from[i]), x2, this.middle(to[i]));
            seen.add(place);
        }
        this.on.stroke();
        this.on.globalAlpha = 1;
        drawn.lines = seen.size;
        return drawn;
    }

    draw_message(x1, y1, x2, y2) {
        const limit = (x) => Math.min(Math.max(x, -1e5), 1e5);
        this.on.moveTo(limit(x1), y1);
        this.on.lineTo(limit(x2), y2);
        this.on.fillRect(limit(x2) - 1.5, y2 - 1.5, 3, 3);
    }

    // Over lines that come from the left of what is in sight.
    draw_labels() {
        this.on.fillStyle = this.colour.page;
        this.on.fillRect(0, axis_height, label_width, this.height);
        this.on.fillStyle = this.colour.text;
        this.on.textAlign = "left";
        const every = Math.ceil(12 / this.row_height);
        this.tops.forEach((top, row) => {
            if (row % every === 0)
                this.on.fillText(this.cut(printable(threads[row].name)), 2, this.middle(row), label_width - 8);
        });
    }

    cut(name) { return name.length > 30 ? name.slice(0, 29) + "\u2026" : name; }

    // --- use ---

    whole() { return Math.max(...trace.length_ns, 1); }

    show(from, to) {
        const length = Math.min(Math.max(to - from, 10), this.whole());
        this.view.from = Math.min(Math.max(from, 0), this.whole() - length);
        this.view.to = this.view.from + length;
        this.draw();
    }

    zoom(factor, around = (this.view.from + this.view.to) / 2) {
        this.show(around - (around - this.view.from) * factor, around + (this.view.to - around) * factor);
    }

    move(share) {
        const by = share * (this.view.to - this.view.from);
        this.show(this.view.from + by, this.view.to + by);
    }

    listen() {
        const keys = {ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2), "+": () => this.zoom(0.5),
            "-": () => this.zoom(2), "0": () => this.show(0, this.whole())};
        this.canvas.addEventListener("keydown", (event) => {
            if (!keys[event.key])
                return;
            event.preventDefault();
            keys[event.key]();
        });
        this.canvas.addEventListener("wheel", (event) => {
            if (event.ctrlKey || event.offsetX < label_width)
                return;
            event.preventDefault();
            this.zoom(Math.pow(1.2, Math.sign(event.deltaY)), this.time(event.offsetX));
        }, {passive: false});
        this.canvas.addEventListener("pointerdown", (event) => {
            this.held = {x: event.offsetX, from: this.view.from, to: this.view.to};
            this.canvas.setPointerCapture(event.pointerId);
        });
        this.canvas.addEventListener("pointermove", (event) => this.held ? this.drag(event) : this.point(event));
        for (const kind of ["pointerup", "pointercancel"])
            this.canvas.addEventListener(kind, () => { this.held = null; });
    }

    drag(event) {
        const by = (this.held.x - event.offsetX) / (this.width - label_width) * (this.held.to - this.held.from);
        this.show(this.held.from + by, this.held.to + by);
    }

    point(event) {
        const row = this.row_at(event.offsetY);
        this.canvas.title = row < 0 || event.offsetX < label_width ? "" : this.words(threads[row], this.time(event.offsetX));
    }

    // What a thread does at a time.
    words(thread, time) {
        const clock = this.view.clock, part = thread.find(clock, time);
        if (part < 0 || part >= thread.parts)
            return "";
        const region = thread.region[part], waits = thread.amount(clock, kind_waiting, part);
        const name = region === region_none ? "no region" : region === region_many ?
            count_phrase(thread.together.get(part), "part") + " together" : printable(trace.regions[region - 1]);
        const length = (c) => time_phrase(thread.at[c][part + 1] - thread.at[c][part]) + " " + clock_names[c];
        return thread.name + "\n" + name + "\n" + (trace.clocks > 1 ? length(1) + ", " + length(0) : time_phrase(
            thread.at[clock][part + 1] - thread.at[clock][part])) + (waits > 0 ? "\nwaiting " + time_phrase(waits) : "");
    }
}
