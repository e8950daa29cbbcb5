// SPDX-License-Identifier: Apache-2.0
//
// The entry point of the packaged program, which contains all programs. The name of its file selects one of them: the
// packages install the same file under several names, as hard links.
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int transferctl_main(int, char **);
int transferd_main(int, char **);
int transferlab_main(int, char **);
int transfer_rpc_main(int, char **);
int transfer_worker_main(int, char **);

// The build of the FoundationNetworking inside this program, for URLSessionInterposer (install.c). .ci/release reads the
// number from the shared library of the same toolchain.
const char transfer_urlsession_static_build[] = FOUNDATION_BUILD;

static const struct {
    const char *name;
    int (*run)(int, char **);
} programs[] = {
    {"transferctl", transferctl_main},
    {"transferd", transferd_main},
    {"transferlab", transferlab_main},
    {"transfer-rpc", transfer_rpc_main},
    {"transfer-worker", transfer_worker_main},
    // The command lines of these programs are translated by transferctl (Personality.swift).
    {"aria2c", transferctl_main},
    {"axel", transferctl_main},
    {"curl", transferctl_main},
    {"xfercommand", transferctl_main},
};

// The path comes from the kernel and not from the first argument, which a caller chooses. Without /proc, the path is the
// one that was executed.
int main(int count, char **arguments) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    const char *executed = (const char *)getauxval(AT_EXECFN);
    const char *file = length > 0 || !executed ? path : executed;
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(name, programs[i].name) == 0) return programs[i].run(count, arguments);
    }
    fprintf(stderr, "'%s' is not the name of a program of Background Transfer. Install the file as transferctl, "
        "transferd, transferlab, transfer-rpc, or transfer-worker.\n", name);
    return 2;
}
