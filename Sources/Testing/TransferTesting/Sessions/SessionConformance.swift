// SPDX-License-Identifier: Apache-2.0
internal import BackgroundTransfer
internal import Foundation
internal import FoundationNetworking

/// The rules of background sessions as cases that any test framework can run, on whoever carries sessions out.
///
/// ```swift
/// @Test("holds", arguments: SessionRule.allCases)
/// func rule(_ rule: SessionRule) async throws {
///     try await SessionConformance { try await MyHarness() }.run(rule)
/// }
/// ```
///
/// A rule takes a second or a few, and waits up to a minute for what does not come. Each has a server of its own on a free
/// port of 127.0.0.1. They are best run one after the other: `.serialized` in Swift Testing.
public struct SessionConformance: Sendable {
    /// Whether a rule was tried.
    public enum Outcome: Hashable, Sendable {
        /// It was, and it is kept.
        case held
        /// It was not, and why: the harness's own words.
        case notApplicable(String)
    }

    /// The app whose sessions are tried.
    public static let app = "org.example.Conformance"

    private let makeHarness: @Sendable () async throws -> any SessionHarness

    /// Cases on what `makeHarness` makes, anew for each rule.
    public init(_ makeHarness: @escaping @Sendable () async throws -> any SessionHarness) {
        self.makeHarness = makeHarness
    }

    /// Tries one rule.
    ///
    /// - Returns: whether it could be tried; a rule that was, and is not kept, is an error.
    /// - Throws: `ContractFailure` that says what was wrong, and what the harness throws.
    @discardableResult
    public func run(_ rule: SessionRule) async throws -> Outcome {
        let harness = try await makeHarness()
        let outcome: Result<Outcome, any Error>
        do { outcome = .success(try await attempt(rule, on: harness)) } catch { outcome = .failure(error) }
        await harness.close()
        return try outcome.get()
    }

    private func attempt(_ rule: SessionRule, on harness: any SessionHarness) async throws -> Outcome {
        if let why = harness.isOutOfReach(rule) { return .notApplicable(why) }
        let server = try RuleServer()
        defer { server.stop() }
        try await SessionTrial(harness: harness, server: server).run(rule)
        return .held
    }
}

/// A rule being tried.
struct SessionTrial: Sendable {
    static let app = SessionConformance.app
    let harness: any SessionHarness
    let server: RuleServer

    func run(_ rule: SessionRule) async throws {
        switch rule {
        case .s1: try await twoApps()
        case .s4: try await oneProcess()
        case .s5: try await invalidated()
        case .s6: try await discretionary()
        case .s7: try await withoutLaunchEvents()
        case .s9: try await resourceTimeout()
        case .s10: try await headers()
        case .t2: try await suspendedAtFirst()
        case .t3: try await delayed()
        case .t5: try await keptWords()
        case .t6: try await pauses()
        case .t7: try await redirects()
        case .t8: try await logsIn()
        case .e1: try await progress()
        case .e2: try await file()
        case .e3: try await notFound()
        case .e4: try await comesAgain()
        case .e5: try await finishedEvents()
        case .e6: try await listed()
        case .e8: try await upload()
        case .l1: try await goesOn()
        case .l2: try await starts()
        case .l4: try await quit()
        case .l5: try await killed()
        case .r1: try await delayGrows()
        case .r6: try await startsOnce()
        }
    }

    // MARK: An app

    /// A process of the app with its session.
    func open(
        _ identifier: String = "s", app: String = SessionTrial.app,
        _ change: (inout BackgroundSessionConfiguration) -> Void = { _ in }
    ) async throws -> TrialProcess {
        var configuration = BackgroundSessionConfiguration(identifier: identifier)
        change(&configuration)
        let process = try await harness.join(as: app)
        do {
            return TrialProcess(
                process: process, session: try await BackgroundSession.open(configuration, over: process.channel))
        } catch {
            await process.leave()
            throw error
        }
    }

    func request(_ answer: ServedAnswer) throws -> URLRequest { try request(at: server.address(answer)) }

    func request(at address: String) throws -> URLRequest {
        guard let url = URL(string: address) else { throw ContractFailure("'\(address)' is no address") }
        return URLRequest(url: url)
    }

    /// Waits until the server gives no more bytes of a file, and the app was told of some.
    ///
    /// Not of all: what comes last before a silence is told a moment later.
    func stalls(_ task: BackgroundTask, _ answer: ServedAnswer, at place: Int) async throws {
        let address = server.address(answer)
        try await until("some bytes") {
            task.countOfBytesReceived > 0
                && server.requests(for: address).contains { ($0.range?.last ?? .max) > place }
        }
    }

    /// Waits until something holds, for as long as a busy machine takes.
    func until(_ what: String, seconds: Int = 60, _ condition: @Sendable () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try await !condition() {
            guard ContinuousClock.now < end else { throw ContractFailure("\(what) was waited for in vain") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
