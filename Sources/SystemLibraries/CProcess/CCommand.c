// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CCommand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int transfer_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

static volatile int signal_descriptor = -1;
static sigset_t watched;

static void report_signal(int number, siginfo_t *information, void *context) {
    (void)context;
    int saved = errno;
    struct transfer_signal received = {.number = number, .is_from_kernel = information->si_code == SI_KERNEL};
    // The pipe does not block. If it is full, thousands of signals wait already.
    ssize_t written = write(signal_descriptor, &received, sizeof received);
    (void)written;
    errno = saved;
}

int transfer_watch_signals(int descriptor, const int *numbers, int count) {
    signal_descriptor = descriptor;
    sigemptyset(&watched);
    for (int index = 0; index < count; index++) {
        struct sigaction action;
        if (sigaction(numbers[index], NULL, &action) != 0) return -1;
        if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) continue;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = report_signal;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigfillset(&action.sa_mask);
        if (sigaction(numbers[index], &action, NULL) != 0) return -1;
        sigaddset(&watched, numbers[index]);
    }
    return 0;
}

pid_t transfer_start_command(char *const *arguments, const int *permission, int failure) {
    // Until the child has removed the handlers, it must not report signals over the parent's pipe.
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    pid_t child = fork();
    if (child != 0) {
        int saved = errno;
        pthread_sigmask(SIG_SETMASK, &former, NULL);
        errno = saved;
        return child;
    }
    for (int number = 1; number < NSIG; number++) {
        if (sigismember(&watched, number) == 1) signal(number, SIG_DFL);
    }
    // This program ignores SIGPIPE for its own output.
    signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Otherwise, the child would keep its own pipe open if the parent is killed.
    close(permission[1]);
    char byte;
    ssize_t count;
    while ((count = read(permission[0], &byte, 1)) < 0 && errno == EINTR) {}
    if (count != 1) _exit(125);
    execvp(arguments[0], arguments);
    int32_t code = errno;
    ssize_t written = write(failure, &code, sizeof code);
    (void)written;
    _exit(127);
}

int transfer_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

// The guardian's memory. It needs no allocator after fork(2).
static struct transfer_guardian_order stopped[TRANSFER_MOST_STOPPED];
static int stopped_count;

static char *append_number(char *end, int number) {
    char digits[16];
    int count = 0;
    do { digits[count++] = (char)('0' + number % 10); } while ((number /= 10) > 0);
    while (count > 0) *end++ = digits[--count];
    return end;
}

// Returns the start time of a process, or 0 if the process does not exist.
static uint64_t start_of(int process) {
    char path[32] = "/proc/", text[1024];
    strcpy(append_number(path + strlen(path), process), "/stat");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    // The name in field 2 may contain anything, and ends at the last parenthesis.
    char *rest = strrchr(text, ')');
    if (rest == NULL) return 0;
    for (int field = 2; field < 22; field++) {
        rest = strchr(rest + 1, ' ');
        if (rest == NULL) return 0;
    }
    uint64_t start = 0;
    for (rest++; *rest >= '0' && *rest <= '9'; rest++) start = start * 10 + (uint64_t)(*rest - '0');
    return start;
}

static void thaw_all(int thaw) {
    if (thaw >= 0) {
        ssize_t written = write(thaw, "0", 1);
        (void)written;
    }
    for (int index = stopped_count - 1; index >= 0; index--) {
        if (start_of(stopped[index].process) == stopped[index].start) kill(stopped[index].process, SIGCONT);
    }
}

// Closes all files except two. The second may be -1.
static void close_others(int first, int second) {
    int low = second < 0 || first < second ? first : second, high = first > second ? first : second;
    if (low > 0) syscall(SYS_close_range, 0, low - 1, 0);
    if (high > low + 1) syscall(SYS_close_range, low + 1, high - 1, 0);
    syscall(SYS_close_range, high + 1, ~0U, 0);
}

// Keeps the process group of a terminal's job from becoming an orphan when its other members lose their parent: the
// kernel sends SIGHUP to an orphaned group with stopped processes (setpgid(2)). Ends with the guardian, its parent.
static void anchor(pid_t group) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    pid_t child = fork();
    if (child != 0) {
        // The reading end belongs to the child. The writing end stays open until the guardian ends.
        close(ends[0]);
        return;
    }
    setpgid(0, group);
    prctl(PR_SET_NAME, "transfer-anchor", 0, 0, 0);
    close_others(ends[0], -1);
    char byte;
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {}
    _exit(0);
}

static void guard(int orders, int thaw, pid_t group) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
    prctl(PR_SET_NAME, "transfer-guard", 0, 0, 0);
    setpgid(0, 0);
    // Readers of this process's output must not wait for the guardian.
    close_others(orders, thaw);
    anchor(group);
    struct transfer_guardian_order order;
    size_t have = 0;
    for (;;) {
        ssize_t count = read(orders, (char *)&order + have, sizeof order - have);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        have += (size_t)count;
        if (have < sizeof order) continue;
        have = 0;
        if (order.process == 0) {
            stopped_count = 0;
        } else if (stopped_count < TRANSFER_MOST_STOPPED) {
            stopped[stopped_count++] = order;
        }
    }
    thaw_all(thaw);
    _exit(0);
}

pid_t transfer_start_guardian(int orders, int thaw) {
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    stopped_count = 0;
    pid_t group = getpgrp();
    pid_t child = fork();
    if (child == 0) guard(orders, thaw, group);
    int saved = errno;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    errno = saved;
    return child;
}
