#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2154,SC2016  # run sets status and output; JavaScript stands in single quotes
# The page of tare report --html in a browser: what it shows, and what it does when it is used.
load helpers
load pages
load ../lib/browser

setup_file() { try_browser; }

setup() {
    clean_environment
    need_browser
    cp -r "$FIXTURES/two_ranks" "$BATS_TEST_TMPDIR/run"
    chmod -R u+w "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR/run" || return 1
}

@test "error_in_the_page_is_seen_by_these_tests" {
    "$TOOL" report --html page.html
    run in_page page.html 'nothing_of_this_name();'
    [ "$status" -eq 1 ]
    [[ $output == *"nothing_of_this_name"* ]]
}

@test "page_shows_summary_plots_and_tables" {
    "$TOOL" report --html page.html
    assert_said "Summary Ranks Wait states For whom ranks wait Regions Call sites Messages Who sent to whom How it was measured
2 plots, 4 bars and 4, 0 whiskers
1.25 ms → 1.00 ms;449.63 us;1.19 ms → 0.94 ms;rank 1: -21.93 %
rank 0 1200.500 1000.375 200.125|rank 1 1250.000 1000.500 249.500
MPI_Recv() 10 1150.500|work 10 1000.000|.TAU application 2 2450.500|MPI_Send() 10 100.250
rank 1 rank 0 MPI_Recv() late sender 9 240.000 140.000 19.20 13.99 |rank 1 all MPI_Barrier() wait at barrier 4 3.500 2.500 0.28 0.25 \
|rank 0 all MPI_Barrier() wait at barrier 5 2.500 1.500 0.21 0.15 
exchange+0x51 MPI_Recv() 1|exchange+0x2c MPI_Send() 1|main+0x91 MPI_Barrier() 2
0 B 1 0|from 32 B to below 64 B 12 480|from 1 MiB to below 2 MiB 1 1048576" page.html '
        say(texts("h2").join(" "));
        say(`${all("figure svg:not(.axis)").length} plots, ${all("#plot-time rect[class]:not(.hit,.hatched,.hatching)"
            ).length} bars and ${all("#plot-wait rect[class]:not(.hit,.hatched,.hatching)").length}, ${
            all("path.whisker").length} whiskers`);
        say(texts(".card .figure").join(";"));
        say(cells("#ranks-table", 0, 1, 2, 3));
        say(cells("#regions-table", 0, 1, 2));
        say(all("#peers-table tbody tr").map((tr) => [...tr.children].map((e) => e.textContent).join(" ")).join("|"));
        say(cells("#sites-table", 0, 1, 2));
        all("#messages tbody td:last-child").forEach((bar) => bar.remove());
        say(all("#messages tbody tr").map((tr) => [...tr.children].map((e) => e.textContent).join(" ")).join("|"));'
}

@test "heading_sorts_and_sorts_the_other_way_round" {
    "$TOOL" report --html page.html
    assert_said "descending .TAU application|MPI_Recv()|work|MPI_Send()
ascending MPI_Send()|work|MPI_Recv()|.TAU application
ascending .TAU application|MPI_Recv()|MPI_Send()|work
1 heading is marked" page.html '
        for (const key of ["incl_ns", "incl_ns", "region"]) {
            click(`#regions-table th[data-key=${key}] button`);
            say(the(`#regions-table th[data-key=${key}]`).getAttribute("aria-sort"), cells("#regions-table", 0));
        }
        say(all("#regions-table [aria-sort]").length, "heading is marked");'
}

@test "filter_keeps_the_names_that_hold_it" {
    "$TOOL" report --html page.html
    assert_said "MPI_Recv()|MPI_Send() 2 of 4 rows
4 rows" page.html '
        const type = (text) => { the("#regions-table-filter").value = text; send("#regions-table-filter", "input"); };
        type("mpi_");
        say(cells("#regions-table", 0), the("#regions-table .status").textContent);
        type("");
        say(the("#regions-table .status").textContent);'
}

@test "region_opens_to_its_ranks_and_closes" {
    "$MAKER" many 3 20 0
    "$TOOL" report --html page.html many
    assert_said "false 0
true rank 2 60.031|rank 1 55.031|rank 0 50.031
true rank 0 50.031|rank 1 55.031|rank 2 60.031
false 0" page.html '
        const kernel_0 = () => all("#regions-table button.open").find((b) => b.parentNode.textContent.includes("_0("));
        const look = () => say(kernel_0().getAttribute("aria-expanded"),
            all("#regions-table tr.child").length && cells("#regions-table", 0, 2).split("|").filter((row) =>
                row.startsWith("rank")).join("|"));
        look();
        kernel_0().click();
        look();
        click("#regions-table th[data-key=incl_ns] button");
        click("#regions-table th[data-key=incl_ns] button");
        look();
        kernel_0().click();
        look();'
}

