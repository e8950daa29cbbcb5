// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

int transfer_is_sanitized(void) { return IS_SANITIZED; }

int transfer_seccomp_is_offered(void) {
    unsigned int action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// System calls that start programs. A sanitizer starts a program that looks up the function names for its reports.
static const int starting[] = {SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork)};

/// System calls that are denied with any arguments. Numbers from 424 on are the same on all architectures; older
/// libraries lack their names.
static const int always[] = {
    // Access to other processes.
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp), SCMP_SYS(tkill),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setattr), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setscheduler),
    SCMP_SYS(ioprio_set), SCMP_SYS(migrate_pages), SCMP_SYS(move_pages),
    424 /* pidfd_send_signal */, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 440 /* process_madvise */,
    448 /* process_mrelease */,
    // Objects that processes share by name or number. System V IPC asks no permission of a process that knows a number,
    // and /proc/sysvipc lists them all.
    SCMP_SYS(shmget), SCMP_SYS(shmat), SCMP_SYS(shmdt), SCMP_SYS(shmctl), SCMP_SYS(msgget), SCMP_SYS(msgsnd),
    SCMP_SYS(msgrcv), SCMP_SYS(msgctl), SCMP_SYS(semget), SCMP_SYS(semop), SCMP_SYS(semtimedop), SCMP_SYS(semctl),
    SCMP_SYS(mq_open), SCMP_SYS(mq_unlink),
    // Mounts, roots, and namespaces.
    SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(unshare),
    SCMP_SYS(setns), 428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */,
    433 /* fspick */, 442 /* mount_setattr */, 467 /* open_tree_attr */,
    // Calls that expose large parts of the kernel.
    425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */, SCMP_SYS(bpf),
    SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
    SCMP_SYS(kexec_load), SCMP_SYS(kexec_file_load), SCMP_SYS(init_module), SCMP_SYS(finit_module),
    SCMP_SYS(delete_module), SCMP_SYS(syslog), SCMP_SYS(acct), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(reboot),
    SCMP_SYS(quotactl), 443 /* quotactl_fd */, SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(stime),
    SCMP_SYS(adjtimex), SCMP_SYS(clock_adjtime), SCMP_SYS(sethostname), SCMP_SYS(setdomainname), SCMP_SYS(iopl),
    SCMP_SYS(ioperm), SCMP_SYS(modify_ldt), SCMP_SYS(vhangup), SCMP_SYS(lookup_dcookie),
    // Access to files that bypasses their paths, and notifications about files.
    SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at), SCMP_SYS(inotify_init), SCMP_SYS(inotify_init1),
    SCMP_SYS(fanotify_init), 437 /* openat2 */,
    // Changes to files by path. Landlock has no rules for modes, owners, times, and attributes.
    SCMP_SYS(chmod), SCMP_SYS(fchmod), SCMP_SYS(fchmodat), 452 /* fchmodat2 */, SCMP_SYS(chown), SCMP_SYS(fchown),
    SCMP_SYS(lchown), SCMP_SYS(fchownat), SCMP_SYS(chown32), SCMP_SYS(fchown32), SCMP_SYS(lchown32), SCMP_SYS(utime),
    SCMP_SYS(utimes), SCMP_SYS(futimesat), SCMP_SYS(utimensat), SCMP_SYS(setxattr), SCMP_SYS(lsetxattr),
    SCMP_SYS(fsetxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr), SCMP_SYS(fremovexattr), 463 /* setxattrat */,
    466 /* removexattrat */, 469 /* file_setattr */, SCMP_SYS(link), SCMP_SYS(linkat), SCMP_SYS(symlink),
    SCMP_SYS(symlinkat), SCMP_SYS(mknod), SCMP_SYS(mknodat), SCMP_SYS(mkdir), SCMP_SYS(rmdir),
    SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(rename), SCMP_SYS(renameat), SCMP_SYS(renameat2),
    SCMP_SYS(truncate), SCMP_SYS(creat),
};

/// System calls that only a server never needs, which already listens and is connected.
static const int connecting[] = {
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen),
};

static int failure;

/// Adds a rule that returns EPERM. Calls that the architecture lacks are skipped.
static void deny(scmp_filter_ctx filter, int call, unsigned int count, const struct scmp_arg_cmp *arguments) {
    int result = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, count, arguments);
    if (result != 0 && result != -EDOM && failure == 0) failure = result;
}

