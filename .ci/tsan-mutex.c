// SPDX-License-Identifier: Apache-2.0

// Tells the thread sanitizer of a mutex that threads wait for. Swift's `Mutex` takes and gives a free lock in code that is
// compiled, and so instrumented, with its user; where somebody waits it calls its library, which is not: without this, what
// stands behind a contended mutex is reported as a race. Preloaded by .ci/sanitize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define swift __attribute__((swiftcall))
#define context __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> (), ._unlockSlow() -> ()
#define lock_slow_name "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define unlock_slow_name "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Missing in processes that are not instrumented.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

swift void lock_slow(uint32_t thread, context void *mutex) __asm__(lock_slow_name);
swift void lock_slow(uint32_t thread, context void *mutex) {
    ((swift void (*)(uint32_t, context void *))next(lock_slow_name))(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

swift void unlock_slow(context void *mutex) __asm__(unlock_slow_name);
swift void unlock_slow(context void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((swift void (*)(context void *))next(unlock_slow_name))(mutex);
}
