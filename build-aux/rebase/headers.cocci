// SPDX-License-Identifier: BSD-3-Clause
// Where a function fills the header of a packet, a hook of the same function gets the address of its stamp; prints the
// headers without one. A header is a variable whose type ends in _msg_t, _hdr_t, _rts_t or _ack_t, as MPIDIG names them:
// one that another release has brought is found as well.

@initialize:python@
@@
import re

# The datatype and the data of an operation on a window follow its request and answer nothing: the stamps of the
# request and of the acknowledgement hold for them.
parts = re.compile(r'MPIDIG_\w+_(dt_ack|dat)_msg_t$')

def is_header(name):
    return re.match(r'MPID\w+_(msg|hdr|rts|ack)_t$', name) and not parts.match(name)

@header@
identifier caller, variable;
type T;
position p;
@@
caller(...)
{
<...
T variable@p;
...>
}

@stamped@
identifier header.caller, header.variable, hook, member;
@@
caller(...)
{
<+...
(
hook(..., &variable.tare, ...)
|
hook(..., &variable.member.tare, ...)
)
...+>
}

@script:python depends on !stamped@
caller << header.caller;
variable << header.variable;
T << header.T;
p << header.p;
@@
if is_header(T):
    print("%s:%s: %s fills %s (%s), and no hook stamps it" % (p[0].file, p[0].line, caller, variable, T))
