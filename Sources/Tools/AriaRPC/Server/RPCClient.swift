// SPDX-License-Identifier: Apache-2.0

/// The client of a connection, whose rights depend on the tokens that it has sent.
struct RPCClient: Sendable {
    /// The maximum number of bytes of a text from a client without the right token. Longer texts are read one at a time.
    static let maximumStrangerBytes = 64 << 10

    let id: ConnectionSlots.ID
    let slots: ConnectionSlots

    /// The maximum number of bytes of a text.
    var maximumBytes: Int {
        get async { await slots.isAuthorized(id) ? RPCHandler.maximumBytes : Self.maximumStrangerBytes }
    }

    /// Gives the client the rights that an answer shows, and waits if the answer is to a wrong token.
    func record(_ answer: RPCCalls.Answer) async {
        if answer.isAuthorized { await slots.authorize(id) }
        if answer.isRefused { await slots.delay(id) }
    }
}
