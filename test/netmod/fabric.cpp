// SPDX-License-Identifier: BSD-3-Clause
#include "fabric.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace fabric {

endpoint self;
char *last_words;
std::uint64_t delivery_complete = FI_DELIVERY_COMPLETE;

void die(const char *format, ...)
{
    char words[last_words_bytes];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "ofi_layouts: %s: %s\n", self.info ? self.info->fabric_attr->prov_name : "no provider", words);
    if (last_words)
        std::memcpy(last_words, words, sizeof words);
    _exit(1);
}

// --- the partner ---

void partner::put(const void *data, std::size_t bytes) const
{
    if (send(fd_, data, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes))
        die("cannot write to the other process: %s", std::strerror(errno));
}

void partner::get(void *data, std::size_t bytes) const
{
    ssize_t there;
    while ((there = recv(fd_, data, bytes, MSG_PEEK | MSG_DONTWAIT)) != static_cast<ssize_t>(bytes)) {
        if (there == 0)
            die("the other process has ended");
        if (self.cq)
            progress();
    }
    recv(fd_, data, bytes, 0);
}

void partner::signal() const
{
    put("", 1);
}

void partner::await_signal() const
{
    char byte;
    get(&byte, 1);
}

// --- the provider ---

namespace {

void need(int result, const char *name)
{
    if (result != 0)
        die("%s: %s", name, fi_strerror(-result));
}

constexpr std::uint64_t atomic_order =
    FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_WAW;
constexpr std::uint64_t active_messages = FI_MSG | FI_MULTI_RECV;
constexpr std::uint64_t protocol_bits = UINT64_C(7) << 52;

// How MPICH prefers one entry of the list to another (MPIDI_OFI_match_provider); 0: not at all.
int score(const fi_info& entry)
{
    const bool tagged = (entry.caps & FI_TAGGED) != 0 && entry.domain_attr->cq_data_size >= 4;
    if (entry.ep_attr->type != FI_EP_RDM || (entry.caps & active_messages) != active_messages)
        return 0;
    const bool atomics = (entry.caps & FI_ATOMICS) != 0 && (entry.tx_attr->msg_order & atomic_order) == atomic_order;
    const bool scalable = entry.domain_attr->max_ep_tx_ctx > 1 && (entry.caps & FI_NAMED_RX_CTX) != 0;
    return 2 + tagged + ((entry.caps & FI_RMA) != 0) + atomics + scalable;
}

const fi_info *best(const fi_info *list, const char *provider)
{
    const fi_info *found = nullptr;
    for (; list; list = list->next) {
        if (std::strcmp(list->fabric_attr->prov_name, provider) == 0 && score(*list) > (found ? score(*found) : 0))
            found = list;
    }
    return found;
}

// The hints of MPIDI_OFI_init_hints, for the entry that was found best.
fi_info *hints_for(const fi_info& entry)
{
    fi_info *hints = fi_allocinfo();
    hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_ASYNC_IOV | FI_RX_CQ_DATA;
    hints->caps = entry.caps | FI_DIRECTED_RECV;
    hints->fabric_attr->prov_name = strdup(entry.fabric_attr->prov_name);
    fi_domain_attr& domain = *hints->domain_attr;
    domain.cq_data_size = 4;
    domain.threading = FI_THREAD_DOMAIN;
    domain.data_progress = domain.control_progress = FI_PROGRESS_MANUAL;
    domain.resource_mgmt = FI_RM_ENABLED;
    const bool rxm = std::strstr(entry.fabric_attr->prov_name, "ofi_rxm") != nullptr;
    domain.av_type = rxm ? FI_AV_MAP : FI_AV_TABLE;
    domain.mr_mode = rxm ? FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY : 0;
    domain.mode = FI_RESTRICTED_COMP;
    hints->tx_attr->op_flags = FI_COMPLETION | delivery_complete;
    hints->tx_attr->msg_order = FI_ORDER_SAS | (rxm ? 0 : atomic_order);
    hints->rx_attr->op_flags = FI_COMPLETION;
    hints->ep_attr->type = FI_EP_RDM;
    hints->ep_attr->mem_tag_format = protocol_bits | 0x7fffffff;
    return hints;
}

// As MPICH does when nothing suits: first any order, then any registration of memory.
fi_info *relaxed(fi_info *hints, const fi_info& entry)
{
    fi_info *found = nullptr;
    for (int attempt = 0; attempt < 3 && !found; ++attempt) {
        if (attempt == 1)
            hints->tx_attr->msg_order = entry.tx_attr->msg_order;
        if (attempt == 2)
            hints->domain_attr->mr_mode = entry.domain_attr->mr_mode;
        if (fi_getinfo(fi_version(), nullptr, nullptr, 0, hints, &found) != 0)
            found = nullptr;
    }
    return found;
}

}  // namespace

bool find(const char *provider)
{
    fi_info *list = nullptr;
    if (fi_getinfo(fi_version(), nullptr, nullptr, 0, nullptr, &list) != 0)
        return false;
    const fi_info *entry = best(list, provider);
    if (entry) {
        fi_info *hints = hints_for(*entry);
        self.info = relaxed(hints, *entry);
        fi_freeinfo(hints);
    }
    fi_freeinfo(list);
    return self.info && (self.info->caps & FI_TAGGED) != 0 && self.info->domain_attr->cq_data_size == 8 &&
           self.info->tx_attr->iov_limit >= 2 && self.info->rx_attr->iov_limit >= 2;
}

