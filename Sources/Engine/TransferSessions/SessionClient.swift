// SPDX-License-Identifier: Apache-2.0
package import SessionLogic
package import TransferModel

/// A process that uses sessions, with the channel for its events.
@dynamicMemberLookup
package struct SessionClient: Sendable {
    /// The known facts about the process.
    package var user: ClientProcess
    /// Sends an event to the process. Never waits.
    package var send: @Sendable (SessionKey, SessionEvent) -> Void

    package init(
        name: String, process: Int32, app: String, send: @escaping @Sendable (SessionKey, SessionEvent) -> Void
    ) {
        user = ClientProcess(name: name, process: process, app: app)
        self.send = send
    }

    package subscript<Value>(dynamicMember member: WritableKeyPath<ClientProcess, Value>) -> Value {
        get { user[keyPath: member] }
        set { user[keyPath: member] = newValue }
    }
}
