// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Sessions under Apple's names that await files", .timeLimit(.minutes(1)))
struct FileAwaitingTests {
    private let request = AwaitedSession.request

    @Test("a session without an identifier refuses names")
    func plain() async {
        let session = URLSession(configuration: .default)
        let error = await failure { () throws(TransferError) in try await session.file(for: request, id: "a") }
        guard case .session(let cause)? = error?.code else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(cause.code == .unsupportedTask)
    }
}
