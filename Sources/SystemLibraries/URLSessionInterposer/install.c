// SPDX-License-Identifier: Apache-2.0
//
// Installs all hooks or none of them. A partial installation would be worse than none, because the hooks depend on one
// another.
//
// Every assumption is checked before any change:
//
// - FoundationNetworking and libdispatch import each hooked function.
// - No other code has hooked these functions.
// - All functions belong to a single libcurl.
// - FoundationNetworking does not drive libcurl in a way that bypasses the hooks.
#define _GNU_SOURCE
#include "URLSessionInterposer.h"
#include "buildid.h"
#include "Handles/handle.h"
#include "Callbacks/hangups.h"
#include "hooks.h"
#include "Image/object.h"
#include "imports.h"
#include "Pacing/pacing.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { most_hooks = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards all variables below
static int was_attempted;
static enum transfer_urlsession_interposer_state state;
static char build[build_id_room];
static char reason[200];

// The other ways to drive libcurl. Their bytes and sockets would bypass the hooks.
static const char *const unsupported_calls[] = {
    "curl_easy_perform", "curl_multi_perform", "curl_multi_socket", "curl_multi_socket_all", NULL,
};

// Finds libcurl's own functions and fills in their replacements. Returns the number of functions, or 0 if a function
// is missing.
static size_t find_curl(struct import_replacement *replacements) {
    const void *library = NULL;
    for (size_t i = 0; i < hooks_count; i++) {
        void *function = dlsym(RTLD_DEFAULT, hooks[i].name);
        Dl_info location;
        if (!function || !dladdr(function, &location) || (library && location.dli_fbase != library)) {
            const char *fault = function ? "is in a different library" : "is missing";
            snprintf(reason, sizeof reason, "libcurl's %s %s", hooks[i].name, fault);
            return 0;
        }
        library = location.dli_fbase;
        memcpy((char *)&real + hooks[i].real, &function, sizeof function);
        struct import_replacement replacement = {
            hooks[i].name, hooks[i].replacement, function, hooks[i].is_optional};
        replacements[i] = replacement;
    }
    return hooks_count;
}

// In a program that was bound at its start (LD_BIND_NOW), libcurl's functions are still missing.
static int bind_if_missing(const char *name, void **slot, void *library) {
    if (!*slot && strncmp(name, "curl_", strlen("curl_")) == 0) *slot = dlsym(library, name);
    return 0;
}

// The packaged program loads libcurl here instead of at its start (.ci/release), because libcurl and its 27 libraries
// take longer to load than everything else, and few processes transfer files.
static int load_curl(void) {
    if (dlsym(RTLD_DEFAULT, hooks[0].name)) return 1;
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_GLOBAL);
    if (!library) {
        snprintf(reason, sizeof reason, "%s", dlerror());
        return 0;
    }
    struct object program;
    if (object_find(NULL, &program)) object_visit_imports(&program, bind_if_missing, library);
    return 1;
}

// The number of FoundationNetworking's build in a program that contains FoundationNetworking. A static library has no
// such number, so .ci/release-options reads it from the shared library of the same toolchain.
#ifdef TRANSFER_FOUNDATION_BUILD
#define quoted(word) #word
#define text(macro) quoted(macro)
static const char static_build[] = text(TRANSFER_FOUNDATION_BUILD);
#else
static const char static_build[] = "";
#endif

static int install_hooks(void) {
    struct import_replacement curl[most_hooks];
    if (hooks_count > most_hooks || !handles_prepare()) {
        snprintf(reason, sizeof reason, "out of memory");
        return 0;
    }
    if (find_curl(curl) == 0) return 0;
    void *wait = dlsym(RTLD_DEFAULT, "epoll_wait");
    memcpy(&real.epoll_wait, &wait, sizeof wait);
    const struct import_replacement hangups = {"epoll_wait", (void *)wait_without_hangups, wait, 0};
    const struct import_set sets[] = {
        {"libFoundationNetworking.", 1, curl, hooks_count, unsupported_calls}, {"libdispatch.", 1, &hangups, 1, NULL},
    };
    const struct pacing_calls calls = {real.easy_setopt, real.easy_getinfo, real.easy_pause};
    pacing_install(&calls);
    return replace_imports(sets, sizeof sets / sizeof *sets, NULL, reason, sizeof reason) > 0;
}

enum transfer_urlsession_interposer_state transfer_urlsession_interposer_install(
    const struct transfer_urlsession_interposer_options *options) {
    pthread_mutex_lock(&lock);
    hooks_set_options(options);
    if (!was_attempted) {
        was_attempted = 1;
        build_id_of("libFoundationNetworking.", build);
        if (!build[0]) snprintf(build, sizeof build, "%s", static_build);
        if (!load_curl()) {
            state = transfer_urlsession_interposer_no_libcurl;
        } else if (install_hooks()) {
            state = tested_foundation(build) ? transfer_urlsession_interposer_tested : transfer_urlsession_interposer_untested;
        }
    }
    enum transfer_urlsession_interposer_state result = state;
    pthread_mutex_unlock(&lock);
    return result;
}

size_t transfer_urlsession_interposer_handles(void) { return handles_count(); }

void *transfer_urlsession_interposer_hook(const char *name) {
    for (size_t i = 0; i < hooks_count; i++) {
        if (strcmp(hooks[i].name, name) == 0) return hooks[i].replacement;
    }
    return NULL;
}

// Both strings are written once, before the first installation returns.

const char *transfer_urlsession_interposer_reason(void) { return reason; }

const char *transfer_urlsession_foundation_build(void) { return build; }
