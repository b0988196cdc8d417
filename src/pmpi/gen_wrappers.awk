# SPDX-License-Identifier: BSD-3-Clause
# Writes the PMPI wrappers from the prototypes of mpi.h. POSIX awk.
#
#   awk -v what=WHAT -f gen_wrappers.awk calls.tab mpi.i
#
# mpi.i is mpi.h after the C preprocessor. WHAT is one of
#   header    the enumeration of the calls and the table of pointers to the MPI library's PMPI_ functions
#   source    the wrappers and the facts about each call
#   handles   the data of the MPI library that its handles are addresses of (handles.hpp); of Open MPI only
#   list      one line a prototype: NAME, what is done with it, why
#
# Any mpi.h will do whose functions are declared as `int MPI_Xxx(arguments);`, attributes or not, over any number of
# lines.

function fail(text) {
    print "gen_wrappers.awk: " text > "/dev/stderr"
    failed = 1
    exit 1
}

# The text without `__attribute__((...))`; parentheses nest, strings hold none after strip_strings.
function strip_attributes(text,    at, i, depth, c) {
    while ((at = match(text, /__attribute__|__attribute|__declspec/)) > 0) {
        i = at + RLENGTH
        depth = 0
        do {
            c = substr(text, i, 1)
            depth += (c == "(") - (c == ")")
            i++
        } while (i <= length(text) && (depth > 0 || c == " "))
        text = substr(text, 1, at - 1) " " substr(text, i)
    }
    return text
}

function strip_strings(text) {
    gsub(/"([^"\\]|\\.)*"/, "", text)
    return text
}

function tidy(text) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    return text
}

# One declaration of the header: notes a prototype of MPI_Xxx.
function declaration(text,    open, head, name, type, args) {
    sub(/^.*[{}]/, "", text)
    if (text ~ /typedef/)
        return
    text = tidy(strip_attributes(strip_strings(text)))
    sub(/^extern /, "", text)
    if (text ~ /^struct ompi_predefined_[a-z]+_t [a-z0-9_]+$/)
        handles[++handle_count] = substr(text, match(text, /[a-z0-9_]+$/))
    if (text !~ /^[A-Za-z_][A-Za-z0-9_ ]*[ *]MPI_[A-Za-z0-9_]+ ?\(.*\)$/)
        return
    open = index(text, "(")
    head = tidy(substr(text, 1, open - 1))
    args = tidy(substr(text, open + 1, length(text) - open - 1))
    match(head, /MPI_[A-Za-z0-9_]+$/)
    name = substr(head, RSTART)
    type = tidy(substr(head, 1, RSTART - 1))
    if (type == "" || type ~ /(^| )(return|else|case)( |$)/ || name in result)
        return
    names[++prototypes] = name
    result[name] = type
    arguments[name] = args
}

# An argument's name, or "" if the prototype gives none.
function argument_name(text,    words, n, last) {
    sub(/(\[[^]]*\] ?)+$/, "", text)
    n = split(tidy(text), words, /[ *]+/)
    last = words[n]
    if (n < 2 || text ~ /\*$/ || last ~ /^(int|char|void|long|short|double|float|const|unsigned|signed)$/)
        return ""
    return (n == 2 && words[1] == "const") ? "" : last
}

# Sets `parameters` and `values`: the arguments as they are declared and as they are passed on.
function split_arguments(name,    parts, n, i, own, brackets) {
    parameters = values = ""
    if (arguments[name] == "" || arguments[name] == "void")
        return
    n = split(arguments[name], parts, ",")
    for (i = 1; i <= n; i++) {
        parts[i] = tidy(parts[i])
        own = argument_name(parts[i])
        if (own == "") {
            own = "a" i
            brackets = match(parts[i], /(\[[^]]*\] ?)+$/) ? substr(parts[i], RSTART) : ""
            parts[i] = tidy(substr(parts[i], 1, length(parts[i]) - length(brackets))) " " own brackets
        }
        parameters = parameters (i > 1 ? ", " : "") parts[i]
        values = values (i > 1 ? ", " : "") own
    }
}

# The argument that is where a handle of this type is put.
function put_into(name, type, word,    parts, n, i) {
    n = split(arguments[name], parts, ",")
    for (i = 1; i <= n; i++)
        if (tidy(parts[i]) ~ "^" type " ?\\*")
            return argument_name(tidy(parts[i])) == "" ? "a" i : argument_name(tidy(parts[i]))
    fail("calls.tab: '" word "' of " name ", which has no argument of type " type " *")
}

