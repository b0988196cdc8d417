/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with hooks, and a handler of signals with hooks that interrupts them a thousand times a second.
 * handlers calls: the same few functions; prints how often each was called.
 * handlers malloc: the handler's functions are new ones, and it mostly interrupts the C library's allocator.
 * handlers jump: the handler leaves by siglongjmp, until it has left a hook. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUIET __attribute__((no_instrument_function))
#define APART __attribute__((noipa))

static volatile long ticks, calls, jumps;
static volatile sig_atomic_t is_jumping;
static sigjmp_buf before;

/* Functions of their own: 1000 of them. */
#define ONE(n) APART static void f##n(void) { __asm__ volatile (""); }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5)
#undef ONE
#define ONE(n) f##n,
static void (*const functions[])(void) = { HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5) };
enum { function_count = sizeof functions / sizeof functions[0] };

APART static void tick(void)
{
    ticks++;
}

QUIET static void handle_call(int number)
{
    (void) number;
    tick();
}

QUIET static void handle_new(int number)
{
    (void) number;
    if (ticks < function_count)
        functions[ticks]();
    ticks++;
}

QUIET static void handle_jump(int number)
{
    (void) number;
    ticks++;
    if (is_jumping)
        siglongjmp(before, 1);
}

QUIET static void interrupt(void (*handler)(int), long period_ns)
{
    struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
    const struct itimerspec often = { { 0, period_ns }, { 0, period_ns } };
    timer_t timer;
    sigaction(SIGPROF, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &often, NULL) != 0) {
        perror("handlers: timer");
        exit(2);
    }
}

QUIET static void stop(void)
{
    signal(SIGPROF, SIG_IGN);
}

APART static void work(void)
{
    calls++;
}

static void calls_in_both(void)
{
    interrupt(handle_call, 1000000);
    while (ticks < 500)
        work();
    stop();
    printf("work %ld tick %ld\n", calls, ticks);
}

static void new_in_malloc(void)
{
    void *kept[64] = { NULL };
    interrupt(handle_new, 1000000);
    for (unsigned i = 0; ticks < function_count; i++) {
        free(kept[i % 64]);
        kept[i % 64] = malloc(2000 + i % 64 * 100);
    }
    stop();
    printf("new %d\n", function_count);
}

/* Back from a jump: the loop goes on. */
static void jump_out(void)
{
    interrupt(handle_jump, 1000000);
    if (sigsetjmp(before, 1) != 0)
        jumps++;
    is_jumping = jumps < 300;
    while (is_jumping)
        work();
    stop();
    for (int i = 0; i < 1000; i++)
        work();
    printf("jumps %ld\n", jumps);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "calls") == 0)
        calls_in_both();
    else if (argc == 2 && strcmp(argv[1], "malloc") == 0)
        new_in_malloc();
    else if (argc == 2 && strcmp(argv[1], "jump") == 0)
        jump_out();
    else
        return 2;
    return 0;
}
