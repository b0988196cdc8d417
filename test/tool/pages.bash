# SPDX-License-Identifier: BSD-3-Clause
# For tests of the page that tare report --html makes: what is in it.

need_jq() {
    command -v jq > /dev/null || skip "jq is not installed"
}

# The JSON of the run: page_data PAGE
page_data() {
    sed -n '/ id="tare-run">/,/<\/script>$/p' "$1" | sed 's/^<script .*id="tare-run">//; s/<\/script>$//'
}

# Those of the threads, a line each.
page_threads() {
    sed -n 's/^<script .*class="tare-thread">\(.*\)<\/script>$/\1/p' "$1"
}

# The rows of the page as `tare report --json` has them, as page/data.js reads them: page_rows PAGE sum|threads
page_rows() {
    jq -S -n --slurpfile run <(page_data "$1") --slurpfile threads <(page_threads "$1") --arg which "$2" '
        def unpacked($n):
            if type == "array" then .
            elif type == "number" then . as $all | [range($n) | $all]
            else . as $few | reduce range($few.at | length) as $i ([range($n) | 0]; .[$few.at[$i]] = $few.is[$i])
            end;
        def rows($n): . as $block
            | reduce ($run[0].columns | to_entries[]) as {key: $c, value: [$name, $plus, $minus]} ([range($n) | {}];
                ($block[$c] | unpacked($n)) as $left | to_entries
                | map(.key as $i | .value | .[$name] = $left[$i] + (if $plus then .[$plus] else 0 end)
                                                       - (if $minus then .[$minus] else 0 end)));
        def named($places): to_entries | map(.value + {region: $run[0].regions[$places[.key]]});
        if $which == "sum" then
            ($run[0].regions | length) as $n | $run[0].sum | rows($n) | named([range($n)])
            | map(. + {rank: null, thread: null})
        else
            [range($threads | length) as $t | $threads[$t]
                | (if .regions | type == "array" then .regions else [range(.regions)] end) as $places
                | .columns | rows($places | length) | named($places)
                | map(. + {rank: $run[0].threads[$t][0], thread: $run[0].threads[$t][1]})] | add
        end | sort_by(.rank, .thread, .region)'
}

# HTML and script, ends of elements, line ends of JavaScript, text from right to left, and 64 KiB of it.
hostile_name() {
    printf '%s' "a<b>&amp;'</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>"
    printf '\u2028\u2029\u202etxt \u05e9\u05dc\u05d5\u05dd \u0627\u0644\u0639'
    head -c 65536 /dev/zero | tr '\0' x
}

# Puts it into the profile in this directory: as a region, a function and a program.
hostile_names() {
    local name
    name=$(hostile_name | sed 's/[&|\]/\\&/g')
    local program='\&lt;img src=x onerror=alert(1)\&gt;'
    printf '%s\n' "s|^\"work\"|\"$name\"|" "s|: work\"|: $name\"|" \
        "s|</metadata>|<attribute><name>tare program</name><value>$program</value></attribute>&|" > hostile.sed
    sed -i -f hostile.sed MULTI__*/profile.*
    sed -i 's|exchange+0x2c|exchange</script><img src=x onerror=alert(1)>+0x2c|' tare-calls.*
    rm hostile.sed
}
