// SPDX-License-Identifier: BSD-3-Clause
#include "archive_events.hpp"

#include "definition_file.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <queue>

namespace tare::trace {

// What OTF2 calls for each event.
struct event_calls {
    static location_events &of(void *data) { return *static_cast<location_events *>(data); }

    template <std::uint32_t kind>
    static OTF2_CallbackCode region(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RegionRef region)
    {
        location_events &in = of(data);
        in.add(kind, time, attributes).region = in.definitions_.region(region);
        return OTF2_CALLBACK_SUCCESS;
    }

    static tare_archive_event_t &message(void *data, std::uint32_t kind, OTF2_TimeStamp time,
                                         OTF2_AttributeList *attributes, std::uint32_t rank, OTF2_CommRef communicator,
                                         std::uint32_t tag, std::uint64_t length)
    {
        location_events &in = of(data);
        tare_archive_event_t &e = in.add(kind, time, attributes);
        e.communicator = in.definitions_.communicator(communicator);
        e.peer = in.definitions_.peer(in.process_, e.communicator, rank);
        e.peer_rank = rank;
        e.tag = tag;
        e.length = length;
        return e;
    }

    template <std::uint32_t kind>
    static OTF2_CallbackCode blocking(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                      OTF2_AttributeList *attributes, std::uint32_t rank, OTF2_CommRef communicator,
                                      std::uint32_t tag, std::uint64_t length)
    {
        message(data, kind, time, attributes, rank, communicator, tag, length);
        return OTF2_CALLBACK_SUCCESS;
    }

    template <std::uint32_t kind>
    static OTF2_CallbackCode nonblocking(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                         OTF2_AttributeList *attributes, std::uint32_t rank, OTF2_CommRef communicator,
                                         std::uint32_t tag, std::uint64_t length, std::uint64_t request)
    {
        message(data, kind, time, attributes, rank, communicator, tag, length).request = request;
        return OTF2_CALLBACK_SUCCESS;
    }