# The argument that is a communicator.
function comm_of(name,    parts, n, i) {
    n = split(arguments[name], parts, ",")
    for (i = 1; i <= n; i++)
        if (tidy(parts[i]) ~ /^MPI_Comm( |$)/ && parts[i] !~ /\*/)
            return argument_name(tidy(parts[i])) == "" ? "a" i : argument_name(tidy(parts[i]))
    fail("calls.tab: 'together' of " name ", which has no communicator")
}

# A collective call, with the tool's own operation: how data flow is what collect::FLOW says.
function collected(name, real, flow,    end) {
    end = "([&] { return " real "; }, [&] { return collect::" flow "(" values "); }"
    if (name ~ /_init(_c)?$/)
        return "collected_later<form::persistent>" end ", " put_into(name, "MPI_Request", "collect") ")"
    if (name ~ /^MPI_I/)
        return "collected_later<form::nonblocking>" end ", " put_into(name, "MPI_Request", "collect") ")"
    return "collected" end ")"
}

# The events of a collective call for a trace: how much it moves is what traced::FLOW says.
function moved_events(name, flow,    facts) {
    facts = "traced::" flow "(" values ")"
    if (name ~ /_init(_c)?$/)
        return "traced::describe_collective(" facts ", *" put_into(name, "MPI_Request", "moves") ")"
    if (name ~ /^MPI_I/)
        return "traced::begin_collective(" facts ", *" put_into(name, "MPI_Request", "moves") ")"
    return "traced::write_collective(" facts ")"
}

# Whom the call has waited for: a function, or the object that was there around it.
function awaited_by(words,    whom) {
    if (word_value(words, "pending") != "" || has_word(words, "together"))
        return "whom"
    whom = word_value(words, "for")
    if (whom == "" && has_word(words, "wait"))
        whom = "all"
    if (whom == "")
        whom = "unknown"
    if (whom ~ /^(all|several|unknown)$/)
        return "waits_for<awaited::" whom ">{}"
    return "[&] { return awaits::" whom "(" values "); }"
}

# What is remembered of a request, or a message, that the call makes, for who waits for it later. "": it makes none.
function asked_by(name, words,    asks) {
    asks = word_value(words, "asks")
    if (asks != "")
        return "awaits::" asks "(" values ");"
    if (arguments[name] !~ /MPI_Request ?\*/ || name ~ /^MPI_(Wait|Test|Start|Cancel|Request_free)$/)
        return ""
    return "awaits::remember(*" put_into(name, "MPI_Request", "asks") ", " \
           (word_value(words, "collect") != "" ? "waits_for<awaited::all>{}()" : "{}") ");"
}

# What a trace says of the memory that the call uses.
function recorded(buffers) {
    return "if (traced::are_buffers_recorded())\n            traced::buffers::" buffers "(" values ");"
}

# The words of the table for a function; NAME_c is NAME.
function words_of(name,    base, i) {
    base = name
    if (!(base in exact))
        sub(/_c$/, "", base)
    if (base in exact)
        return exact[base]
    for (i = 1; i <= patterns; i++)
        if (name ~ pattern[i])
            return pattern_words[i]
    return ""
}

function has_word(words, word) {
    return index(" " words " ", " " word " ") > 0
}

function word_value(words, key) {
    if (!match(" " words " ", " " key "=[a-z_]+"))
        return ""
    return substr(words, RSTART + length(key) + 1, RLENGTH - length(key) - 2)
}

# What is done with a function: sets `reason` where it is not wrapped.
function treatment(name,    words) {
    words = words_of(name)
    reason = ""
    if (has_word(words, "hand"))
        return "hand"
    if (has_word(words, "skip"))
        reason = "calls.tab"
    else if (result[name] != "int")
        reason = "returns " result[name]
    else if (arguments[name] ~ /\.\.\./)
        reason = "variable arguments"
    if (reason != "")
        return "skip"
    if (has_word(words, "refuse"))
        return "refuse"
    return word_value(words, "carry") != "" ? "carry" : "time"
}

function write_header(    i, short) {
    print "// Written by gen_wrappers.awk from calls.tab and mpi.h: do not edit."
    print "#ifndef TARE_PMPI_CALLS_GEN_HPP\n#define TARE_PMPI_CALLS_GEN_HPP\n"
    print "#include \"mpi_api.hpp\"\n"
    print "namespace tare::pmpi {\n"
    print "enum class call : unsigned {"
    for (i = 1; i <= wrapped; i++)
        print "    " short_name(i) ","
    print "};\nconstexpr unsigned calls = " wrapped ";\n"
    print "// The MPI library's own functions, in the order of `call`."
    print "struct real_calls {"
    for (i = 1; i <= wrapped; i++)
        print "    decltype(&::" names[index_of[i]] ") " short_name(i) ";"
    print "};\n\n}  // namespace tare::pmpi\n\n#endif"
}

