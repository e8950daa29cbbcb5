// SPDX-License-Identifier: Apache-2.0
import Dispatch

@testable import HTTPExecutor

extension ConsumerActor {
    /// Runs `work` on the actor's executor and waits for its end.
    nonisolated func sync(_ work: @Sendable (isolated Self) -> Void) {
        consumer.queue.sync { assumeIsolated { work($0) } }
    }
}
