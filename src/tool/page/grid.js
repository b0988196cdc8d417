// SPDX-License-Identifier: BSD-3-Clause
// A table of any length of which only the rows in sight are elements. Sorted by its headings, filtered by a text;
// rows can be opened to show rows below them.

const row_height = 26;          // px; as in page.css
const rows_around = 12;         // ready above and below those in sight
const most_printed = 200;
const least_name = 28;          // characters

// A column: {key, label, unit, help, value(row) -> number or text, show(row) -> text, is_text, widest: characters}. A
// column of names may have name(row), if that is not its value.
class Grid {
    // children(row) -> [{label, row}] below a row; null: rows cannot be opened. `named` is the column of names.
    constructor({id, caption, columns, sort, children = null, filter_label}) {
        Object.assign(this, {id, caption, columns, children, filter_label});
        this.sort_key = sort;
        this.descending = !this.column(sort).is_text;
        this.rows = [];
        this.open = new Set();
        this.filter = "";
        this.shown = [];
        this.elements = new Map();
        this.make();
    }

    column(key) { return this.columns.find((c) => c.key === key); }
    name_in(c, row) { return c.name ? c.name(row) : c.value(row); }
    get named() { return this.columns.find((c) => c.is_text); }

    make() {
        this.head = element("tr", {"aria-rowindex": 1});
        this.headings = this.columns.map((c) => this.make_heading(c));
        this.head.append(...this.headings);
        this.above = element("tr", {class: "space", "aria-hidden": "true"});
        this.below = this.above.cloneNode();
        this.body = element("tbody", {}, this.above, this.below);
        this.table = element("table", {class: "grid", "aria-label": this.caption},
            element("colgroup", {}, ...this.columns.map((c) => this.make_width(c))),
            element("thead", {}, this.head), this.body);
        this.table.style.minWidth = this.columns.reduce((sum, c) => sum + this.width_of(c), 0) + "ch";
        this.box = element("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": this.caption},
            this.table);
        this.status = element("p", {class: "status", role: "status"});
        this.full = element("p", {class: "full", hidden: ""});
        this.input = element("input", {type: "search", id: this.id + "-filter", autocomplete: "off",
            spellcheck: "false"});
        this.controls = element("div", {class: "controls"},
            element("label", {for: this.id + "-filter"}, this.filter_label), this.input);
        this.element = element("div", {class: "grid-box", id: this.id}, this.controls, this.box, this.full,
            this.status);
        this.listen();
    }

    make_heading(c) {
        const button = element("button", {type: "button", title: c.help || null}, c.label, " ",
            element("span", {class: "unit"}, c.unit || ""));
        button.addEventListener("click", () => this.sort_by(c.key));
        return element("th", {scope: "col", class: c.is_text ? "text" : "number", "data-key": c.key}, button);
    }

    // Characters; names take what is left, but can be read.
    width_of(c) { return c.is_text ? c.widest || least_name : Math.max(c.widest + 2, c.label.length + 2); }

    make_width(c) {
        const made = element("col");
        if (!c.is_text || c.widest)
            made.style.width = this.width_of(c) + "ch";
        return made;
    }

    listen() {
        this.box.addEventListener("scroll", () => this.draw_soon(), {passive: true});
        this.box.addEventListener("keydown", (event) => this.move(event));
        this.body.addEventListener("click", (event) => this.choose(event.target));
        this.input.addEventListener("input", () => this.set_filter(this.input.value));
        window.addEventListener("beforeprint", () => this.begin_print());
        window.addEventListener("afterprint", () => this.end_print());
        window.addEventListener("resize", () => this.draw_soon());
    }

    begin_print() {
        this.place = this.box.scrollTop;
        this.printing = true;
        this.draw();
    }

    // The table was shorter, so the box may have moved.
    end_print() {
        this.printing = false;
        this.draw();
        this.box.scrollTop = this.place;
        this.draw();
    }

    set_rows(rows) {
        this.rows = rows;
        this.names = null;
        this.arrange();
    }

    set_filter(text) {
        this.filter = text.toLowerCase();
        if (this.input.value !== text)
            this.input.value = text;
        this.box.scrollTop = 0;
        this.arrange();
    }

    // The largest number first, then the smallest; texts the other way round.
    sort_by(key) {
        this.descending = key === this.sort_key ? !this.descending : !this.column(key).is_text;
        this.sort_key = key;
        this.box.scrollTop = 0;
        this.arrange();
    }

    matching() {
        if (!this.filter)
            return this.rows.slice();
        this.names = this.names || new Map(this.rows.map((row) => [row, this.text_of(row).toLowerCase()]));
        return this.rows.filter((row) => this.names.get(row).includes(this.filter));
    }

    text_of(row) { return this.columns.filter((c) => c.is_text).map((c) => this.name_in(c, row)).join("\n"); }

    sorted(items, row_of) {
        const column = this.column(this.sort_key);
        const direction = this.descending ? -1 : 1;
        const values = items.map((item) => column.value(row_of(item)));
        const order = items.map((item, i) => i);
        order.sort((a, b) => {
            const first = values[a], second = values[b];
            return first < second ? -direction : first > second ? direction : a - b;
        });
        return order.map((i) => items[i]);
    }

    arrange() {
        const rows = this.sorted(this.matching(), (row) => row);
        this.shown = [];
        for (const row of rows) {
            this.shown.push({row, label: null});
            if (this.open.has(row))
                this.shown.push(...this.sorted(this.children(row), (child) => child.row)
                    .map((child) => ({...child, parent: row})));
        }
        this.mark_headings();
        this.matched = rows.length;
        this.elements.forEach((tr) => tr.remove());
        this.elements.clear();
        this.draw();
    }

    mark_headings() {
        for (const heading of this.headings) {
            const is_key = heading.dataset.key === this.sort_key;
            if (is_key)
                heading.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
            else
                heading.removeAttribute("aria-sort");
        }
        this.table.setAttribute("aria-rowcount", this.shown.length + 1);
    }

    say_status() {
        const of = this.matched === this.rows.length ? "" : " of " + this.rows.length;
        const is_cut = this.printing && this.shown.length > most_printed;
        const printed = is_cut ? "; printed: the first " + most_printed : "";
        const text = this.matched + of + (this.rows.length === 1 ? " row" : " rows") + printed;
        if (this.status.textContent !== text)
            this.status.textContent = text;
    }

    range() {
        if (this.printing)
            return [0, Math.min(most_printed, this.shown.length)];
        const first = Math.max(0, Math.floor(this.box.scrollTop / row_height) - rows_around);
        const count = Math.ceil((this.box.clientHeight || 600) / row_height) + 2 * rows_around;
        return [first, Math.min(first + count, this.shown.length)];
    }

    draw_soon() {
        if (this.drawing)
            return;
        this.drawing = true;
        requestAnimationFrame(() => { this.drawing = false; this.draw(); });
    }

    // Elements of rows that stay in sight stay, and so does the focus in them.
    draw() {
        const [first, end] = this.range();
        for (const [i, tr] of this.elements)
            if (i < first || i >= end)
                this.drop(i, tr);
        let next = this.below;
        for (let i = end - 1; i >= first; i--) {
            if (!this.elements.has(i)) {
                this.elements.set(i, this.make_row(i));
                this.body.insertBefore(this.elements.get(i), next);
            }
            next = this.elements.get(i);
        }
        this.above.style.height = first * row_height + "px";
        this.below.style.height = (this.printing ? 0 : (this.shown.length - end) * row_height) + "px";
        this.say_status();
    }

    drop(i, tr) {
        if (tr.contains(document.activeElement))
            this.box.focus({preventScroll: true});
        tr.remove();
        this.elements.delete(i);
    }

    make_row(i) {
        const item = this.shown[i];
        const is_child = item.label !== null;
        const tr = element("tr", {"aria-rowindex": i + 2,
            class: (is_child ? "child " : "") + (i % 2 ? "odd" : "even")});
        for (const c of this.columns)
            tr.append(c.is_text ? this.make_name(c, item, i) : element("td", {class: "number"}, c.show(item.row)));
        return tr;
    }

    make_name(c, item, i) {
        if (item.label !== null)
            return element("th", {scope: "row", class: "text"}, c === this.named ? item.label : "");
        const name = this.name_in(c, item.row);
        const cell = element(c === this.named ? "th" : "td",
            {scope: c === this.named ? "row" : null, class: "text", title: printable(name.slice(0, longest_shown))});
        const opens = this.children && c === this.named;
        if (opens)
            cell.append(element("button", {type: "button", class: "open", "data-at": i,
                "aria-expanded": this.open.has(item.row), "aria-label": "parts of " + printable(name.slice(0, 80))}));
        cell.append(name_element(name));
        return cell;
    }

    // A click on a row shows its name in full, one on its button opens it, too.
    choose(target) {
        const tr = target.closest("tr[aria-rowindex]");
        const item = tr && this.shown[tr.getAttribute("aria-rowindex") - 2];
        if (!item || item.label !== null)
            return;
        this.show_full(this.name_in(this.named, item.row));
        if (target.closest("button.open"))
            this.toggle(item.row);
    }

    toggle(row) {
        this.open.has(row) ? this.open.delete(row) : this.open.add(row);
        this.arrange();
        this.focus_row(this.shown.findIndex((item) => item.row === row && item.label === null));
    }

    // Of names that may not fit into their cell.
    show_full(name) {
        this.full.hidden = name.length < least_name;
        this.full.replaceChildren(element("bdi", {}, printable(name)));
    }

    focus_row(i) {
        const tr = this.elements.get(i);
        const button = tr && tr.querySelector("button.open");
        if (button)
            button.focus({preventScroll: true});
    }

    // Up and down go from row to row where a row has the focus; else the box scrolls, as boxes do.
    move(event) {
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        const button = event.target.closest("button.open");
        if (!step || !button)
            return;
        event.preventDefault();
        let i = Number(button.dataset.at) + step;
        while (i >= 0 && i < this.shown.length && this.shown[i].label !== null)
            i += step;
        if (i < 0 || i >= this.shown.length)
            return;
        this.scroll_to(i);
        this.focus_row(i);
    }

    scroll_to(i) {
        const top = i * row_height;
        const room = this.box.clientHeight - this.head.offsetHeight - row_height;
        this.box.scrollTop = Math.min(top, Math.max(this.box.scrollTop, top - room));
        this.draw();
    }
}
