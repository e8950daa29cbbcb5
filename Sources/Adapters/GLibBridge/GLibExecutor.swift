// SPDX-License-Identifier: Apache-2.0
package import CGIO
import Synchronization

/// A thread that runs a GLib main loop, as the executor of an actor.
///
/// GLib and D-Bus call back on the context in which a call was started. An actor on this executor receives these
/// callbacks on its own thread and enters with `assumeIsolated`. An idle loop sleeps in `poll` without a timeout.
package final class GLibExecutor: SerialExecutor, @unchecked Sendable {
    private enum Life {
        case running
        case stopping([CheckedContinuation<Void, Never>])
        case stopped
    }

    // Guard for `@unchecked`: context and loop are set once, and GLib allows their use from any thread.
    private let context: OpaquePointer
    private let loop: OpaquePointer
    private let life = Mutex(Life.running)

    /// Starts the thread. `name` appears in process listings, cut to 15 characters.
    package init(name: String) {
        context = g_main_context_new()
        loop = g_main_loop_new(context, 0)
        let thread = g_thread_new(
            name,
            { data in
                guard let data else { return nil }
                Unmanaged<GLibExecutor>.fromOpaque(data).takeRetainedValue().runLoop()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        // No thread joins this one: `stop` waits for the end of the loop.
        g_thread_unref(thread)
    }

    deinit {
        g_main_loop_unref(loop)
        g_main_context_unref(context)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedSerialExecutor()
        perform { job.runSynchronously(on: executor) }
    }

    package func checkIsolated() {
        precondition(g_main_context_is_owner(context) != 0, "not on this executor's thread")
    }

    /// Runs `body` on the thread, after all earlier requests.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let source: UnsafeMutablePointer<GSource> = g_idle_source_new()
        attach(source, priority: G_PRIORITY_DEFAULT, OneShot(body))
        g_source_unref(source)
    }

    /// Ends the loop after all requested work is done, and returns after the loop has ended.
    package func stop() async {
        await withCheckedContinuation { continuation in
            let isFirst = life.withLock { life -> Bool? in
                switch life {
                case .running:
                    life = .stopping([continuation])
                    return true
                case .stopping(let others):
                    life = .stopping(others + [continuation])
                    return false
                case .stopped: return nil
                }
            }
            guard let isFirst else { return continuation.resume() }
            guard isFirst else { return }
            let source: UnsafeMutablePointer<GSource> = g_idle_source_new()
            attach(source, priority: G_PRIORITY_LOW, OneShot { g_main_loop_quit(self.loop) })
            g_source_unref(source)
        }
    }

    /// Calls `body` on the thread once, after `milliseconds`. Releasing the returned handle cancels the call.
    package func after(milliseconds: UInt32, _ body: @escaping () -> Void) -> GLibSource {
        checkIsolated()
        let source: UnsafeMutablePointer<GSource> = g_timeout_source_new(milliseconds)
        attach(source, priority: G_PRIORITY_DEFAULT, OneShot(body))
        return GLibSource(taking: source)
    }

    /// Calls `body` on the thread after all pending events are handled. Releasing the returned handle cancels the
    /// call.
    package func whenIdle(_ body: @escaping () -> Void) -> GLibSource {
        checkIsolated()
        let source: UnsafeMutablePointer<GSource> = g_idle_source_new()
        attach(source, priority: G_PRIORITY_DEFAULT_IDLE, OneShot(body))
        return GLibSource(taking: source)
    }

    /// Calls `body` on the thread whenever `descriptor` is readable, until the returned handle is canceled or
    /// released.
    package func watch(descriptor: Int32, _ body: @escaping () -> Void) -> GLibSource {
        checkIsolated()
        let source: UnsafeMutablePointer<GSource> = g_unix_fd_source_new(descriptor, G_IO_IN)
        let function: GUnixFDSourceFunc = { _, _, data in
            OneShot.call(data)
            return 1
        }
        g_source_set_callback(
            source, unsafeBitCast(function, to: GSourceFunc.self), OneShot(body).passToC(), releaseOneShot)
        g_source_attach(source, context)
        return GLibSource(taking: source)
    }

    private func attach(_ source: UnsafeMutablePointer<GSource>, priority: Int32, _ call: OneShot) {
        g_source_set_priority(source, priority)
        g_source_set_callback(
            source,
            { data in
                OneShot.call(data)
                return 0
            }, call.passToC(), releaseOneShot)
        g_source_attach(source, context)
    }

    private func runLoop() {
        g_main_context_push_thread_default(context)
        g_main_loop_run(loop)
        // Events that were ready when the loop was asked to stop still run, mostly replies to canceled calls.
        while g_main_context_iteration(context, 0) != 0 {}
        g_main_context_pop_thread_default(context)
        let waiting = life.withLock { life -> [CheckedContinuation<Void, Never>] in
            guard case .stopping(let waiting) = life else { return [] }
            life = .stopped
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A closure that C code can hold.
private final class OneShot {
    private let body: () -> Void
    // GLib's own lock orders everything before the closure is passed and called; the thread sanitizer does not see that
    // lock.
    private let isPassedToC = Atomic(false)

    init(_ body: @escaping () -> Void) { self.body = body }

    /// Passes the closure to C code, with a separate reference.
    func passToC() -> UnsafeMutableRawPointer {
        isPassedToC.store(true, ordering: .releasing)
        return Unmanaged.passRetained(self).toOpaque()
    }

    /// Calls a closure that C code holds.
    static func call(_ data: UnsafeMutableRawPointer?) {
        guard let data else { return }
        let call = Unmanaged<OneShot>.fromOpaque(data).takeUnretainedValue()
        _ = call.isPassedToC.load(ordering: .acquiring)
        call.body()
    }
}

private let releaseOneShot: GDestroyNotify = { data in
    if let data { Unmanaged<OneShot>.fromOpaque(data).release() }
}

/// Cancels GIO calls, including blocking calls, from any thread.
package final class Cancellation: @unchecked Sendable {
    // Guard for `@unchecked`: GCancellable may be used from any thread.
    /// The object to pass to GIO functions.
    package let cancellable: UnsafeMutablePointer<GCancellable>

    package init() { cancellable = g_cancellable_new() }

    deinit { g_object_unref(cancellable) }

    /// Cancels the calls that received `cancellable`.
    package func cancel() { g_cancellable_cancel(cancellable) }
}

/// A timer or a watched descriptor. Releasing this handle ends it.
///
/// Use on the thread of its executor only.
package final class GLibSource {
    private let source: UnsafeMutablePointer<GSource>

    /// Creates a handle and takes ownership of one reference.
    init(taking source: UnsafeMutablePointer<GSource>) { self.source = source }

    deinit {
        g_source_destroy(source)
        g_source_unref(source)
    }

    /// Ends the timer or watch immediately.
    package func cancel() { g_source_destroy(source) }
}