function write_handles(    i) {
    print "// Written by gen_wrappers.awk from mpi.h: do not edit."
    print "#ifndef TARE_PMPI_HANDLES_GEN_HPP\n#define TARE_PMPI_HANDLES_GEN_HPP\n"
    if (handle_count > 0) {
        print "namespace tare::pmpi {\n\nstruct predefined_handles {"
        for (i = 1; i <= handle_count; i++)
            print "    void *" handles[i] ";"
        print "};\n\nconstexpr const char *handle_names[] = {"
        for (i = 1; i <= handle_count; i++)
            print "    \"" handles[i] "\","
        print "};\n\n}  // namespace tare::pmpi\n"
    }
    print "#endif"
}

function short_name(i) {
    return substr(names[index_of[i]], 5)
}

# With a carrier above MPI, a wait for something that is not seen.
function is_unseen(words) {
    return has_word(words, "unseen") || \
           has_word(words, "wait") && word_value(words, "carry") == "" && word_value(words, "collect") == ""
}

function write_wrapper(name, kind, words,    short, carry, real, poll, status, bytes, trace, moved, events, buffers, flow, whom, asked) {
    short = substr(name, 5)
    split_arguments(name)
    carry = word_value(words, "carry")
    real = "real." short "(" values ")"
    print "\nTARE_MPI_EXPORT int " name "(" parameters ")"
    print "{"
    print "    const entry how = " (has_word(words, "helper") ? "enter_helper" : "enter") "(call::" short \
          ", __builtin_return_address(0));"
    print "    if (how == entry::raw)"
    print "        return " real ";"
    status = word_value(words, "status")
    if (status != "") {
        print "    MPI_Status own_status = {};"
        print "    if (how == entry::measured && " status " == MPI_STATUS_IGNORE)"
        print "        " status " = &own_status;"
    }
    if (kind == "refuse") {
        print "    if (carrier_is_on())"
        print "        refuse(call::" short ");"
    }
    if (word_value(words, "pending") != "")
        print "    const awaits::" word_value(words, "pending") " whom(how, " values ");"
    if (has_word(words, "together"))
        print "    const waits_for_all_on whom(" comm_of(name) ");"
    trace = word_value(words, "trace")
    if (trace != "")
        print "    traced::" trace " events(" values ");"
    if (kind == "carry")
        print "    const int rc = carrier_is_on() ? carried::" carry "(real." short ", " values ")\n" \
              "                                   : " real ";"
    else if (word_value(words, "collect") != "")
        print "    const int rc = carrier_is_on() ? " collected(name, real, word_value(words, "collect")) "\n" \
              "                                   : " real ";"
    else
        print "    const int rc = " real ";"
    if (trace != "")
        print "    events.returned(rc);"
    if (is_unseen(words))
        print "    if (carrier_is_on())\n        waited_unseen();"
    if (has_word(words, "makes"))
        print "    if (carrier_is_on() && rc == MPI_SUCCESS)\n        made_comm(*" put_into(name, "MPI_Comm", "makes") ");"
    if (has_word(words, "frees"))
        print "    if (rc == MPI_SUCCESS)\n        forget_peers();"
    print "    if (how == entry::counted)\n        return leave_counted(rc);"
    asked = asked_by(name, words)
    if (asked != "")
        print "    if (rc == MPI_SUCCESS)\n        " asked
    poll = word_value(words, "poll")
    bytes = word_value(words, "bytes")
    events = trace == "" ? "" : ", [&](const moved_bytes &moved) { events.write(moved); }"
    buffers = word_value(words, "buffers")
    if (buffers != "")
        events = ", [&](const moved_bytes &moved) {\n        if (rc == MPI_SUCCESS)\n            " recorded(buffers) \
                 "\n        " (trace == "" ? "(void) moved" : "events.write(moved)") ";\n    }"
    flow = word_value(words, "moves")
    if (flow != "")
        events = ",\n          [&](const moved_bytes &) {\n        if (rc != MPI_SUCCESS)\n            return;\n        " \
                 recorded(flow) "\n        " moved_events(name, flow) ";\n    }"
    moved = bytes == "" ? "no_bytes{}" : "[&] { return bytes::" bytes "(" values "); }"
    whom = awaited_by(words)
    if (poll != "")
        print "    leave_poll(call::" short ", how, __builtin_return_address(0), rc, rc == MPI_SUCCESS && *" poll " != 0, " whom events ");"
    else
        print "    leave(call::" short ", how, __builtin_return_address(0), rc, " moved ", " whom events ");"
    print "    return rc;"
    print "}"
}