    template <std::uint32_t kind>
    static OTF2_CallbackCode request(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                     OTF2_AttributeList *attributes, std::uint64_t request)
    {
        of(data).add(kind, time, attributes).request = request;
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode collective_begin(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                              OTF2_AttributeList *attributes)
    {
        of(data).add(TARE_ARCHIVE_COLLECTIVE_BEGIN, time, attributes);
        return OTF2_CALLBACK_SUCCESS;
    }

    // Who has the root for a process: in an intercommunicator it may be no rank, and is not known then.
    static tare_archive_event_t &collective(void *data, std::uint32_t kind, OTF2_TimeStamp time,
                                            OTF2_AttributeList *attributes, OTF2_CollectiveOp operation,
                                            OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent)
    {
        tare_archive_event_t &e = message(data, kind, time, attributes, root, communicator, 0, sent);
        e.operation = operation;
        return e;
    }

    static OTF2_CallbackCode collective_end(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                            OTF2_AttributeList *attributes, OTF2_CollectiveOp operation,
                                            OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                                            std::uint64_t)
    {
        collective(data, TARE_ARCHIVE_COLLECTIVE_END, time, attributes, operation, communicator, root, sent);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode collective_complete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                                 OTF2_AttributeList *attributes, OTF2_CollectiveOp operation,
                                                 OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent,
                                                 std::uint64_t, std::uint64_t request)
    {
        collective(data, TARE_ARCHIVE_COLLECTIVE_COMPLETE, time, attributes, operation, communicator, root, sent).request =
            request;
        return OTF2_CALLBACK_SUCCESS;
    }

    // On a window, of whose communicator the target has a rank.
    static tare_archive_event_t &on_window(void *data, std::uint32_t kind, OTF2_TimeStamp time,
                                           OTF2_AttributeList *attributes, OTF2_RmaWinRef window)
    {
        location_events &in = of(data);
        tare_archive_event_t &e = in.add(kind, time, attributes);
        e.window = in.definitions_.window(window);
        e.communicator = e.window == TARE_ARCHIVE_UNKNOWN ? TARE_ARCHIVE_UNKNOWN
                                                          : in.definitions_.table().windows[e.window].communicator;
        return e;
    }

    static tare_archive_event_t &operation(void *data, std::uint32_t kind, OTF2_TimeStamp time,
                                           OTF2_AttributeList *attributes, OTF2_RmaWinRef window, std::uint32_t target,
                                           std::uint64_t length, std::uint64_t number)
    {
        location_events &in = of(data);
        tare_archive_event_t &e = on_window(data, kind, time, attributes, window);
        e.peer = in.definitions_.peer(in.process_, e.communicator, target);
        e.peer_rank = target;
        e.length = length;
        e.request = number;
        return e;
    }

    template <std::uint32_t kind>
    static OTF2_CallbackCode one_way(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                     OTF2_AttributeList *attributes, OTF2_RmaWinRef window, std::uint32_t target,
                                     std::uint64_t length, std::uint64_t number)
    {
        operation(data, kind, time, attributes, window, target, length, number);
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode atomic(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RmaWinRef window, std::uint32_t target,
                                    OTF2_RmaAtomicType type, std::uint64_t sent, std::uint64_t received,
                                    std::uint64_t number)
    {
        tare_archive_event_t &e =
            operation(data, TARE_ARCHIVE_RMA_ATOMIC, time, attributes, window, target, sent, number);
        e.operation = type;
        e.received_length = received;
        return OTF2_CALLBACK_SUCCESS;
    }

    static OTF2_CallbackCode complete(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                      OTF2_AttributeList *attributes, OTF2_RmaWinRef window, std::uint64_t number)
    {
        on_window(data, TARE_ARCHIVE_RMA_COMPLETE, time, attributes, window).request = number;
        return OTF2_CALLBACK_SUCCESS;
    }

    template <std::uint32_t kind>
    static OTF2_CallbackCode window(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                    OTF2_AttributeList *attributes, OTF2_RmaWinRef window)
    {
        on_window(data, kind, time, attributes, window);
        return OTF2_CALLBACK_SUCCESS;
    }

    // Of Tare's between threads; others are none.
    static OTF2_CallbackCode parameter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void *data,
                                       OTF2_AttributeList *attributes, OTF2_ParameterRef reference, std::uint64_t value)
    {
        location_events &in = of(data);
        if (const std::uint32_t kind = in.definitions_.parameter(reference); kind != TARE_ARCHIVE_UNKNOWN)
            in.add(kind, time, attributes).sequence = value;
        return OTF2_CALLBACK_SUCCESS;
    }

    // Others count as events that have been read.
    static OTF2_EvtReaderCallbacks *all()
    {
        OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
        OTF2_EvtReaderCallbacks_SetEnterCallback(c, region<TARE_ARCHIVE_ENTER>);
        OTF2_EvtReaderCallbacks_SetLeaveCallback(c, region<TARE_ARCHIVE_LEAVE>);
        OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, blocking<TARE_ARCHIVE_SEND>);
        OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, nonblocking<TARE_ARCHIVE_ISEND>);
        OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, request<TARE_ARCHIVE_ISEND_COMPLETE>);
        OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, request<TARE_ARCHIVE_IRECV_REQUEST>);
        OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, blocking<TARE_ARCHIVE_RECV>);
        OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, nonblocking<TARE_ARCHIVE_IRECV>);
        OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(c, request<TARE_ARCHIVE_REQUEST_TEST>);
        OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, request<TARE_ARCHIVE_REQUEST_CANCELLED>);
        OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, collective_begin);
        OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, collective_end);
        OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, request<TARE_ARCHIVE_COLLECTIVE_REQUEST>);
        OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, collective_complete);
        OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, one_way<TARE_ARCHIVE_RMA_PUT>);
        OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, one_way<TARE_ARCHIVE_RMA_GET>);
        OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, atomic);
        OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(c, complete);
        OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(c, complete);
        OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(c, window<TARE_ARCHIVE_WINDOW_CREATE>);
        OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(c, window<TARE_ARCHIVE_WINDOW_DESTROY>);
        OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, parameter);
        return c;
    }
};

location_events::location_events(OTF2_Reader *reader, const archive_definitions &definitions, std::uint32_t location,
                                 std::size_t block, const std::string &failure)
    : reader_(reader), definitions_(definitions), location_(location),
      process_(definitions.locations()[location].process), capacity_(block)
{
    if (definitions.events_of(location) == 0)
        return;
    failure_ = failure;
    if (!failure_.empty())
        return;
    block_.reserve(capacity_);
    open();
    fill();
}

