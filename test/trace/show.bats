#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tare trace show: what a browser draws of archives of which it is known what is in them.
# shellcheck disable=SC2154,SC2016  # bats sets status, output and stderr; JavaScript stands in single quotes
load helper
load ../lib/browser

setup_file() { try_browser; }

setup() {
    clean_environment
    cd "$BATS_TEST_TMPDIR" || return 1
}

show() {
    run --separate-stderr "$TOOL" trace show -o page.html "${@:-a}"
    [ "$status" -eq 0 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$output$stderr" ] || { echo "said: $output$stderr"; return 1; }
}

# What the page says that it has drawn.
state='const state = (...names) => say(...names.map((name) => the("#timeline-status").dataset[name]));'

# The colour at a time on a row is that of a kind: the page's own colours, as it draws them.
colour='const colour = (row, ns) => {
    const canvas = the("#timeline"), ratio = canvas.width / parseFloat(canvas.style.width);
    const x = label_width + ns / Math.max(...trace.length_ns) * (parseFloat(canvas.style.width) - label_width);
    const y = parseFloat(canvas.style.height) - 4 - (threads.length - row - 0.2) * 26 - (threads.length - 1 - row) * 5;
    const copy = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    [copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
    copy.drawImage(canvas, 0, 0);
    const pixel = copy.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
    const hex = "#" + [...pixel].slice(0, 3).map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const names = ["--compensated", "--before", "--waiting"];
    const style = getComputedStyle(document.documentElement);
    return pixel[3] === 0 ? "nothing" : names.find((name) => style.getPropertyValue(name).trim() === hex) || hex;
};'

@test "page_needs_nothing_but_itself" {
    an_archive waiting a
    show
    [[ $(head -n 1 page.html) == "<!DOCTYPE html>"* ]]
    [ "$(grep -cE '(src|href)="?(https?:)?//|@import|url\(' page.html)" -eq 0 ]
    grep -qF "default-src 'none'" page.html
    [ "$(stat -c %a page.html)" = 600 ]
}

@test "threads_messages_and_waiting_are_drawn_on_both_clocks" {
    need_browser
    an_archive waiting a
    show
    assert_said "compensated 2 1 1 7000 1700 9000
measured 2 1 1 8000 1400 11000
compensated 9000
false true" page.html "$state"'
        state("clock", "rows", "messages", "lines", "programNs", "mpiNs", "waitingNs");
        click("#clock-measured");
        state("clock", "rows", "messages", "lines", "programNs", "mpiNs", "waitingNs");
        click("#clock-compensated");
        state("clock", "waitingNs");
        say(the("#clock-measured").getAttribute("aria-pressed"), the("#clock-compensated").getAttribute("aria-pressed"));'
}

@test "address_of_the_page_says_which_clock_and_which_time" {
    need_browser
    an_archive waiting a
    show
    fragment='#clock=measured' assert_said "measured 1 11000" page.html "$state"' state("clock", "messages", "waitingNs");'
    fragment='#clock=measured&from=10000&to=11000&messages=no' assert_said "measured 0 0 1000
#clock=measured&from=10000&to=11000&messages=no" page.html "$state"'
        state("clock", "messages", "lines", "waitingNs");
        say(location.hash);'
    fragment='#clock=lunar&from=x&to=-1' assert_said "compensated 1" page.html "$state"' state("clock", "programNs");'
}

@test "waiting_has_a_colour_of_its_own" {
    need_browser
    an_archive waiting a
    show
    # Compensated: rank 0 waits until 7000 and is in MPI_Recv until 8000. Measured it waits until 8000.
    fragment='#messages=no' assert_said "--waiting --before nothing --waiting
--compensated --before
--waiting --before" page.html "$colour"'
        say(colour(0, 3000), colour(0, 7500), colour(0, 8500), colour(0, 10500));
        say(colour(1, 3000), colour(1, 7200));
        click("#clock-measured");
        say(colour(0, 7500), colour(0, 8300));'
}

@test "figures_of_threads_are_of_what_is_in_sight" {
    need_browser
    an_archive waiting a
    show
    assert_said "0.0 Master thread|0.000 us|1.100 us|9.000 us|89.11
1.0 Master thread|7.000 us|0.600 us|0.000 us|0.00
0.0 Master thread|0.000 us|0.000 us|4.200 us|100.00
1.0 Master thread|4.200 us|0.000 us|0.000 us|0.00" page.html '
        const rows = () => all("#threads-table tbody tr").map((tr) => [...tr.children].map((e) => e.textContent).join("|"));
        rows().forEach((row) => say(row));
        location.hash = "#from=0&to=4200";
        for (let i = 0; i < 100 && !rows()[1].includes("|4.200"); i++)
            await a_moment();
        rows().forEach((row) => say(row));'
}

@test "zoom_moves_and_keys_change_what_is_in_sight" {
    need_browser
    an_archive waiting a
    show
    assert_said "0 12700
3175 9525
4445 10795
0 12700" page.html '
        const seen = () => { const v = new URLSearchParams(location.hash.slice(1));
            say(v.get("from") || 0, v.get("to") || Math.max(...trace.length_ns)); };
        const press = (key) => the("#timeline").dispatchEvent(new KeyboardEvent("keydown", {key}));
        seen();
        click("#zoom-in");
        seen();
        press("ArrowRight");
        seen();
        press("0");
        seen();'
}

@test "messages_that_say_nothing_are_joined_by_order_and_that_is_said" {
    need_browser
    an_archive waiting a
    show
    assert_said "Of 1 message, 0 are joined by what they carried (sequence) and 1 by MPI's order (fifo); 0 sends and receives" \
        page.html 'say(the("#figures .note").textContent.split(" have")[0]);'
    rm -r a
    an_archive events 4800 a
    show
    assert_said "Of 800 messages, 800 are joined by what they carried (sequence) and 0 by MPI's order (fifo); 0 sends and receives
0 clocks" page.html 'say(the("#figures .note").textContent.split(" have")[0]);
        say(all("#clock-measured, #clock-compensated").length, "clocks");'
}

@test "million_events_are_drawn_in_time" {
    need_browser
    [ -z "${SANITIZER:-}" ] || skip "sanitizers take more of it"
    an_archive events 1000000 a
    show
    run in_page page.html "$state"'
        say("opened after", Math.round(performance.now()), "ms;");
        state("rows", "messages", "programNs");
        const before = performance.now();
        click("#zoom-in");
        say("zoomed in", Math.round(performance.now() - before), "ms");
        state("rows");
        say(Number(the("#timeline-status").dataset.lines) <= 20000, Number(the("#timeline-status").dataset.messages) > 50000);'
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    echo "# a million events, $(stat -c %s page.html) bytes: $(paste -s -d ' ' <<<"$output")" >&3
    [[ $output == *$'\n8 '* && $output == *"true true" ]]
    # 8 threads of 20833 turns, each with two regions of 160 ns.
    [[ $(sed -n 2p <<<"$output") == *" 53332480" ]]
}

@test "parts_of_more_events_than_a_page_holds_are_put_together_and_nothing_is_lost" {
    need_browser
    [ -z "${SANITIZER:-}" ] || skip "sanitizers take more of it"
    an_archive events 3000000 a
    show
    assert_said "true
160000000
true 500000" page.html '
        say(trace.threads.reduce((sum, thread) => sum + thread.parts, 0) <= 1500000);
        say(the("#timeline-status").dataset.programNs);
        let messages_in_lines = 0;
        for (const of of messages.of) { messages_in_lines += of; }
        say(messages.count <= 200000, messages_in_lines);'
}

@test "names_that_are_no_text_for_a_page_are_shown_as_they_are" {
    need_browser
    an_archive waiting a
    mv a 'a<img src=x onerror=alert(1)>'
    show 'a<img src=x onerror=alert(1)>'
    assert_said "a<img src=x onerror=alert(1)>/traces.otf2 0" page.html '
        say(the(".facts dd").textContent, all("img").length);'
}

@test "damaged_trace_is_drawn_as_far_as_it_goes" {
    an_archive events 4800 a
    truncate -s 2000 a/traces/1000.evt
    run --separate-stderr "$TOOL" trace show -o page.html a
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: rank 0, thread 0: "* && $(grep -c . <<<"$stderr") -eq 1 ]]
    grep -q 'id="tare-timeline"' page.html
    echo nonsense >a/traces.otf2
    run --separate-stderr "$TOOL" trace show -o other.html a
    [ "$status" -eq 1 ]
    [[ $stderr == "tare trace: cannot read a/traces.otf2: "* ]]
    [ ! -e other.html ]
}

@test "page_replaces_only_a_page" {
    an_archive waiting a
    show
    show
    echo mine >page.html
    run --separate-stderr "$TOOL" trace show -o page.html a
    [ "$status" -eq 1 ]
    [ "$stderr" = "tare trace: page.html was not made by tare trace show and will not be overwritten" ]
    [ "$(cat page.html)" = mine ]
    "$TOOL" trace show -o - a | head -n 1 | grep -q '^<!DOCTYPE html>'
    "$TOOL" trace show a
    [ -s trace.html ]
}

@test "trace_without_events_has_a_page" {
    need_browser
    an_archive events 0 a
    show
    assert_said "8 0 0" page.html "$state"' state("rows", "messages", "waitingNs");'
}