static void deny_where(scmp_filter_ctx filter, int call, struct scmp_arg_cmp argument) {
    deny(filter, call, 1, &argument);
}

/// Denies a call with a 32-bit argument of that value. Compares only the low 32 bits, as the kernel does, because
/// other bits must not bypass the rule.
static void deny_value(scmp_filter_ctx filter, int call, unsigned int argument, unsigned int value) {
    deny_where(filter, call, SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, 0xffffffffu, value));
}

static void deny_sockets(scmp_filter_ctx filter) {
    // All families except those of the Internet, and netlink, which the C library uses to look up addresses.
    for (unsigned int family = 0; family <= AF_NETLINK; family++) {
        if (family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
            deny_where(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, family));
    }
    deny_where(filter, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_GT, AF_NETLINK));
    // The sockets of a pair are connected, but a datagram socket of a pair can send to any other socket by name.
    deny_where(filter, SCMP_SYS(socketpair), SCMP_A0(SCMP_CMP_NE, AF_UNIX));
    const unsigned int kinds[] = {SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
    for (unsigned int index = 0; index < COUNT(kinds); index++)
        deny_where(filter, SCMP_SYS(socketpair), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, kinds[index]));
}

static void deny_others_and_namespaces(scmp_filter_ctx filter) {
    const int signals[] = {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)};
    for (unsigned int index = 0; index < COUNT(signals); index++)
        deny_where(filter, signals[index], SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid()));
    deny_where(filter, SCMP_SYS(prlimit64), SCMP_A0(SCMP_CMP_NE, 0));
    // Dispatch sets the priority of its own threads.
    deny_where(filter, SCMP_SYS(setpriority), SCMP_A0(SCMP_CMP_NE, PRIO_PROCESS));
    deny_where(filter, SCMP_SYS(setpriority), SCMP_A1(SCMP_CMP_NE, 0));
    // A file that is shared with another process could otherwise make the kernel send that process signals.
    const unsigned int controls[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY};
    for (unsigned int index = 0; index < COUNT(controls); index++) {
        deny_value(filter, SCMP_SYS(fcntl), 1, controls[index]);
        deny_value(filter, SCMP_SYS(fcntl64), 1, controls[index]);
    }
    const unsigned int requests[] = {0x8901 /* FIOSETOWN */, 0x8902 /* SIOCSPGRP */, 0x5412 /* TIOCSTI */};
    for (unsigned int index = 0; index < COUNT(requests); index++)
        deny_value(filter, SCMP_SYS(ioctl), 1, requests[index]);
    const unsigned int namespaces[] = {
        CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET,
    };
    for (unsigned int index = 0; index < COUNT(namespaces); index++)
        deny_where(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces[index], namespaces[index]));
    if (!IS_SANITIZED) deny_where(filter, SCMP_SYS(clone), SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
}

static void deny_opening_for_writing(scmp_filter_ctx filter) {
    const unsigned int flags[] = {O_WRONLY, O_RDWR, O_CREAT};
    for (unsigned int index = 0; index < COUNT(flags); index++) {
        deny_where(filter, SCMP_SYS(open), SCMP_A1(SCMP_CMP_MASKED_EQ, flags[index], flags[index]));
        deny_where(filter, SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, flags[index], flags[index]));
    }
}

int transfer_seccomp_enforce(int denies_writing, int is_server) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL) return -ENOMEM;
    failure = 0;
    // Calls that use the numbers of another architecture, including x32, would bypass the rules.
    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    // A tree instead of a list. Libraries before version 2.5 do not support trees.
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (unsigned int index = 0; index < COUNT(always); index++) deny(filter, always[index], 0, NULL);
    for (unsigned int index = 0; index < COUNT(starting) && !IS_SANITIZED; index++)
        deny(filter, starting[index], 0, NULL);
    // The flags of clone3 are in memory, where a filter cannot read them. The C library falls back to clone.
    if (!IS_SANITIZED) seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), 435 /* clone3 */, 0);
    if (!is_server) {
        deny(filter, SCMP_SYS(mkdirat), 0, NULL);
        deny_sockets(filter);
    }
    for (unsigned int index = 0; index < COUNT(connecting) && is_server; index++)
        deny(filter, connecting[index], 0, NULL);
    deny_others_and_namespaces(filter);
    if (denies_writing && !IS_SANITIZED) deny_opening_for_writing(filter);
    int result = failure != 0 ? failure : seccomp_load(filter);
    seccomp_release(filter);
    return result;
}
