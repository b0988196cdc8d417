// SPDX-License-Identifier: BSD-3-Clause
// Two ranks whose calls are given one by one, behind each other, for the tests of the analysis.
#ifndef TARE_TEST_COMMS_PROGRAM_HPP
#define TARE_TEST_COMMS_PROGRAM_HPP

#include "communication.hpp"

namespace tare::comms::test {

enum regions : std::uint32_t {
    send_region,
    receive_region,
    begin_region,
    wait_region,
    data_region,
    window_region,
    put_region
};
inline constexpr const char *region_names[] = {"MPI_Send",    "MPI_Recv",       "MPI_Ialltoall", "MPI_Wait",
                                               "tare_data()", "MPI_Win_create", "MPI_Rput"};
inline constexpr const char *texts[] = {"old", "new"};
inline constexpr tare_archive_process_t processes[] = {{"rank 0", 0}, {"rank 1", 1}};
inline constexpr tare_archive_location_t locations[] = {{"", 0, 0, 0}, {"", 1, 0, 1}};
inline constexpr std::uint32_t members[] = {0, 1};
inline constexpr tare_archive_communicator_t communicators[] = {{"", 2, 0, members}};
inline constexpr tare_archive_window_t windows[] = {{"", 0}};
inline constexpr tare_archive_t two_ranks = {"", region_names, 7,  processes, 2, locations, 2, communicators,
                                             1,  windows,      1,  0,         1000, "",     texts, 2};

// Each event in a call of its own, one behind the other.
class program {
  public:
    tare_archive_event_t event(std::uint32_t rank, std::uint32_t kind, std::uint32_t request = 0) const
    {
        tare_archive_event_t e{};
        e.kind = kind;
        e.location = rank;
        e.peer = e.peer_rank = 1 - rank;
        e.length = 8;
        e.operation = TARE_TRACE_ALLTOALL;
        e.request = request;
        return e;
    }

    void call(std::uint32_t region, tare_archive_event_t e)
    {
        add(event(e.location, TARE_ARCHIVE_ENTER), region);
        add(e, region);
        add(event(e.location, TARE_ARCHIVE_LEAVE), region);
    }

    // A message of 8 bytes to the other rank.
    void message(std::uint32_t from, std::uint64_t sent_from, std::uint64_t received_at)
    {
        tare_archive_event_t sent = event(from, TARE_ARCHIVE_SEND), received = event(1 - from, TARE_ARCHIVE_RECV);
        sent.known = TARE_ARCHIVE_SEND_ADDRESS;
        sent.sent_buffer = {sent_from, 8, 0, 0, 0, 0};
        received.known = TARE_ARCHIVE_RECEIVE_ADDRESS;
        received.received_buffer = {received_at, 8, 0, 0, 0, 0};
        call(send_region, sent);
        call(receive_region, received);
    }

    void begin(std::uint32_t rank, std::uint64_t sent_from, std::uint64_t received_at)
    {
        tare_archive_event_t e = event(rank, TARE_ARCHIVE_COLLECTIVE_REQUEST, 7);
        e.known = TARE_ARCHIVE_SEND_ADDRESS | TARE_ARCHIVE_RECEIVE_ADDRESS;
        e.sent_buffer = {sent_from, 16, 0, 0, 0, 0};
        e.received_buffer = {received_at, 16, 0, 0, 0, 0};
        call(begin_region, e);
    }

    void name(std::uint32_t rank, std::uint64_t address, std::uint32_t text)
    {
        tare_archive_event_t e = event(rank, TARE_ARCHIVE_LEAVE);
        e.known = TARE_ARCHIVE_DATA_NAME | TARE_ARCHIVE_DATA_ADDRESS;
        e.received_buffer = {address, 16, 0, text, 0, 0};
        add(event(rank, TARE_ARCHIVE_ENTER), data_region);
        add(e, data_region);
    }

    // The rank's part of the window, in units of 8 bytes. base 0: memory is attached to it later.
    void make_window(std::uint32_t rank, std::uint64_t base)
    {
        tare_archive_event_t e = event(rank, TARE_ARCHIVE_WINDOW_CREATE);
        e.received_buffer = {base, 64, 0, 0, 0, 0};
        e.displacement = 8;
        e.known = base != 0 ? TARE_ARCHIVE_RECEIVE_ADDRESS | TARE_ARCHIVE_DISPLACEMENT_UNIT : 0;
        call(window_region, e);
    }

    // Of 8 bytes at this displacement in the other rank's part. kind: TARE_ARCHIVE_RMA_*
    void operate(std::uint32_t rank, std::uint32_t kind, std::uint64_t own, std::int64_t displacement, std::uint32_t number)
    {
        tare_archive_event_t e = event(rank, kind, number);
        e.received_length = 8;
        e.displacement = displacement;
        e.known = TARE_ARCHIVE_SEND_ADDRESS | TARE_ARCHIVE_RECEIVE_ADDRESS | TARE_ARCHIVE_DISPLACEMENT |
                  TARE_ARCHIVE_TARGET_OFFSET;
        e.sent_buffer = e.received_buffer = {own, 8, 0, 0, 0, 0};
        e.target_buffer = {0, 8, 0, 0, 0, 0};
        call(put_region, e);
    }

    result end() { return made_.finish(); }

  private:
    void add(tare_archive_event_t e, std::uint32_t region)
    {
        e.region = region;
        e.time_ns = now_++;
        made_.add(e);
    }

    std::uint64_t now_ = 0;
    communication made_{two_ranks};
};

inline std::uint64_t with_previous(const transfer_class &c, std::uint32_t previous)
{
    const auto found = c.previous.find(previous);
    return found == c.previous.end() ? 0 : found->second;
}

}  // namespace tare::comms::test

#endif
