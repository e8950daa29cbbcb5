// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

@Suite("Sessions under Apple's names that await files", .timeLimit(.minutes(1)))
struct FileAwaitingTests {
    /// A session that forwards to a background session.
    private struct Session: FileAwaiting {
        let background: BackgroundSession

        func backgroundSession() throws(TransferError) -> BackgroundSession { background }
    }

    private let request = AwaitedSession.request

    @Test("every call reaches the background session")
    func forwards() async throws {
        let fixture = try AwaitedSession()
        let session = Session(background: try fixture.open())
        _ = try await session.transfer(for: request, id: "a")
        #expect(try await session.transfer(for: request, id: "a").id == "a")
        #expect(try await session.transfers(for: ["a": request]).ids == ["a"])
        async let files = session.files(for: ["a": request])
        async let file = session.file(for: request, id: "a")
        async let other = session.file(for: request, id: "a")
        fixture.end(1, try fixture.download("a"))
        let (known, all, second) = try await (file, files, other)
        #expect(all == ["a": known] && second == known)
        try await session.remove(id: "a")
        #expect(!FileManager.default.fileExists(atPath: known.path))
    }

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
