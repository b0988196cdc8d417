// SPDX-License-Identifier: BSD-3-Clause
// Where the status of a request is copied to another, MPIDI_Tare_take_edge copies what the status stands for; prints the
// copies without it.

@copy@
identifier caller;
expression to, from;
position p;
@@
caller(...)
{
<+...
to->status@p = from->status;
...+>
}

@stamped@
expression copy.to, copy.from, request;
position copy.p;
@@
(
to->status@p = from->status;
...
MPIDI_Tare_take_edge(request, from);
|
MPIDI_Tare_take_edge(request, from);
...
to->status@p = from->status;
)

@script:python depends on !stamped@
caller << copy.caller;
p << copy.p;
@@
print("%s:%s: %s copies a request's status, and no hook copies its edge" % (p[0].file, p[0].line, caller))
