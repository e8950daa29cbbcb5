// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Synchronization
import TransferModel

/// A channel of a process that may die before it acknowledges an event. It counts acknowledgements, and loses them if
/// the process is to die.
final class SilentChannel: SessionChannel {
    private let channel: any SessionChannel
    private let losesAcknowledgements: Bool
    private let count = Mutex(0)

    init(over channel: any SessionChannel, losesAcknowledgements: Bool) {
        (self.channel, self.losesAcknowledgements) = (channel, losesAcknowledgements)
    }

    /// The number of acknowledgements so far, including lost ones.
    var acknowledgements: Int { count.withLock { $0 } }

    func acknowledge(_ number: EventNumber, in session: String) {
        if !losesAcknowledgements { channel.acknowledge(number, in: session) }
        count.withLock { $0 += 1 }
    }

    func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession {
        try channel.open(configuration)
    }

    func post(_ order: TaskOrder, in session: String) { channel.post(order, in: session) }

    func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot] {
        try await channel.tasks(of: session)
    }

    func explanation(ofTask task: Int, in session: String) async throws(SessionError) -> WaitExplanation? {
        try await channel.explanation(ofTask: task, in: session)
    }

    func setInFront(_ isInFront: Bool) { channel.setInFront(isInFront) }

    func close(_ session: String) { channel.close(session) }
}
