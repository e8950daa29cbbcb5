// SPDX-License-Identifier: Apache-2.0
internal import Dispatch
internal import Synchronization

/// The order of handlers and events, and the end of a program that was started for its events.
///
/// As on Apple's platforms, the handler of a session is called before the session reports its events. The program runs
/// until all events have been reported and handled, even if the completion handler was called earlier.
extension BackgroundApplication {
    /// Applies a change to the progress. Ends the program if its work is done, or after the idle limit.
    func deliver(_ change: (inout EventDelivery) -> Void) {
        let (finish, generation) = content.withLock { content -> ((@Sendable () -> Void)?, Int?) in
            change(&content.delivery)
            guard let finish = content.afterEvents else { return (nil, nil) }
            switch content.delivery.verdict {
            case .done:
                content.afterEvents = nil
                return (finish, nil)
            case .idle: return (nil, content.delivery.generation)
            case .busy: return (nil, nil)
            }
        }
        finish?()
        guard let generation else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + idleLimit) { self.stopWaiting(since: generation) }
    }

    /// Ends an idle program whose progress has not changed since `generation`.
    private func stopWaiting(since generation: Int) {
        let (finish, expired) = content.withLock { content -> ((@Sendable () -> Void)?, [@Sendable () -> Void]) in
            guard content.delivery.generation == generation, content.delivery.verdict == .idle else { return (nil, []) }
            defer { content.afterEvents = nil }
            return (content.afterEvents, Array(content.delivery.backgroundTasks.values))
        }
        guard let finish else { return }
        for handler in expired { handler() }
        finish()
    }

    /// Waits until a session's handler has returned. Returns immediately if no call is running or expected.
    func waitForHandler(of session: String) async {
        await withCheckedContinuation { reader in
            let mustWait = content.withLock { $0.delivery.wait(reader, for: session) }
            if !mustWait { reader.resume() }
        }
    }

    /// Delays the events of a session until its handler has returned. Does nothing if no handler is registered.
    func expectHandler(for session: String) {
        content.withLock { if $0.handler != nil { $0.delivery.expectHandler(for: session) } }
    }

    /// Prepares a program that was started for a session, before the program creates the session.
    package func expectLaunch(for session: String) {
        content.withLock { $0.isInFront = false }
        expectHandler(for: session)
    }

    /// Calls the registered handler, or keeps the session until a handler is registered.
    package func handleEvents(of session: String) { handleEvents(of: session, isLaunch: false) }

    func handleEvents(of session: String, isLaunch: Bool) {
        let handler = content.withLock { content -> Handler? in
            guard let handler = content.handler else {
                content.waiting.append(session)
                return nil
            }
            content.delivery.beginHandler(for: session)
            content.delivery.oweEvents(of: session, isLaunch: isLaunch)
            return handler
        }
        guard let handler else { return }
        let isDone = Mutex(false)
        let done: @Sendable () -> Void = { [self] in
            let isFirst = isDone.withLock { done in
                defer { done = true }
                return !done
            }
            if isFirst { deliver { $0.handlerCompleted() } }
        }
        let returned: @Sendable () -> Void = { [self] in
            for reader in content.withLock({ $0.delivery.handlerReturned(for: session) }) { reader.resume() }
        }
        handler(session, done, returned)
    }
}
