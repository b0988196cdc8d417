/* SPDX-License-Identifier: BSD-3-Clause */
/* Small programs whose functions have hooks: behaviour NAME. Compiled by tarecc. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEPARATE __attribute__((noipa))

SEPARATE static void work(void)
{
    __asm__ volatile ("");
}

SEPARATE void seen_by_others(void)
{
    work();
    work();
}

static void plain(void)
{
    char text[20];
    /* The C library's inline functions, which are in its headers. */
    snprintf(text, sizeof text, "%d", atoi("7"));
    if (strlen(text) == 1)
        seen_by_others();
}

/* Out of two functions at once, twice; what is called next is called as if nothing had happened. */
static jmp_buf back;

SEPARATE static void jumps(void)
{
    longjmp(back, 1);
}

SEPARATE static void is_left_by_jump(void)
{
    jumps();
}

SEPARATE static void after_jump(void)
{
    work();
}

SEPARATE static void jump_out(void)
{
    if (setjmp(back) == 0)
        is_left_by_jump();
    after_jump();
}

static void jumped(void)
{
    jump_out();
    jump_out();
    seen_by_others();
}

/* Children that call functions of their own and end in each way, while the parent is inside one. */
SEPARATE static void in_child(void)
{
    work();
}

SEPARATE static void wait_for_child(void (*end)(int))
{
    const pid_t child = fork();
    if (child == 0) {
        in_child();
        end(0);
    }
    waitpid(child, NULL, 0);
}

static void forked(void)
{
    work();
    wait_for_child(exit);
    wait_for_child(_exit);
    work();
}

SEPARATE static void of_thread(void)
{
    work();
}

static void *run_thread(void *calls)
{
    for (int i = 0; i < *(int *) calls; i++)
        of_thread();
    return NULL;
}

/* Thread N calls of_thread() N times; all of them at once. */
static void threaded(void)
{
    enum { count = 4 };
    pthread_t thread[count];
    int calls[count];
    for (int i = 0; i < count; i++) {
        calls[i] = i + 1;
        pthread_create(&thread[i], NULL, run_thread, &calls[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* A team of three, twice: the same three threads. */
static void in_team(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(3)
        of_thread();
    }
}

static void cut_short(void)
{
    seen_by_others();
    exit(3);
}

static const struct {
    const char *name;
    void (*run)(void);
} behaviours[] = {
    { "plain", plain }, { "jumped", jumped }, { "forked", forked }, { "threaded", threaded }, { "in_team", in_team },
    { "cut_short", cut_short },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof behaviours / sizeof behaviours[0]; i++) {
        if (strcmp(argv[1], behaviours[i].name) == 0) {
            behaviours[i].run();
            return 0;
        }
    }
    fputs("behaviour: no such behaviour\n", stderr);
    return 2;
}
