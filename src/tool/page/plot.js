// SPDX-License-Identifier: BSD-3-Clause
// Bars from left to right, one or two for each rank, with whiskers. Every plot says in words what it shows, and
// its figures stand in a table.

const plot_font = 12;

// Round steps, no more than 7 of them.
function ticks_up_to(most) {
    const rough = most / 6;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].find((n) => n * power >= rough) * power;
    const ticks = [];
    for (let at = 0; at <= most * (1 + 1e-9); at += step)
        ticks.push(at);
    return ticks;
}

function tick_text(value, step) {
    return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
}

// {id, title, text, legend: [[class, words]], unit, lines: [{label, note, bars: [[{class, from, to}], ...],
// whiskers: [{bar, from, to}], value}]}; from and to in ns.
class Plot {
    constructor(about) {
        Object.assign(this, about);
        this.box = element("div", {class: "plot-box", tabindex: 0, role: "img", "aria-label": this.text});
        const legend = element("ul", {class: "legend"}, ...this.legend.map(([kind, words]) => element("li", {},
            element("span", {class: "swatch " + kind, "aria-hidden": "true"}), words)));
        this.element = element("figure", {id: this.id}, element("figcaption", {}, this.title),
            element("p", {class: "plot-text"}, this.text), legend, this.box);
        new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.box);
    }

    // Bars of many ranks are thin.
    bar_height() {
        const per_line = this.lines.length <= 16 ? 24 : this.lines.length <= 128 ? 14 : 8;
        return Math.floor(per_line / this.lines[0].bars.length);
    }

    measure() {
        const longest = (texts) => texts.reduce((most, text) => Math.max(most, text.length), 0) * plot_font * 0.62;
        this.left = longest(this.lines.map((line) => line.label)) + 8;
        this.right = longest(this.lines.map((line) => line.value)) + 12;
        this.width = Math.max(this.box.clientWidth - 2, this.left + this.right + 120);
        const ends = this.lines.flatMap((line) => [...line.bars.flat(), ...line.whiskers]
            .flatMap((bar) => [bar.from, bar.to]));
        this.least = Math.min(0, ends.reduce((a, b) => Math.min(a, b), 0));
        this.most = Math.max(this.least + 1, ends.reduce((a, b) => Math.max(a, b), 0));
    }

    x(ns) {
        return this.left + (ns - this.least) / (this.most - this.least) * (this.width - this.left - this.right);
    }

    draw() {
        if (this.drawn === this.box.clientWidth || this.box.clientWidth === 0)
            return;
        this.drawn = this.box.clientWidth;
        this.measure();
        const high = this.bar_height();
        this.line_height = high * this.lines[0].bars.length + (high > 5 ? 6 : 2);
        const height = this.lines.length * this.line_height;
        const body = this.svg(height + 4);
        body.append(this.make_hatch(), this.make_grid(height),
            ...this.lines.map((line, i) => this.make_line(line, i, high)));
        this.box.replaceChildren(this.make_axis(), body);
    }

    svg(height) {
        return element("svg:svg", {viewBox: `0 0 ${this.width} ${height}`, width: this.width, height,
            "aria-hidden": "true", "font-size": plot_font});
    }

    make_hatch() {
        const pattern = element("svg:pattern", {id: this.id + "-hatch", width: 5, height: 5,
            patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"});
        pattern.append(element("svg:rect", {class: "hatched", width: 5, height: 5}),
            element("svg:rect", {class: "hatching", width: 1, height: 5}));
        return element("svg:defs", {}, pattern);
    }

    ticks() { return ticks_up_to(this.most / this.unit.ns); }

    make_axis() {
        const svg = this.svg(20);
        svg.classList.add("axis");
        const ticks = this.ticks();
        ticks.forEach((tick, i) => svg.append(element("svg:text", {x: this.x(tick * this.unit.ns), y: 14,
            "text-anchor": "middle"}, tick_text(tick, ticks[1] || 1) +
            (i === ticks.length - 1 ? " " + this.unit.name : ""))));
        return svg;
    }

    make_grid(height) {
        const lines = this.ticks().map((tick) => {
            const at = Math.round(this.x(tick * this.unit.ns)) + 0.5;
            return `M${at} 0V${height}`;
        });
        return element("svg:path", {class: "gridline", d: lines.join("")});
    }

    make_line(line, i, high) {
        const top = i * this.line_height + (high > 5 ? 3 : 1);
        const middle = top + high * line.bars.length / 2;
        const group = element("svg:g", {class: "line"}, element("svg:title", {}, line.note));
        group.append(element("svg:rect", {class: "hit", x: 0, y: i * this.line_height, width: this.width,
            height: this.line_height}));
        line.bars.forEach((bars, n) => bars.forEach((bar) => group.append(this.make_bar(bar, top + n * high, high))));
        line.whiskers.forEach((w) => group.append(this.make_whisker(w, top + (w.bar + 0.5) * high, high)));
        if (this.line_height >= plot_font || i % Math.ceil(plot_font / this.line_height) === 0)
            group.append(this.make_text(line.label, this.left - 8, middle), this.make_text(line.value, this.width - 2,
                middle));
        return group;
    }

    make_bar(bar, top, high) {
        const from = this.x(Math.min(bar.from, bar.to)), to = this.x(Math.max(bar.from, bar.to));
        return element("svg:rect", {class: bar.class, x: from, y: top, width: to - from,
            height: Math.max(high - 1, 2), style: bar.class === "removed" ? `fill: url(#${this.id}-hatch)` : null});
    }

    make_whisker(w, y, high) {
        const from = this.x(w.from), to = this.x(w.to), half = Math.max(2, high * 0.3);
        return element("svg:path", {class: "whisker", d: `M${from} ${y}H${to}M${from} ${y - half}v${2 * half}` +
            `M${to} ${y - half}v${2 * half}`});
    }

    make_text(text, x, y) {
        return element("svg:text", {x, y, "text-anchor": "end", "dominant-baseline": "central"}, text);
    }
}
