// SPDX-License-Identifier: BSD-3-Clause
// Every way to send a message to rank 1 and to receive one from rank 0.
#include "echo.hpp"

#include <stdlib.h>

namespace echo {

namespace {

constexpr int tag = 1;
MPI_Comm intercomm;
MPI_Status status;

// --- completion of one request ---

void wait(MPI_Request r)
{
    event();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

void waitall(MPI_Request r)
{
    event();
    MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
}

void waitany(MPI_Request r)
{
    MPI_Request both[2] = {MPI_REQUEST_NULL, r};
    int index;
    event();
    MPI_Waitany(2, both, &index, &status);
}

void waitsome(MPI_Request r)
{
    MPI_Request both[2] = {MPI_REQUEST_NULL, r};
    int count, indices[2];
    event();
    MPI_Waitsome(2, both, &count, indices, MPI_STATUSES_IGNORE);
}

// Polls until the call says that it has succeeded: a pure spin, so one wait.
template <typename Poll> void spin(Poll poll)
{
    int done = 0;
    while (!done) {
        event();
        done = poll();
    }
}

void test(MPI_Request r)
{
    spin([&r] {
        int flag;
        MPI_Test(&r, &flag, &status);
        return flag;
    });
}

void testall(MPI_Request r)
{
    spin([&r] {
        int flag;
        MPI_Testall(1, &r, &flag, MPI_STATUSES_IGNORE);
        return flag;
    });
}

void testany(MPI_Request r)
{
    spin([&r] {
        int flag, index;
        MPI_Testany(1, &r, &index, &flag, &status);
        return flag;
    });
}

void testsome(MPI_Request r)
{
    spin([&r] {
        int count, index;
        MPI_Testsome(1, &r, &count, &index, MPI_STATUSES_IGNORE);
        return count;
    });
}

void get_status(MPI_Request r)
{
    spin([&r] {
        int flag;
        MPI_Request_get_status(r, &flag, &status);
        return flag;
    });
    wait(r);
}

void start_and_wait(MPI_Request r)
{
    event();
    MPI_Start(&r);
    event();
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
}

using complete = void (*)(MPI_Request);

// --- sending ---

using blocking_send = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
using nonblocking_send = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

template <blocking_send call> void send(int size)
{
    event();
    call(send_buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
}

template <nonblocking_send call, complete finish> void isend(int size)
{
    MPI_Request r;
    event();
    call(send_buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &r);
    finish(r);
}

template <nonblocking_send init> void persistent_send(int size)
{
    MPI_Request r;
    event();
    init(send_buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD, &r);
    start_and_wait(r);
}

void send_c(int size)
{
    event();
    MPI_Send_c(send_buffer, size, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
}

void sendrecv(int size)
{
    event();
    MPI_Sendrecv(send_buffer, size, MPI_BYTE, 1, tag, receive_buffer, 0, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

void sendrecv_replace(int size)
{
    event();
    MPI_Sendrecv_replace(send_buffer, size, MPI_BYTE, 1, tag, MPI_PROC_NULL, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void isendrecv(int size)
{
    MPI_Request r;
    event();
    MPI_Isendrecv(send_buffer, size, MPI_BYTE, 1, tag, receive_buffer, 0, MPI_BYTE, MPI_PROC_NULL, tag, MPI_COMM_WORLD,
                  &r);
    wait(r);
}

void isendrecv_replace(int size)
{
    MPI_Request r;
    event();
    MPI_Isendrecv_replace(send_buffer, size, MPI_BYTE, 1, tag, MPI_PROC_NULL, tag, MPI_COMM_WORLD, &r);
    wait(r);
}

// --- receiving ---

void recv(int size)
{
    event();
    MPI_Recv(receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void recv_c(int size)
{
    event();
    MPI_Recv_c(receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

template <int source, int tag_> void recv_any(int size)
{
    event();
    MPI_Recv(receive_buffer, size, MPI_BYTE, source, tag_, MPI_COMM_WORLD, &status);
}

template <complete finish> void irecv(int size)
{
    MPI_Request r;
    event();
    MPI_Irecv(receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &r);
    finish(r);
}

void persistent_recv(int size)
{
    MPI_Request r;
    event();
    MPI_Recv_init(receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &r);
    start_and_wait(r);
}

void recv_in_sendrecv(int size)
{
    event();
    MPI_Sendrecv(send_buffer, 0, MPI_BYTE, MPI_PROC_NULL, tag, receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

void recv_in_sendrecv_replace(int size)
{
    event();
    MPI_Sendrecv_replace(receive_buffer, size, MPI_BYTE, MPI_PROC_NULL, tag, 0, tag, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

void recv_in_isendrecv(int size)
{
    MPI_Request r;
    event();
    MPI_Isendrecv(send_buffer, 0, MPI_BYTE, MPI_PROC_NULL, tag, receive_buffer, size, MPI_BYTE, 0, tag, MPI_COMM_WORLD,
                  &r);
    wait(r);
}

void probe_recv(int size)
{
    event();
    MPI_Probe(0, tag, MPI_COMM_WORLD, &status);
    recv(size);
}

void iprobe_recv(int size)
{
    spin([] {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &status);
        return flag;
    });
    recv(size);
}

void mprobe_mrecv(int size)
{
    MPI_Message message;
    event();
    MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, &status);
    event();
    MPI_Mrecv(receive_buffer, size, MPI_BYTE, &message, &status);
}

void improbe_imrecv(int size)
{
    MPI_Message message;
    MPI_Request r;
    spin([&message] {
        int flag;
        MPI_Improbe(0, tag, MPI_COMM_WORLD, &flag, &message, &status);
        return flag;
    });
    event();
    MPI_Imrecv(receive_buffer, size, MPI_BYTE, &message, &r);
    wait(r);
}

// --- both sides of their own kind ---

// Every other byte of the first half, and the same placed by absolute addresses.
MPI_Datatype strided(int size)
{
    MPI_Datatype type;
    MPI_Type_vector(size, 1, 2, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

MPI_Datatype absolute(void *buffer, int size)
{
    MPI_Datatype type;
    MPI_Aint address;
    MPI_Get_address(buffer, &address);
    MPI_Type_create_hindexed(1, &size, &address, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

void send_derived(int size)
{
    MPI_Datatype type = strided(size);
    event();
    MPI_Send(send_buffer, 1, type, 1, tag, MPI_COMM_WORLD);
    MPI_Type_free(&type);
}

void recv_derived(int size)
{
    MPI_Datatype type = strided(size);
    event();
    MPI_Recv(receive_buffer, 1, type, 0, tag, MPI_COMM_WORLD, &status);
    MPI_Type_free(&type);
}

void send_bottom(int size)
{
    MPI_Datatype type = absolute(send_buffer, size);
    event();
    MPI_Send(MPI_BOTTOM, 1, type, 1, tag, MPI_COMM_WORLD);
    MPI_Type_free(&type);
}

void recv_bottom(int size)
{
    MPI_Datatype type = absolute(receive_buffer, size);
    event();
    MPI_Recv(MPI_BOTTOM, 1, type, 0, tag, MPI_COMM_WORLD, &status);
    MPI_Type_free(&type);
}

void send_intercomm(int size)
{
    event();
    MPI_Send(send_buffer, size, MPI_BYTE, 0, tag, intercomm);
}

void recv_intercomm(int size)
{
    event();
    MPI_Recv(receive_buffer, size, MPI_BYTE, 0, tag, intercomm, &status);
}

void psend(int size)
{
    MPI_Request r;
    event();
    MPI_Psend_init(send_buffer, 2, size / 2, MPI_BYTE, 1, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    event();
    MPI_Start(&r);
    event();
    MPI_Pready(1, r);
    event();
    MPI_Pready(0, r);
    wait(r);
    MPI_Request_free(&r);
}

MPI_Request partitioned_receive(int size)
{
    MPI_Request r;
    event();
    MPI_Precv_init(receive_buffer, 2, size / 2, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    event();
    MPI_Start(&r);
    return r;
}

void precv(int size)
{
    MPI_Request r = partitioned_receive(size);
    wait(r);
    MPI_Request_free(&r);
}

void precv_parrived(int size)
{
    MPI_Request r = partitioned_receive(size);
    spin([&r] {
        int flag;
        MPI_Parrived(r, 1, &flag);
        return flag;
    });
    wait(r);
    MPI_Request_free(&r);
}

// --- the tables ---

const send_call common_sends[] = {
    {"Send", send<MPI_Send>, answer::of_rendezvous, false},
    {"Ssend", send<MPI_Ssend>, answer::always, false},
    {"Isend+Wait", isend<MPI_Isend, wait>, answer::of_rendezvous, false},
    {"Issend+Wait", isend<MPI_Issend, wait>, answer::always, false},
    {"Isend+Waitall", isend<MPI_Isend, waitall>, answer::of_rendezvous, false},
    {"Issend+Waitall", isend<MPI_Issend, waitall>, answer::always, false},
    {"Sendrecv", sendrecv, answer::of_rendezvous, false},
};
const receive_call common_receives[] = {
    {"Recv", recv},
    {"Irecv+Wait", irecv<wait>},
    {"Irecv+Waitall", irecv<waitall>},
    {"Sendrecv", recv_in_sendrecv},
};
const send_call further_sends[] = {
    {"Bsend", send<MPI_Bsend>, answer::never, false},
    {"Rsend", send<MPI_Rsend>, answer::of_rendezvous, true},
    {"Ibsend+Wait", isend<MPI_Ibsend, wait>, answer::never, false},
    {"Irsend+Wait", isend<MPI_Irsend, wait>, answer::of_rendezvous, true},
    {"Isend+Waitany", isend<MPI_Isend, waitany>, answer::of_rendezvous, false},
    {"Issend+Waitsome", isend<MPI_Issend, waitsome>, answer::always, false},
    {"Issend+Test", isend<MPI_Issend, test>, answer::always, false},
    {"Isend+Testall", isend<MPI_Isend, testall>, answer::of_rendezvous, false},
    {"Issend+Testany", isend<MPI_Issend, testany>, answer::always, false},
    {"Isend+Testsome", isend<MPI_Isend, testsome>, answer::of_rendezvous, false},
    {"Issend+Request_get_status", isend<MPI_Issend, get_status>, answer::always, false},
    {"persistent Send", persistent_send<MPI_Send_init>, answer::of_rendezvous, false},
    {"persistent Ssend", persistent_send<MPI_Ssend_init>, answer::always, false},
    {"persistent Bsend", persistent_send<MPI_Bsend_init>, answer::never, false},
    {"persistent Rsend", persistent_send<MPI_Rsend_init>, answer::of_rendezvous, true},
    {"Sendrecv_replace", sendrecv_replace, answer::of_rendezvous, false},
    {"Isendrecv", isendrecv, answer::of_rendezvous, false},
    {"Isendrecv_replace", isendrecv_replace, answer::of_rendezvous, false},
    {"Send_c", send_c, answer::of_rendezvous, false},
};
const receive_call further_receives[] = {
    {"any-source Recv", recv_any<MPI_ANY_SOURCE, tag>},
    {"any-tag Recv", recv_any<0, MPI_ANY_TAG>},
    {"Irecv+Waitany", irecv<waitany>},
    {"Irecv+Waitsome", irecv<waitsome>},
    {"Irecv+Test", irecv<test>},
    {"Irecv+Testall", irecv<testall>},
    {"Irecv+Testany", irecv<testany>},
    {"Irecv+Testsome", irecv<testsome>},
    {"Irecv+Request_get_status", irecv<get_status>},
    {"persistent Recv", persistent_recv},
    {"Probe+Recv", probe_recv},
    {"Iprobe+Recv", iprobe_recv},
    {"Mprobe+Mrecv", mprobe_mrecv},
    {"Improbe+Imrecv", improbe_imrecv},
    {"Sendrecv_replace", recv_in_sendrecv_replace},
    {"Isendrecv", recv_in_isendrecv},
    {"Recv_c", recv_c},
};
const send_call derived_sends[] = {{"Send of a derived type", send_derived, answer::of_rendezvous, false}};
const receive_call derived_receives[] = {{"Recv of a derived type", recv_derived}};
const send_call bottom_sends[] = {{"Send from MPI_BOTTOM", send_bottom, answer::of_rendezvous, false}};
const receive_call bottom_receives[] = {{"Recv at MPI_BOTTOM", recv_bottom}};
const send_call intercomm_sends[] = {{"Send between groups", send_intercomm, answer::of_rendezvous, false}};
const receive_call intercomm_receives[] = {{"Recv between groups", recv_intercomm}};
// A partitioned send waits for its receiver's CTS at every size.
const send_call partitioned_sends[] = {{"partitioned send", psend, answer::always, false}};
const receive_call partitioned_receives[] = {{"partitioned receive", precv}, {"Parrived", precv_parrived}};

const int all_sizes[] = {0, 1, 8, 1024, 8192, 16384, 65536, 131072, 1 << 20, 4 << 20, -1};
const int some_sizes[] = {0, 8, 65536, 1 << 20, -1};
// 64 KiB of single bytes take OFI's sockets longer than a scene allows.
const int strided_sizes[] = {0, 8, 8192, 1 << 20, -1};

template <int s, int r>
constexpr family make(const send_call (&sends)[s], const receive_call (&receives)[r], const int *sizes)
{
    return {sends, s, receives, r, sizes};
}

}  // namespace

const family families[] = {
    make(common_sends, common_receives, all_sizes),
    make(further_sends, common_receives, some_sizes),
    make(common_sends, further_receives, some_sizes),
    make(derived_sends, derived_receives, strided_sizes),
    make(bottom_sends, bottom_receives, some_sizes),
    make(intercomm_sends, intercomm_receives, some_sizes),
    make(partitioned_sends, partitioned_receives, some_sizes),
};
const int family_count = sizeof(families) / sizeof(families[0]);

void make_communicators()
{
    quiet q;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 9, &intercomm);
    const int attached = 4 * (max_size + MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(malloc(attached), attached);
}

void free_communicators()
{
    quiet q;
    void *buffer;
    int size;
    MPI_Comm_free(&intercomm);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
}

}  // namespace echo