@test "one_rank_can_be_shown_and_is_shown_first_if_asked_for" {
    "$TOOL" report --html page.html --rank=1 --sort=region --region=MPI_Recv
    assert_said "rank 1: MPI_Recv() 10 1150.500 MPI_Recv()
.TAU application|MPI_Recv()
.TAU application|MPI_Send()|work
all ranks together: 4 rows" page.html '
        const select = the("#regions-rank"), name = () => select.options[select.value].textContent + ":";
        say(name(), cells("#regions-table", 0, 1, 2), the("#regions-table-filter").value);
        the("#regions-table-filter").value = "";
        send("#regions-table-filter", "input");
        say(cells("#regions-table", 0));
        select.value = 1;
        send("#regions-rank", "change");
        say(cells("#regions-table", 0));
        select.value = 0;
        send("#regions-rank", "change");
        say(name(), the("#regions-table .status").textContent);'
}

@test "messages_of_one_rank_can_be_shown" {
    "$TOOL" report --html page.html
    assert_said "from 32 B to below 64 B|from 1 MiB to below 2 MiB" page.html '
        the("#messages-rank").value = 2;
        send("#messages-rank", "change");
        say(texts("#messages tbody th").join("|"));'
}

@test "states_have_a_bar_for_what_is_waited_without_measuring" {
    "$TOOL" report --html page.html
    assert_said "100% 5.61
late sender 1140.000 890.000 10 890.000 rank 1|late receiver 50.000 49.999 10 49.999 rank 0" page.html '
        const widths = all("#states .bar").map((bar) => bar.style.width);
        say(widths[0], widths[1].slice(0, 4));
        all("#states tbody td:last-child").forEach((bar) => bar.remove());
        say(all("#states tbody tr").map((tr) => [...tr.children].map((e) => e.textContent).join(" ")).join("|"));'
}

@test "matrix_says_who_sent_to_whom" {
    "$TOOL" report --html page.html
    assert_said "400 B|1.0 MiB rank 1 to rank 0: 3 messages, 1048656 bytes" page.html '
        const cells = all("#matrix tbody td").filter((cell) => cell.textContent !== "");
        say(cells.map((cell) => cell.textContent).join("|"), cells[1].title);'
}

@test "threads_of_a_rank_can_be_shown" {
    "$MAKER" many 2 5 0
    for folder in many/MULTI__*; do
        cp "$folder/profile.1.0.0" "$folder/profile.1.0.1"
    done
    "$TOOL" report --html page.html many
    assert_said "all ranks together,rank 0,rank 1,rank 1, thread 0,rank 1, thread 1
2000 1000
thread 0|thread 1" page.html '
        const select = the("#regions-rank"), calls = () => cells("#regions-table", 1).split("|")[0];
        const show = (i) => { select.value = i; send("#regions-rank", "change"); return calls(); };
        say([...select.options].map((o) => o.textContent).join(","));
        say(show(2), show(3));
        show(2);
        click("#regions-table button.open");
        say(texts("#regions-table tr.child th").join("|"));'
}

@test "bounds_are_whiskers" {
    "$MAKER" many 3 47 0
    "$TOOL" report --html page.html many
    assert_said "3 3" page.html '
        say(all("#plot-time path.whisker").length, all("#plot-wait path.whisker").length);'
}

@test "arrows_go_from_row_to_row" {
    "$MAKER" many 2 300 0
    "$TOOL" report --html page.html --sort=calls many
    assert_said "3 4 3
103 true
true region" page.html '
        const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
            {key, bubbles: true, cancelable: true}));
        const row = () => document.activeElement.closest("tr").getAttribute("aria-rowindex");
        all("#regions-table button.open")[1].focus();
        const rows = [row()];
        press("ArrowDown");
        rows.push(row());
        press("ArrowUp");
        say(...rows, row());
        for (let i = 0; i < 100; i++) { press("ArrowDown"); }
        const box = the("#regions-table .scroll").getBoundingClientRect();
        const at = document.activeElement.getBoundingClientRect();
        say(row(), at.top > box.top && at.bottom < box.bottom);
        say(all(".scroll").every((box) => box.tabIndex === 0), the("#regions-table .scroll").getAttribute("role"));'
}