void location_events::open()
{
    const auto opened = [this](OTF2_ErrorCode code) {
        if (code != OTF2_SUCCESS && failure_.empty())
            failure_ = latest_error(code);
    };
    in_ = OTF2_Reader_GetEvtReader(reader_, definitions_.locations()[location_].number);
    if (in_ == nullptr)
        return opened(OTF2_ERROR_INVALID_CALL);
    const std::unique_ptr<OTF2_EvtReaderCallbacks, delete_callbacks> callbacks(event_calls::all());
    opened(OTF2_Reader_RegisterEvtCallbacks(reader_, in_, callbacks.get(), this));
    opened(OTF2_EvtReader_ApplyMappingTables(in_, true));
    opened(OTF2_EvtReader_ApplyClockOffsets(in_, true));
}

// OTF2 is asked for no more than there are: behind the last one it would read what is no event.
void location_events::fill()
{
    block_.clear();
    at_ = 0;
    while (block_.empty() && failure_.empty() && read_ < definitions_.events_of(location_)) {
        const std::uint64_t wanted = std::min<std::uint64_t>(capacity_, definitions_.events_of(location_) - read_);
        std::uint64_t count = 0;
        const OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(reader_, in_, wanted, &count);
        read_ += code == OTF2_SUCCESS ? count : block_.size();
        if (code != OTF2_SUCCESS)
            failure_ = latest_error(code);
        else if (count < wanted)
            failure_ = "the file ends there";
    }
}

tare_archive_event_t &location_events::add(std::uint32_t kind, OTF2_TimeStamp time, const OTF2_AttributeList *attributes)
{
    tare_archive_event_t e{};
    e.kind = kind;
    e.location = location_;
    e.time_ns = definitions_.ns_of(time);
    went_back_ += e.time_ns < latest_ns_ ? 1 : 0;
    latest_ns_ = e.time_ns;
    for_each_attribute(attributes, [&](OTF2_AttributeRef reference, OTF2_Type type, const OTF2_AttributeValue &value) {
        const std::uint64_t meaning = definitions_.attribute(reference, type);
        e.known |= meaning;
        switch (meaning) {
        case TARE_ARCHIVE_REMOVED_NS: e.removed_ns = value.int64; break;
        case TARE_ARCHIVE_DELAY_NS: e.delay_ns = value.int64; break;
        case TARE_ARCHIVE_SENT_NS: e.sent_ns = value.uint64; break;
        case TARE_ARCHIVE_CONTENTS: e.contents = value.uint64; break;
        case TARE_ARCHIVE_SITE: e.site = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_SEND_ADDRESS: e.sent_buffer.address = value.uint64; break;
        case TARE_ARCHIVE_SEND_SPAN: e.sent_buffer.span_bytes = value.uint64; break;
        case TARE_ARCHIVE_SEND_TYPE: e.sent_buffer.type = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_DATA_NAME: e.received_buffer.name = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_DATA_ADDRESS:
        case TARE_ARCHIVE_RECEIVE_ADDRESS: e.received_buffer.address = value.uint64; break;
        case TARE_ARCHIVE_DATA_SPAN:
        case TARE_ARCHIVE_RECEIVE_SPAN: e.received_buffer.span_bytes = value.uint64; break;
        case TARE_ARCHIVE_DATA_TYPE:
        case TARE_ARCHIVE_RECEIVE_TYPE: e.received_buffer.type = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_DISPLACEMENT_UNIT:
        case TARE_ARCHIVE_DISPLACEMENT: e.displacement = value.int64; break;
        case TARE_ARCHIVE_TARGET_OFFSET: e.target_buffer.address = value.uint64; break;
        case TARE_ARCHIVE_TARGET_SPAN: e.target_buffer.span_bytes = value.uint64; break;
        case TARE_ARCHIVE_TARGET_TYPE: e.target_buffer.type = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_SEND_FRAME: e.sent_buffer.frame = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_SEND_FRAME_OFFSET: e.sent_buffer.frame_offset = value.int64; break;
        case TARE_ARCHIVE_RECEIVE_FRAME: e.received_buffer.frame = definitions_.text_number(value.stringRef); break;
        case TARE_ARCHIVE_RECEIVE_FRAME_OFFSET: e.received_buffer.frame_offset = value.int64; break;
        case TARE_ARCHIVE_PEER_THREAD: e.peer_thread = value.uint32; break;
        case TARE_ARCHIVE_SEQUENCE: e.sequence = value.uint64; break;
        case TARE_ARCHIVE_NUMBER: e.number = value.uint32; break;
        case TARE_ARCHIVE_ARRIVALS: e.arrivals = value.uint32; break;
        default:
            for (std::uint32_t i = 0; i < TARE_ARCHIVE_COUNTERS; i++)
                if (meaning == TARE_ARCHIVE_COUNTER(i))
                    e.counters[i] = value.uint64;
        }
    });
    return block_.emplace_back(e);
}

