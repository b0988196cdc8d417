# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # run sets status and output
# For tests of the pages that the tool makes: what a browser does with them.

# No window, no network; its profile is kept (`profile`: another one). Prints the page as it is in the end. What
# the browser itself does not bring to an end (where much else runs it may not start, stand still or die) is no word on
# the page, and is tried twice more.
browser() {
    local dom=$BATS_TEST_TMPDIR/dom console=$BATS_TEST_TMPDIR/console status tries
    for tries in 1 2 3; do
        status=0
        timeout --kill-after=5 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --no-first-run --user-data-dir="$BATS_TEST_TMPDIR/${profile-browser}" --virtual-time-budget=30000 \
            --enable-logging=stderr --window-size=1400,1800 --dump-dom "$@" > "$dom" 2> "$console" || status=$?
        if [[ $status -eq 0 ]] && grep -q '</html>' "$dom"; then
            cat "$dom"
            return
        fi
    done
    echo "the browser ended with status $status, $tries times:"
    tail -n 5 "$console"
    return 1
}

# In setup_file: whether it starts here.
try_browser() {
    command -v chromium > /dev/null || return 0
    BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR browser "data:text/html,<p>it starts" > "$BATS_FILE_TMPDIR/trial" || true
}

need_browser() {
    command -v chromium > /dev/null || skip "chromium is not installed"
    grep -q 'it starts' "$BATS_FILE_TMPDIR/trial" || skip "chromium does not start here"
}

# Opens a page and runs a script in it, at the end of the page's own; `say` makes a line of the output. What the
# console has got is an error: in_page PAGE SCRIPT [OPTION of the browser]... `fragment` stands behind the address.
in_page() {
    local page=$1 script=$2 dom
    shift 2
    {
        sed '/^<\/body>$/,$d' "$page"
        cat << END
<script>
const said = [];
const say = (...words) => said.push(words.join(" "));
const all = (what) => [...document.querySelectorAll(what)];
const the = (what) => document.querySelector(what);
const texts = (what) => all(what).map((e) => e.textContent.trim());
const send = (where, kind) => the(where).dispatchEvent(new Event(kind));
// The rows of a table in sight, some of the cells of each.
const cells = (table, ...which) => all(table + " tbody tr[aria-rowindex]").map((tr) =>
    which.map((i) => tr.children[i].textContent).join(" ")).join("|");
const click = (what) => the(what).click();
const a_moment = () => new Promise((done) => setTimeout(done, 100));
(async () => {
    try { $script } catch (error) { console.error(error); }
    const output = document.createElement("pre");
    output.textContent = "<<<\n" + said.join("\n") + "\n>>>";
    document.documentElement.replaceChildren(output);
})();
</script></body></html>
END
    } > under_test.html
    dom=$(browser "$@" "file://$PWD/under_test.html${fragment-}") || { echo "$dom"; return 1; }
    sed -n '/&lt;&lt;&lt;$/,/^&gt;&gt;&gt;/p' <<< "$dom" | sed '1d; $d; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
    if grep CONSOLE "$BATS_TEST_TMPDIR/console"; then return 1; fi
}

# run, and what must be said: assert_said WANTED PAGE SCRIPT [OPTION]...
assert_said() {
    local wanted=$1
    shift
    run in_page "$@"
    [[ $status -eq 0 && $output == "$wanted" ]] || { echo "status $status, said: $output"; return 1; }
}
