// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing
import TransferModel
import TransferSessions

@testable import BackgroundTransfer

/// A session over a fake channel, with a temporary folder for its finished files and for the service's files.
final class AwaitedSession: Sendable {
    let channel = FakeChannel()
    let folder = NSTemporaryDirectory() + "awaited-\(UUID().uuidString)"
    let application = BackgroundApplication(idleLimit: .seconds(3600))

    static let request = URLRequest(url: URL(string: "http://example.org/episode?token=1")!)

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        channel.content.withLock { $0.folder = folder + "/named" }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open() throws -> BackgroundSession {
        try BackgroundSession(BackgroundSessionConfiguration(identifier: "s"), over: channel, in: application)
    }

    /// The tasks that were submitted.
    var submitted: [TaskSnapshot] {
        channel.orders.compactMap { if case .submit(let snapshot) = $0 { snapshot } else { nil } }
    }

    /// Creates a file of the service.
    func download(_ text: String) throws -> String {
        let path = folder + "/CFNetworkDownload_\(UUID().uuidString).tmp"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Sends the events of a task that has ended with a response.
    func end(_ task: Int, status: Int = 200, _ path: String?) {
        let number = EventNumber(task * 8)
        let response = ResponseDescription(url: "http://example.org/episode", status: status, headers: [:])
        channel.send(SessionEvent(number: number, task: task, .responded(response)))
        if let path { channel.send(SessionEvent(number: number + 1, task: task, .downloaded(path: path))) }
        channel.send(SessionEvent(number: number + 2, task: task, .completed(nil)))
    }

    /// Returns a snapshot of a named task, as the service reports it to a new process.
    static func snapshot(_ number: Int, _ id: String, isEnded: Bool = false) throws -> TaskSnapshot {
        let description = try RequestDescription(ofDownload: request)
        var snapshot = TaskSnapshot(identifier: number, kind: .download, request: description)
        snapshot.name = TaskName(id: id, of: description)
        snapshot.isEnded = isEnded
        return snapshot
    }
}

/// Waits until a condition holds. The time limit of the suite ends the wait.
func until(_ condition: () -> Bool) async { while !condition(), !Task.isCancelled { await Task.yield() } }

/// Returns the error that a closure throws.
func failure(of body: () async throws(TransferError) -> some Any) async -> TransferError? {
    do throws(TransferError) {
        _ = try await body()
        return nil
    } catch {
        return error
    }
}