std::string location_events::name() const
{
    const tare_archive_location_t &l = definitions_.locations()[location_];
    return "rank " + std::to_string(definitions_.table().processes[l.process].rank) + ", thread " +
           std::to_string(l.thread);
}

std::string location_events::problem() const
{
    const std::uint64_t there = definitions_.events_of(location_);
    if (!failure_.empty())
        return name() + ": " + std::to_string(read_) + " of " + std::to_string(there) + " events can be read: " +
               failure_;
    if (went_back_ > 0)
        return name() + ": its clock goes back " + std::to_string(went_back_) + (went_back_ == 1 ? " time" : " times");
    return "";
}

namespace {

// Blocks of few events where there are many locations: no more than a hundred thousand or so in memory at once.
std::size_t block_for(std::size_t locations)
{
    constexpr std::size_t least = 16, most = 1024, all = 1 << 17;
    return std::clamp(all / std::max<std::size_t>(locations, 1), least, most);
}

// What is wrong with the definitions of each location. It may have none.
std::vector<std::string> local_problems(OTF2_Reader *reader, const archive_definitions &definitions)
{
    const std::string anchor = definitions.table().file;
    std::vector<std::string> problems(definitions.locations().size());
    if (OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS)
        return problems;
    for (std::size_t i = 0; i < problems.size(); i++) {
        const OTF2_LocationRef number = definitions.locations()[i].number;
        const std::string problem = read_local_definitions(reader, anchor, number);
        std::error_code ignored;
        if (!problem.empty() && std::filesystem::exists(definition_file(anchor, number), ignored))
            problems[i] = "its definitions are damaged: " + problem;
    }
    OTF2_Reader_CloseDefFiles(reader);
    latest_error(OTF2_SUCCESS);
    return problems;
}

// In the order of time, and of locations at equal times.
class merge {
  public:
    explicit merge(std::deque<location_events> &locations) : locations_(locations)
    {
        for (std::uint32_t i = 0; i < locations.size(); i++)
            put(i);
    }

    // Gives back false if the reading is to end.
    bool run(const tare_archive_reading_t &to)
    {
        std::vector<tare_archive_event_t> block;
        constexpr std::size_t capacity = 1024;
        block.reserve(capacity);
        while (!next_.empty()) {
            take(block, capacity);
            if (to.events(to.data, block.data(), block.size()) != 0)
                return false;
            block.clear();
        }
        return true;
    }

  private:
    using head = std::pair<std::uint64_t, std::uint32_t>;

    void put(std::uint32_t location)
    {
        if (!locations_[location].is_over())
            next_.emplace(locations_[location].front().time_ns, location);
    }

    // A location goes on for as long as no other has an earlier event.
    void take(std::vector<tare_archive_event_t> &block, std::size_t capacity)
    {
        while (!next_.empty() && block.size() < capacity) {
            const std::uint32_t location = next_.top().second;
            next_.pop();
            location_events &in = locations_[location];
            do {
                block.push_back(in.front());
                in.pop();
            } while (block.size() < capacity && !in.is_over() &&
                     (next_.empty() || head(in.front().time_ns, location) < next_.top()));
            put(location);
        }
    }

    std::deque<location_events> &locations_;
    std::priority_queue<head, std::vector<head>, std::greater<head>> next_;
};

}  // namespace

void read_archive(const std::string &anchor, const tare_archive_reading_t &to)
{
    const reader_handle reader = open_reader(anchor);
    const archive_definitions definitions(reader.get(), anchor);
    for (const tare_archive_location_t &l : definitions.locations())
        must(OTF2_Reader_SelectLocation(reader.get(), l.number), "cannot read " + anchor);
    const std::vector<std::string> failures = local_problems(reader.get(), definitions);
    must(OTF2_Reader_OpenEvtFiles(reader.get()), "cannot read the events of " + anchor);
    if (to.begin(to.data, &definitions.table()) != 0)
        return;
    std::deque<location_events> locations;
    for (std::uint32_t i = 0; i < definitions.locations().size(); i++)
        locations.emplace_back(reader.get(), definitions, i, block_for(failures.size()), failures[i]);
    const bool is_whole = merge(locations).run(to);
    for (const location_events &in : locations)
        if (const std::string problem = in.problem(); is_whole && !problem.empty())
            to.problem(to.data, problem.c_str());
    if (is_whole)
        to.end(to.data);
    OTF2_Reader_CloseEvtFiles(reader.get());
}

}  // namespace tare::trace
