// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

/// A harness whose `FakeExecutor` acts as if a server existed. No bytes move; files are sizes in a table.
final class FakeHarness: TransferExecutorHarness {
    private struct State {
        var deliveries: [TransferID: TransferDelivery] = [:]
        var sizes: [String: Int64] = [:]
    }

    private let state: Mutex<State>
    private let fake: FakeExecutor
    private let calls: Calls
    let executor: any TransferExecutor

    /// Forwards the fake's calls to the harness. The fake must exist before the harness.
    private final class Calls: Sendable {
        let handler = Mutex<(@Sendable (FakeExecutor.Call) -> Void)?>(nil)
        func took(_ call: FakeExecutor.Call) { handler.withLock(\.self)?(call) }
    }

    init() {
        let calls = Calls()
        self.calls = calls
        state = Mutex(State())
        fake = FakeExecutor { calls.took($0) }
        fake.setAvailableSpace(1 << 30)
        executor = fake
        calls.handler.withLock { $0 = { [weak self] in self?.act(on: $0) } }
    }

    func job(_ id: TransferID, _ delivery: TransferDelivery, resume: ResumePoint?) -> TransferJob {
        state.withLock { $0.deliveries[id] = delivery }
        var specification = StoredTransferSamples.plain(id.rawValue).specification
        specification.destination.directory = "/finished"
        return TransferJob(id: id, specification: specification, resume: resume)
    }

    func size(ofFileAt path: String) -> Int64? { state.withLock { $0.sizes[path] } }

    func isRight(_ file: CompletedFile, for id: TransferID) -> Bool {
        state.withLock { $0.deliveries[id]?.size == file.bytes }
    }

    func close() async { calls.handler.withLock { $0 = nil } }

    private func act(on call: FakeExecutor.Call) {
        switch call {
        case .start(let id, let offset):
            guard let delivery = state.withLock({ $0.deliveries[id] }) else { return }
            deliver(delivery, to: id, from: offset)
        case .discard(let path):
            state.withLock { $0.sizes[path] = nil }
        case .stop, .measure, .shutdown:
            // The fake itself does all that is necessary.
            return
        }
    }

    private func deliver(_ delivery: TransferDelivery, to id: TransferID, from offset: Int64) {
        let isRunning = fake.running.contains(id)
        guard isRunning else { return }
        fake.checkpoint(id, at: offset, of: delivery.size)
        fake.progress(id, to: (offset + delivery.end) / 2, of: delivery.size)
        fake.progress(id, to: delivery.end, of: delivery.size)
        state.withLock { $0.sizes[FakeExecutor.path(id)] = delivery.end }
        guard delivery.end == delivery.size else { return }
        state.withLock { state in
            state.sizes[FakeExecutor.path(id)] = nil
            state.sizes["/finished/file-\(id)"] = delivery.size
        }
        fake.finish(id)
    }
}