@test "only_rows_in_sight_are_elements_and_printing_has_more" {
    "$MAKER" many 2 3000 0
    "$TOOL" report --html page.html many
    assert_said "few true true
200 3001 rows; printed: the first 200
few true" page.html '
        const count = () => all("#regions-table tr[aria-rowindex]").length - 1;
        const few = () => count() < 80 ? "few" : count();
        const box = the("#regions-table .scroll"), height = box.scrollHeight;
        box.scrollTop = 30000;
        await a_moment();
        say(few(), height > 3000 * 25, all("#regions-table tr[aria-rowindex=\"1160\"]").length === 1);
        window.dispatchEvent(new Event("beforeprint"));
        say(count(), the("#regions-table .status").textContent);
        window.dispatchEvent(new Event("afterprint"));
        say(few(), all("#regions-table tr[aria-rowindex=\"1160\"]").length === 1);'
}

dark='say(matchMedia("(prefers-color-scheme: dark)").matches, getComputedStyle(document.body).backgroundColor,
    the("#theme").getAttribute("aria-pressed"));'

@test "page_is_light_or_dark_as_the_system_and_as_chosen" {
    "$TOOL" report --html page.html
    assert_said "false rgb(255, 255, 255) false
false rgb(20, 23, 27) true
false rgb(255, 255, 255) false" page.html "$dark"' click("#theme"); '"$dark"' click("#theme"); '"$dark"
    # The choice is kept for the next time.
    assert_said "true rgb(255, 255, 255) false" page.html "$dark" --blink-settings=preferredColorScheme=0
    # Processes of the browser that has ended may still write into its profile.
    profile=another
    assert_said "true rgb(20, 23, 27) true
true rgb(255, 255, 255) false" page.html "$dark"' click("#theme"); '"$dark" --blink-settings=preferredColorScheme=0
}

@test "hostile_names_are_text" {
    hostile_names
    "$TOOL" report --html page.html
    assert_said "<img src=x onerror=alert(1)>
0 elements, 2 scripts without data
301 bdi
true true
exchange</script><img src=x onerror=alert(1)>+0x2c" page.html '
        window.alert = () => say("it ran");
        say(the("h1").textContent);
        say(all("img, main script").length, "elements,", all("script:not([type])").length, "scripts without data");
        const cell = all("#regions-table tbody bdi").find((e) => e.textContent.startsWith("a<b>"));
        say(cell.textContent.length, cell.localName);
        cell.parentNode.querySelector("button").click();
        const full = the("#regions-table .full");
        say(full.textContent.startsWith("a<b>&amp;\u0027</scr" + "ipt>") && !full.hidden,
            full.textContent.length === run.regions.find((name) => name.startsWith("a<b>")).length);
        say(texts("#sites-table tbody th").find((name) => name.includes("img")));'
}

@test "plots_and_tables_have_words_for_who_does_not_see_them" {
    "$TOOL" report --html page.html
    assert_said "0 without a name
0 without a label
Of 2 ranks, rank 1 ran longest: 1.25 ms as measured, of which 249.50 us are removed." page.html '
        say(all("[role=img], [role=region], table.grid, section:not([id=metadata])").filter((e) =>
            !e.getAttribute("aria-label") && !document.getElementById(e.getAttribute("aria-labelledby"))).length,
            "without a name");
        say(all("input, select").filter((e) => e.labels.length === 0).length, "without a label");
        say(the("#plot-time [role=img]").getAttribute("aria-label"));'
}

@test "page_of_a_run_without_calls_and_of_one_rank_shows_the_rest" {
    "$MAKER" one 1 1 0
    "$TOOL" report --html page.html one
    assert_said "Summary Ranks Regions How it was measured
0 buttons, 2 rows" page.html '
        say(texts("h2").join(" "));
        say(all("button.open").length, "buttons,", the("#regions-table .status").textContent);'
}

@test "large_page_opens_and_sorts_in_time" {
    [ -z "${SANITIZER:-}" ] || skip "sanitizers take more of it"
    "$MAKER" large 64 10000 0
    "$TOOL" report --html page.html large
    run in_page page.html '
        say("opened after", Math.round(performance.now()), "ms;");
        for (const key of ["incl_ns", "region", "calls"]) {
            const before = performance.now();
            click(`#regions-table th[data-key=${key}] button`);
            the("#regions-table").getBoundingClientRect();
            say("sorted by", key, "in", Math.round(performance.now() - before), "ms;");
        }
        const before = performance.now();
        click("#regions-table button.open");
        say("each rank of a region in", Math.round(performance.now() - before), "ms;",
            the("#regions-table .status").textContent, all("#regions-table tr.child").length > 20);'
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    echo "# 64 ranks, 10,000 regions: $(paste -s -d ' ' <<< "$output")" >&3
    [[ $output == *"10001 rows true" ]]
}
