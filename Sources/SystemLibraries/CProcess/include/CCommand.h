// SPDX-License-Identifier: Apache-2.0
// Functions for running a command on behalf of a user: its start, its signals, and a guardian that continues its
// stopped processes. Swift cannot call fork(2), and code after fork(2) may use only async-signal-safe functions.
#pragma once

#include <stdint.h>
#include <sys/types.h>

/// Creates a pipe that is closed in programs that this process starts. Returns 0, or -1 with errno.
int transfer_pipe(int *ends);

/// A signal that this process received.
struct transfer_signal {
    /// The signal's number.
    int32_t number;
    /// 1 if the kernel sent the signal, such as for a key of the terminal, which reaches the whole process group.
    int32_t is_from_kernel;
};

/// Writes each received signal to `descriptor`, as a `struct transfer_signal`. Signals that are ignored stay ignored.
/// Returns 0, or -1 with errno. Call this function once.
int transfer_watch_signals(int descriptor, const int *numbers, int count);

/// Starts a command that shares this process's terminal, process group, environment and open files, and has default
/// handling of the watched signals. The command waits for a byte from the pipe `permission`, a reading and a writing end; at
/// the end of the file it exits. If the program cannot be executed, errno (int32_t) is written to `failure`. Returns the
/// process ID, or -1 with errno.
pid_t transfer_start_command(char *const *arguments, const int *permission, int failure);

/// Makes orphaned descendants children of this process. Returns 0, or -1 with errno.
int transfer_adopt_orphans(void);

/// The maximum number of stopped processes that a guardian remembers.
enum { TRANSFER_MOST_STOPPED = 4096 };

/// An order for a guardian.
struct transfer_guardian_order {
    /// The ID of a process that is about to be stopped, or 0 to forget all processes, because they continue.
    int32_t process;
    int32_t unused;
    /// The start time of the process, field 22 of /proc/PID/stat. It detects a reused process ID.
    uint64_t start;
};

/// Starts a guardian: a process that reads orders and, at the end of their file, continues all stopped processes and
/// thaws a control group, even if this process was killed. `thaw` is the open file cgroup.freeze, or -1. The guardian
/// closes all other files, ignores signals, and leads a process group of its own. Returns its process ID, or -1 with
/// errno.
pid_t transfer_start_guardian(int orders, int thaw);
