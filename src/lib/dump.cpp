// SPDX-License-Identifier: BSD-3-Clause
// TARE_SIGNAL: a running process writes its profile when it gets the signal.
//
// The handler only wakes a thread that does nothing else: a handler may interrupt a hook, the writing of a profile or
// malloc. The thread takes no signal and is not recorded.
#include "process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <semaphore.h>

namespace tare {
namespace {

sem_t asked;

struct named_signal {
    const char *name;
    int number;
};
constexpr named_signal names[] = {{"USR1", SIGUSR1},     {"USR2", SIGUSR2}, {"HUP", SIGHUP},     {"ALRM", SIGALRM},
                                  {"VTALRM", SIGVTALRM}, {"PROF", SIGPROF}, {"WINCH", SIGWINCH}, {"URG", SIGURG}};

// 0: none.
int number_of(const char *text)
{
    for (const named_signal &s : names)
        if (text != nullptr && std::strcmp(s.name, text) == 0)
            return s.number;
    return 0;
}

void ask(int)
{
    const int saved_errno = errno;
    sem_post(&asked);
    errno = saved_errno;
}

[[noreturn]] void *write_when_asked(void *)
{
    for (;;) {
        while (sem_wait(&asked) != 0) {
        }
        if (switches.recording)
            write_profile();
    }
}

bool start_thread()
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    const int failure = pthread_create(&thread, &attributes, write_when_asked, nullptr);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return failure == 0;
}

}  // namespace

// A program that handles or ignores the signal needs it for itself.
void listen_for_signal()
{
    const int number = number_of(this_process().settings.signal_name);
    struct sigaction now;
    if (!switches.recording || number == 0 || sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) ||
        now.sa_handler != SIG_DFL)
        return;
    sem_init(&asked, 0, 0);
    if (!start_thread())
        return;
    struct sigaction ours{};
    ours.sa_handler = ask;
    ours.sa_flags = SA_RESTART;
    sigaction(number, &ours, nullptr);
}

// In a forked child, which has no thread that writes.
void stop_listening() noexcept
{
    const int number = number_of(this_process().settings.signal_name);
    struct sigaction now;
    if (number == 0 || sigaction(number, nullptr, &now) != 0 || now.sa_handler != ask)
        return;
    now.sa_handler = SIG_DFL;
    sigaction(number, &now, nullptr);
}

}  // namespace tare
