// SPDX-License-Identifier: Apache-2.0

/// Who carries sessions out, as the rules of background sessions are tried on it.
///
/// Made anew for each rule, and empty at first: no session, no task, no delay. It stands for a machine on mains power, with
/// a network that costs nothing, and reaches 127.0.0.1 and localhost, where the rules' own server is.
///
/// The module SessionHarnesses has two that are ready: the daemon on a bus of its own, and an engine in the process.
public protocol SessionHarness: Sendable {
    /// One more process of an app. There may be several at once, of one app and of others.
    ///
    /// Most rules know one app, ``SessionConformance/app``; S1 has another one beside it.
    func join(as app: String) async throws -> SessionProcess
    /// Who carries the sessions out dies, as by a crash where that is possible, and is there again with what it had saved.
    ///
    /// Returns when sessions can be opened again.
    func restart() async throws
    /// The identifiers of the sessions for which an app was started, or called within a process that went on, so far; the
    /// first one first. Nothing else comes of such a start: the rules join a process themselves.
    func starts(of app: String) async throws -> [String]
    /// The relaunch limiter's delay of an app; zero where it has none.
    func delay(of app: String) async throws -> Duration
    /// A person ends an app for good: a force quit.
    func quit(_ app: String) async throws
    /// From now on the machine is on mains power, or on battery. Called where ``isOutOfReach(_:)`` does not rule S6 out.
    func setMachine(isOnMains: Bool) async throws
    /// Why a rule cannot be tried here, as a part of a sentence after "because"; nil where it can.
    func isOutOfReach(_ rule: SessionRule) -> String?
    /// Ends all that was started and leaves nothing behind. Called once and last, also when the rule was not kept.
    func close() async
}

extension SessionHarness {
    /// Every rule can be tried.
    public func isOutOfReach(_ rule: SessionRule) -> String? { nil }
}