// --- the endpoint ---

namespace {

void exchange_addresses(const partner& other)
{
    char mine[512] = {}, theirs[512];
    std::size_t bytes = sizeof mine;
    need(fi_getname(&self.ep->fid, mine, &bytes), "fi_getname");
    other.put(mine, sizeof mine);
    other.get(theirs, sizeof theirs);
    if (fi_av_insert(self.av, theirs, 1, &self.peer, 0, nullptr) != 1)
        die("fi_av_insert took no address");
}

}  // namespace

void remove_memory_of(pid_t process)
{
    char name[64];
    std::snprintf(name, sizeof name, "/%d:%u:0", static_cast<int>(process), static_cast<unsigned>(getuid()));
    shm_unlink(name);
}

void open(const partner& other)
{
    remove_memory_of(getpid());
    fi_cq_attr cq_attributes{};
    fi_av_attr av_attributes{};
    cq_attributes.format = FI_CQ_FORMAT_TAGGED;
    av_attributes.type = self.info->domain_attr->av_type;
    av_attributes.count = 2;
    need(fi_fabric(self.info->fabric_attr, &self.fabric, nullptr), "fi_fabric");
    need(fi_domain(self.fabric, self.info, &self.domain, nullptr), "fi_domain");
    need(fi_av_open(self.domain, &av_attributes, &self.av, nullptr), "fi_av_open");
    need(fi_cq_open(self.domain, &cq_attributes, &self.cq, nullptr), "fi_cq_open");
    need(fi_endpoint(self.domain, self.info, &self.ep, nullptr), "fi_endpoint");
    need(fi_ep_bind(self.ep, &self.av->fid, 0), "fi_ep_bind");
    need(fi_ep_bind(self.ep, &self.cq->fid, FI_SEND | FI_RECV | FI_SELECTIVE_COMPLETION), "fi_ep_bind");
    need(fi_enable(self.ep), "fi_enable");
    exchange_addresses(other);
}

// Else shm leaves files behind.
void close()
{
    for (fid *f : {&self.ep->fid, &self.cq->fid, &self.av->fid, &self.domain->fid, &self.fabric->fid})
        fi_close(f);
}

void describe(const char *lead)
{
    const fi_info& i = *self.info;
    const auto text = [](const void *value, fi_type type) { return fi_tostr(value, type); };
    std::printf("%s%s: libfabric %u.%u, inject_size %zu, cq_data_size %zu, iov_limit tx %zu rx %zu\n", lead,
                i.fabric_attr->prov_name, FI_MAJOR(fi_version()), FI_MINOR(fi_version()), i.tx_attr->inject_size,
                i.domain_attr->cq_data_size, i.tx_attr->iov_limit, i.rx_attr->iov_limit);
    std::printf("%s    mem_tag_format %#018llx\n", lead, static_cast<unsigned long long>(i.ep_attr->mem_tag_format));
    std::printf("%s    mode [%s]", lead, text(&i.mode, FI_TYPE_MODE));
    std::printf(", tx op_flags [%s]", text(&i.tx_attr->op_flags, FI_TYPE_OP_FLAGS));
    std::printf(", data progress %s\n", text(&i.domain_attr->data_progress, FI_TYPE_PROGRESS));
}

// --- completions ---

void progress()
{
    fi_cq_tagged_entry entries[8];
    const ssize_t count = fi_cq_read(self.cq, entries, 8);
    if (count == -FI_EAGAIN)
        return;
    if (count < 0)
        return read_error();
    for (ssize_t i = 0; i < count; ++i) {
        request& r = *static_cast<request *>(entries[i].op_context);
        r.entry = entries[i];
        r.done = true;
    }
}

void read_error()
{
    fi_cq_err_entry failed{};
    if (fi_cq_readerr(self.cq, &failed, 0) < 0)
        die("the completion queue fails without an entry");
    if (!failed.op_context)
        die("an operation without a request fails: %s", fi_strerror(failed.err));
    request& r = *static_cast<request *>(failed.op_context);
    r.entry = {failed.op_context, failed.flags, failed.len, failed.buf, failed.data, failed.tag};
    r.error = failed.err;
    r.done = true;
}

void probe(request& r, std::uint64_t tag, std::uint64_t ignore, std::uint64_t claim)
{
    fi_msg_tagged message{};
    message.addr = self.peer;
    message.tag = tag;
    message.ignore = ignore;
    message.context = &r.context;
    do {
        r.done = false;
        r.error = 0;
        const ssize_t result = fi_trecvmsg(self.ep, &message, FI_PEEK | FI_COMPLETION | claim);
        if (result == -FI_ENOMSG || result == -FI_EAGAIN) {
            progress();
            r.error = FI_ENOMSG;
            continue;
        }
        if (result != 0)
            die("fi_trecvmsg with FI_PEEK: %s", fi_strerror(static_cast<int>(-result)));
        wait(r);
    } while (r.error == FI_ENOMSG);
    if (r.error != 0)
        die("a probe fails: %s", fi_strerror(r.error));
}

}  // namespace fabric
