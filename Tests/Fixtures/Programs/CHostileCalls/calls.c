// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CHostileCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static long opened(const char *path, int flags) {
    int descriptor = open(path, flags | O_CLOEXEC, 0600);
    if (descriptor >= 0) close(descriptor);
    return descriptor;
}

static long create_beside(const char *folder) {
    char path[4096];
    snprintf(path, sizeof path, "%s/hostile", folder);
    return opened(path, O_WRONLY | O_CREAT);
}

static long read_memory(pid_t process) {
    char here[8];
    struct iovec local = {here, sizeof here}, remote = {(void *)&here, sizeof here};
    return process_vm_readv(process, &local, 1, &remote, 1, 0);
}

static long connect_by_name(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    long result = connect(descriptor, (struct sockaddr *)&address, sizeof address);
    close(descriptor);
    return result;
}

static long pair_of_datagrams(void) {
    int pair[2];
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
}

static long start_process(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}

static long start_program(void) {
    char *arguments[] = {"true", NULL};
    return execve("/bin/true", arguments, NULL);
}

static long send_signal_from_file(int control) {
    int descriptor = open("/dev/null", O_RDONLY);
    long result = fcntl(descriptor, control, control == F_SETOWN ? getppid() : SIGKILL);
    close(descriptor);
    return result;
}

static long limit_parent(void) {
    struct rlimit limit;
    return prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit);
}

static long set_attribute(const char *path) { return setxattr(path, "user.hostile", "1", 1, 0); }

static long look_at(const char *path) {
    struct stat status;
    return stat(path, &status);
}

static long read_link(const char *path) {
    char target[4096];
    return readlink(path, target, sizeof target);
}

static long bind_abstract_name(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "hostile-%d", (int)getpid());
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    return bind(pair[0], (struct sockaddr *)&address, sizeof address);
}

static long rename_away(const char *path) {
    char other[4096];
    snprintf(other, sizeof other, "%s.hostile", path);
    return rename(path, other);
}

int hostile_try(const char *name, const char *path) {
    long result;
    errno = 0;
#define TRY(text, call) if (strcmp(name, text) == 0) result = (call); else
    TRY("read", opened(path, O_RDONLY))
    TRY("write", opened(path, O_WRONLY))
    TRY("create in", create_beside(path))
    TRY("remove", unlink(path))
    TRY("rename", rename_away(path))
    TRY("change mode of", chmod(path, 0777))
    TRY("set attribute of", set_attribute(path))
    TRY("cut", truncate(path, 0))
    TRY("look at", look_at(path))
    TRY("read link", read_link(path))
    TRY("list attributes of", listxattr(path, NULL, 0))
    TRY("bind abstract name", bind_abstract_name())
    TRY("connect to", connect_by_name(path))
    TRY("mount on", mount("tmpfs", path, "tmpfs", 0, ""))
    TRY("start program", start_program())
    TRY("start process", start_process())
    TRY("trace parent", ptrace(PTRACE_SEIZE, getppid(), NULL, NULL))
    TRY("read memory of parent", read_memory(getppid()))
    TRY("signal parent", kill(getppid(), 0))
    TRY("open parent", syscall(434, getppid(), 0))
    TRY("limit parent", limit_parent())
    TRY("own file by parent", send_signal_from_file(F_SETOWN))
    TRY("set signal of file", send_signal_from_file(F_SETSIG))
    TRY("pair of datagrams", pair_of_datagrams())
    TRY("packet socket", socket(AF_PACKET, SOCK_RAW, 0))
    TRY("family beyond 32 bits", syscall(SYS_socket, 0x100000001L, SOCK_STREAM, 0))
    TRY("io_uring", syscall(425, 1, NULL))
    TRY("bpf", syscall(SYS_bpf, 0, NULL, 0))
    TRY("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0))
    TRY("userfaultfd", syscall(SYS_userfaultfd, 0))
    TRY("perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0))
    TRY("unshare", unshare(CLONE_NEWUSER))
    TRY("setns", setns(0, 0))
    TRY("open by handle", syscall(SYS_open_by_handle_at, -1, NULL, 0))
    TRY("shmget", syscall(SYS_shmget, 0, 4096, 0600))
    TRY("shmat", syscall(SYS_shmat, -1, NULL, 0))
    TRY("shmdt", syscall(SYS_shmdt, NULL))
    TRY("shmctl", syscall(SYS_shmctl, 0, 14 /* SHM_INFO */, NULL))
    TRY("msgget", syscall(SYS_msgget, 0, 0600))
    TRY("msgsnd", syscall(SYS_msgsnd, -1, NULL, 0, 0))
    TRY("msgrcv", syscall(SYS_msgrcv, -1, NULL, 0, 0, 0))
    TRY("msgctl", syscall(SYS_msgctl, 0, 12 /* MSG_INFO */, NULL))
    TRY("semget", syscall(SYS_semget, 0, 1, 0600))
    TRY("semop", syscall(SYS_semop, -1, NULL, 0))
    TRY("semtimedop", syscall(SYS_semtimedop, -1, NULL, 0, NULL))
    TRY("semctl", syscall(SYS_semctl, 0, 0, 19 /* SEM_INFO */, NULL))
#ifdef __x86_64__
    TRY("x32 call", syscall(0x40000000 + SYS_getppid))
#endif
    return -1;
    return result >= 0 ? 0 : errno;
}

const char *hostile_error_name(int code) {
    const char *name = strerrorname_np(code);
    return name ? name : "not tried";
}
