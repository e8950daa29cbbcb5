// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// A fake daemon side of a session, which records every call.
final class FakeChannel: SessionChannel {
    struct Content {
        var orders: [TaskOrder] = []
        var acknowledged: [EventNumber] = []
        var closed: [String] = []
        var owner: Int32?
        var tasks: [TaskSnapshot] = []
        var nextTask = 1
        var isInFront: Bool?
        var folder: String?
        var explanation: WaitExplanation?
    }

    let content = Mutex(Content())
    private let stream = AsyncStream.makeStream(of: SessionEvent.self)

    var orders: [TaskOrder] { content.withLock(\.orders) }
    var acknowledged: [EventNumber] { content.withLock(\.acknowledged) }
    var closed: [String] { content.withLock(\.closed) }

    func send(_ event: SessionEvent) { stream.continuation.yield(event) }

    func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession {
        let (owner, tasks, next, folder) = content.withLock { ($0.owner, $0.tasks, $0.nextTask, $0.folder) }
        if let owner { throw SessionError(code: .inUse, message: "Process \(owner) uses it.", owner: owner) }
        return OpenedSession(nextTask: next, tasks: tasks, events: stream.stream, namedFilesFolder: folder)
    }

    func post(_ order: TaskOrder, in session: String) { content.withLock { $0.orders.append(order) } }

    func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot] { content.withLock(\.tasks) }

    func explanation(ofTask task: Int, in session: String) async throws(SessionError) -> WaitExplanation? {
        content.withLock(\.explanation)
    }

    func acknowledge(_ number: EventNumber, in session: String) {
        content.withLock { $0.acknowledged.append(number) }
    }

    func setInFront(_ isInFront: Bool) { content.withLock { $0.isInFront = isInFront } }

    func close(_ session: String) {
        content.withLock { $0.closed.append(session) }
        stream.continuation.finish()
    }
}

extension TaskSnapshot {
    static func download(_ identifier: Int) -> TaskSnapshot {
        TaskSnapshot(
            identifier: identifier, kind: .download,
            request: RequestDescription(url: "http://example.org/\(identifier)"))
    }
}
