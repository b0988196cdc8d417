// SPDX-License-Identifier: BSD-3-Clause
#include "preload.hpp"

#include "command.hpp"
#include "elf.hpp"
#include "installation.hpp"
#include "tare_transport.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace tare::tool {
namespace {

// Without TARE_MODE the layer chooses the carrier in MPI_Init, so it is needed then, too.
bool needs_layer(const tare_settings_t &settings, bool measures) {
    const bool carried_above_mpi = settings.mode != TARE_MODE_OFF && settings.mode != TARE_MODE_HEADER;
    return measures || settings.trace || settings.inject || !settings.mode_is_set || carried_above_mpi;
}

// The patched MPICH's layer fits every library with MPICH's ABI, so it stands in for a missing `mpich`.
std::string layer_path(const installation &place, const std::string &family) {
    const std::string own = place.layer(family);
    return own.empty() && family == "mpich" ? place.layer("tare") : own;
}

refusal no_layer(const program_facts &facts, const installation &place, const std::string &family) {
    const std::string reason = facts.has_mpi ? "the program loads " + facts.mpi.path + ", and " : "";
    return {exit_failed, reason + "this installation has no PMPI layer for the MPI family " + family + ": " +
                         place.layer_place(family) + " is missing"};
}

refusal header_refused(const program_facts &facts, const tare_settings_t &settings) {
    if (!settings.mode_is_set || settings.mode != TARE_MODE_HEADER || !facts.has_mpi || facts.mpi.carries_header)
        return {};
    return {exit_failed, "TARE_MODE=header needs the patched MPICH, and the program loads " + facts.mpi.path +
                         ", which cannot carry delay: link with Tare's mpicc, or set TARE_MODE=datatype, message or "
                         "copy"};
}

// What LD_PRELOAD holds beside these.
std::vector<std::string> users_libraries(const char *present, const std::vector<std::string> &but) {
    std::string text = present ? present : "";
    std::replace(text.begin(), text.end(), ' ', ':');
    std::istringstream stream(text);
    std::vector<std::string> result;
    for (std::string path; std::getline(stream, path, ':');)
        if (!path.empty() && std::find(but.begin(), but.end(), path) == but.end())
            result.push_back(path);
    return result;
}

// Another tool around MPI. The layer goes straight to PMPI, so behind it that tool would see no call; in front of it,
// its PMPI_Xxx and its next MPI_Xxx are the layer's. MPI libraries, and layers, have names of both kinds.
bool wraps_mpi(const std::string &path) {
    const elf_file file(path);
    const auto exports = [&file](const char *name) { return file.exports(name); };
    const char *const common[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Send", "MPI_Recv",
                                  "MPI_Barrier"};
    return file.kind() == file_kind::elf && std::any_of(std::begin(common), std::end(common), exports) &&
           !exports("PMPI_Init");
}

refusal no_library(const installation &place, const std::string &name) {
    return {exit_failed, "cannot find " + name + " in " + place.lib_dir() + ": install Tare completely, or anew"};
}

}  // namespace

refusal refuse_names(const std::vector<std::string> &libraries) {
    for (const std::string &path : libraries)
        if (path.find_first_of(" \t:") != std::string::npos)
            return {exit_failed, "cannot preload " + path + ": LD_PRELOAD allows no blank and no colon in a path:"
                                 " install Tare in another folder"};
    return {};
}

preload_plan plan_preload(const program_facts &facts, const tare_settings_t &settings, const installation &place,
                          const std::string &family, const followed &more) {
    preload_plan plan;
    const bool measures = settings.profile != 0;
    plan.refused = header_refused(facts, settings);
    if (plan.refused.status != exit_good || (!more.threads && !more.heap && !needs_layer(settings, measures)))
        return plan;
    const std::string wanted = !family.empty() ? family : facts.has_mpi ? facts.mpi.family : "tare";
    const std::string layer = layer_path(place, wanted);
    if (!layer.empty())
        plan.libraries.push_back(layer);
    else if (facts.has_mpi || !family.empty())
        plan.refused = no_layer(facts, place, wanted);
    if (place.library().empty())
        plan.refused = no_library(place, "libtare.so");
    plan.libraries.push_back(place.library());
    // What a script or an interpreter will load cannot be seen from here, and hooks that nobody calls cost nothing.
    const bool may_probe = facts.wants_probe || !facts.known || !facts.has_mpi;
    if (measures && may_probe && !place.probe().empty())
        plan.libraries.push_back(place.probe());
    if (measures && facts.wants_probe && place.probe().empty())
        plan.refused = no_library(place, "libtare-probe.so");
    if (measures && facts.runs_java)
        plan.java_agent = place.java_agent();
    if (more.threads && place.threads().empty())
        plan.refused = no_library(place, "libtare-threads.so");
    if (more.threads)
        plan.libraries.push_back(place.threads());
    if (more.heap && place.heap().empty())
        plan.refused = no_library(place, "libtare-heap.so");
    if (more.heap)
        plan.libraries.push_back(place.heap());
    if (plan.refused.status == exit_good)
        plan.refused = refuse_names(plan.libraries);
    return plan;
}

std::string preload_value(const std::vector<std::string> &libraries, const char *present) {
    std::vector<std::string> all = users_libraries(present, libraries);
    const auto last_tool = std::find_if(all.rbegin(), all.rend(), wraps_mpi).base();
    all.insert(last_tool, libraries.begin(), libraries.end());
    std::string value;
    for (const std::string &path : all)
        value += (value.empty() ? "" : ":") + path;
    return value;
}

}  // namespace tare::tool