# How a function ends, and what its note finds out.
function end_of(words,    bytes, noted) {
    bytes = word_value(words, "bytes")
    if (bytes ~ /^(isend|send)/ && bytes != "send_init")
        noted = "noted_send"
    if (bytes ~ /^(m?recv|sendrecv|sendrecv_replace)$/)
        noted = noted (noted == "" ? "" : " | ") "noted_receive"
    if (bytes ~ /^(irecv|imrecv|isendrecv|isendrecv_replace|send_init|recv_init|bcast|reduce|allreduce)$/)
        noted = noted (noted == "" ? "" : " | ") "noted_buffer"
    if (has_word(words, "together"))
        noted = noted (noted == "" ? "" : " | ") "noted_exit"
    return (has_word(words, "wait") ? "TARE_END_BLOCKS" : "TARE_END_RETURNS") \
           (noted == "" ? "" : " | TARE_END_NOTED(" noted ")")
}

function write_source(    i, name, words, kind) {
    print "// Written by gen_wrappers.awk from calls.tab and mpi.h: do not edit."
    print "#include \"awaited.hpp\"\n#include \"bytes.hpp\"\n#include \"carried.hpp\"\n#include \"collect.hpp\"\n#include \"exits.hpp\"\n#include \"layer.hpp\"\n#include \"traced_collective_buffers.hpp\"\n#include \"traced_collectives.hpp\"\n#include \"traced_comm_calls.hpp\"\n#include \"traced_requests.hpp\"\n#include \"traced_window_calls.hpp\"\n"
    print "namespace tare::pmpi {\n"
    print "const call_facts facts[calls] = {"
    for (i = 1; i <= wrapped; i++) {
        name = names[index_of[i]]
        print "    {\"" name "()\", \"P" name "\", " end_of(words_of(name)) "},"
    }
    print "};\n\n}  // namespace tare::pmpi\n"
    print "using namespace tare::pmpi;\n\nextern \"C\" {"
    for (i = 1; i <= wrapped; i++) {
        name = names[index_of[i]]
        kind = kinds[index_of[i]]
        if (kind == "hand")
            continue
        write_wrapper(name, kind, words_of(name))
        print "TARE_MPI_ALIAS(" name ");"
    }
    print "\n}"
}

function write_list(    i) {
    for (i = 1; i <= prototypes; i++)
        print names[i], kinds[i] (reasons[i] == "" ? "" : " (" reasons[i] ")")
}

FNR == 1 {
    file++
}

# --- calls.tab ---
file == 1 {
    sub(/#.*/, "")
    if (NF == 0)
        next
    own = $1
    $1 = ""
    own_words = tidy($0)
    n_words = split(own_words, own_word, " ")
    for (i = 1; i <= n_words; i++)
        if (own_word[i] !~ /^(skip|hand|wait|unseen|refuse|together|makes|frees|helper|carry=[a-z_]+|collect=[a-z_]+|poll=[a-z_]+|bytes=[a-z_]+|status=[a-z_]+|trace=[a-z_]+|moves=[a-z_]+|buffers=[a-z_]+|for=[a-z_]+|pending=[a-z_]+|asks=[a-z_]+)$/)
            fail(FILENAME ":" FNR ": '" own_word[i] "' is none of skip, hand, wait, unseen, refuse, together, makes, frees, helper, " \
                 "carry=FUNCTION, collect=FLOW, poll=ARGUMENT, bytes=FUNCTION, status=ARGUMENT, trace=CLASS, moves=FLOW, buffers=FUNCTION, " \
                 "for=FUNCTION, pending=CLASS, asks=FUNCTION")
    if (own ~ /\*/) {
        gsub(/\*/, ".*", own)
        pattern[++patterns] = "^" own "$"
        pattern_words[patterns] = own_words
    } else {
        exact[own] = own_words
    }
    next
}

# --- mpi.i ---
/^#/ {
    next
}

{
    rest = $0
    while ((at = index(rest, ";")) > 0) {
        declaration(pending " " substr(rest, 1, at - 1))
        pending = ""
        rest = substr(rest, at + 1)
    }
    pending = pending " " rest
}

END {
    if (failed)
        exit 1
    if (prototypes == 0)
        fail("no prototype of an MPI function in " FILENAME)
    for (i = 1; i <= prototypes; i++) {
        kinds[i] = treatment(names[i])
        reasons[i] = reason
        if (kinds[i] != "skip")
            index_of[++wrapped] = i
    }
    if (what == "header")
        write_header()
    else if (what == "source")
        write_source()
    else if (what == "handles")
        write_handles()
    else if (what == "list")
        write_list()
    else
        fail("what=" what " is none of header, source, handles, list")
}
