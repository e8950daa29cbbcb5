// SPDX-License-Identifier: Apache-2.0

// Reports contended mutexes to the thread sanitizer. Swift's `Mutex` acquires and releases an uncontended lock in code that
// is compiled, and therefore instrumented, together with its caller. For a contended lock, it calls its library, which is
// not instrumented. Without this file, accesses protected by a contended mutex are reported as races. Preloaded by
// .ci/sanitize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define swift __attribute__((swiftcall))
#define context __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> (), ._unlockSlow() -> ()
#define lock_slow_name "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define unlock_slow_name "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in processes without the sanitizer.
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
