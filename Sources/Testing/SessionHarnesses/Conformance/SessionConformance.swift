// SPDX-License-Identifier: Apache-2.0
internal import BackgroundTransfer
internal import Foundation
internal import FoundationNetworking
import TransferTesting

/// The rules of background sessions, as checks that any test framework can run against a service for sessions.
///
/// ```swift
/// @Test("holds", arguments: SessionRule.allCases)
/// func rule(_ rule: SessionRule) async throws {
///     try await SessionConformance { try await MyHarness() }.run(rule)
/// }
/// ```
///
/// A check takes a second or a few, and waits up to a minute for events that do not occur. Each check has its own
/// server on a free port of 127.0.0.1.
///
/// Run the checks one after the other: use `.serialized` in Swift Testing.
public struct SessionConformance: Sendable {
    /// The outcome of a check that found no violation.
    public enum Outcome: Hashable, Sendable {
        /// The rule was checked and holds.
        case held
        /// The rule was not checked. The value is the harness's reason.
        case notApplicable(String)
    }

    /// The app whose sessions are checked.
    public static let app = "org.example.Conformance"

    private let makeHarness: @Sendable () async throws -> any SessionHarness

    /// Creates checks on the harnesses that `makeHarness` creates. `makeHarness` is called for each rule.
    public init(_ makeHarness: @escaping @Sendable () async throws -> any SessionHarness) {
        self.makeHarness = makeHarness
    }

    /// Checks a rule.
    ///
    /// - Parameter rule: The rule to check.
    /// - Returns: Whether the rule could be checked. A violation is an error.
    /// - Throws: `ContractFailure` with a description of the violation, or an error of the harness.
    @discardableResult
    public func run(_ rule: SessionRule) async throws -> Outcome {
        let harness = try await makeHarness()
        let outcome: Result<Outcome, any Error>
        do { outcome = .success(try await attempt(rule, on: harness)) } catch { outcome = .failure(error) }
        await harness.close()
        return try outcome.get()
    }

    private func attempt(_ rule: SessionRule, on harness: any SessionHarness) async throws -> Outcome {
        if let why = harness.reasonNotCheckable(rule) { return .notApplicable(why) }
        let server = try ConformanceServer()
        defer { server.stop() }
        try await SessionRuleCheck(harness: harness, server: server).run(rule)
        return .held
    }
}

/// A check of a rule in progress.
struct SessionRuleCheck: Sendable {
    let harness: any SessionHarness
    let server: ConformanceServer
    /// The program of the check. Checks that run at the same time share nothing.
    private let application = BackgroundApplication()

    func run(_ rule: SessionRule) async throws {
        switch rule {
        case .s1: try await twoApps()
        case .s4: try await oneProcess()
        case .s5: try await invalidated()
        case .s6: try await discretionary()
        case .s7: try await withoutLaunchEvents()
        case .s9: try await resourceTimeout()
        case .s10: try await headers()
        case .t1: try await methods()
        case .t2: try await suspendedAtFirst()
        case .t3: try await delayed()
        case .t5: try await persistedSettings()
        case .t6: try await pauses()
        case .t7: try await redirects()
        case .t8: try await logsIn()
        case .t9:
            var requests = RepeatedRequestCheck(self)
            try await requests.run()
        case .t10: try await wantedNow()
        case .e1: try await progress()
        case .e2: try await file()
        case .e3: try await notFound()
        case .e4: try await redelivery()
        case .e5: try await finishedEvents()
        case .e6: try await listed()
        case .e8: try await upload()
        case .l1: try await continuesWithoutApp()
        case .l2: try await starts()
        case .l4: try await quit()
        case .l5: try await killed()
        case .l6: try await handlesFirst()
        case .r1: try await delayGrows()
        case .r6: try await startsOnce()
        case .r7: try await crashes()
        case .a1: try await AwaitedFileCheck(self).joinsByName()
        case .a2: try await AwaitedFileCheck(self).returnsFinishedFile()
        case .a3: try await AwaitedFileCheck(self).refusesOtherRequest()
        case .a4: try await AwaitedFileCheck(self).outlivesAwaitingTask()
        case .a5: try await AwaitedFileCheck(self).endsWithAwaitingTask()
        case .a6: try await AwaitedFileCheck(self).sumsProgress()
        case .a7: try await AwaitedFileCheck(self).survivesKillAfterMove()
        case .a8: try await AwaitedFileCheck(self).explainsWaits()
        }
    }

    // MARK: Processes and waits

    /// Starts a process of the app and opens its session.
    func open(
        _ identifier: String = "s", app: String = SessionConformance.app, in application: BackgroundApplication? = nil,
        _ change: (inout BackgroundSessionConfiguration) -> Void = { _ in }
    ) async throws -> TestedProcess {
        var configuration = BackgroundSessionConfiguration(identifier: identifier)
        change(&configuration)
        let process = try await harness.join(as: app)
        do {
            return TestedProcess(
                process: process,
                session: try await BackgroundSession.open(
                    configuration, over: process.channel, in: application ?? self.application))
        } catch {
            await process.leave()
            throw error
        }
    }

    func request(_ response: ServedResponse) throws -> URLRequest { try request(at: server.address(response)) }

    func request(at address: String) throws -> URLRequest {
        guard let url = URL(string: address) else { throw ContractFailure("not a valid URL: '\(address)'") }
        return URLRequest(url: url)
    }

    /// Waits until the server has stalled and the app has received progress of some bytes.
    ///
    /// The app need not know about all bytes, because the last progress before a stall is reported a moment later.
    func stalls(_ task: BackgroundTask, _ response: ServedResponse, at offset: Int) async throws {
        let address = server.address(response)
        try await until("some bytes") {
            task.countOfBytesReceived > 0
                && server.requests(for: address).contains { ($0.range?.last ?? .max) > offset }
        }
    }

    /// Waits until a condition holds, for as long as a busy machine may need.
    func until(_ what: String, seconds: Int = 60, _ condition: @Sendable () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try await !condition() {
            guard ContinuousClock.now < end else { throw ContractFailure("timed out waiting for \(what)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
