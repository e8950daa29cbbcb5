// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// The settings of transfers that the daemon applies to each transfer, and that `get` and `put` apply to all.
struct DaemonSettings {
    /// The policy for these transfers instead of the daemon's policy.
    var policy: String?
    /// The maximum rate of each transfer, in bytes per second.
    var rateLimit: Int64?
    /// The field that replaces the daemon's `User-Agent`.
    var userAgent: HeaderField?
    /// The program to start after each transfer, and its arguments.
    var onComplete: [String]?

    /// Returns the specification with these settings.
    func applied(to specification: TransferSpecification) -> TransferSpecification {
        var specification = specification
        specification.traits.policy = policy
        if let rateLimit { (specification.rateLimit, specification.traits.rateLimit) = (rateLimit, rateLimit) }
        if let userAgent { specification.headers.append(userAgent) }
        specification.onComplete = onComplete
        return specification
    }

    /// Returns the policy of the options after checking its name and its parameters.
    static func policy(_ timing: TimingOptions) throws -> String? {
        _ = try GetPlan.policy(timing.conditions)
        return timing.conditions.policy
    }

    /// Returns the field of `--user-agent`.
    static func userAgent(_ request: RequestOptions) throws -> HeaderField? {
        guard let text = request.userAgent else { return nil }
        guard !request.header.contains(where: { $0.lowercased().hasPrefix("user-agent:") }) else {
            throw UsageError(
                "--user-agent and --header \"User-Agent: \u{2026}\" are mutually exclusive; use one of them")
        }
        let field = HeaderField(name: "User-Agent", value: text)
        guard field.fault == nil else {
            throw UsageError("the value of --user-agent contains a control character or a line break; leave it out")
        }
        return field
    }

    /// Returns the absolute path of the program of `--on-complete`, and its arguments.
    ///
    /// A program without a slash is looked up in `PATH` now, because the daemon may have another `PATH`.
    static func program(_ words: [String]) throws -> [String] {
        guard let name = words.first, !name.isEmpty else { throw UsageError("--on-complete names no program") }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let candidates = try name.contains("/") ? [PathName.absolute(name)] : folders.map { "\($0)/\(name)" }
        guard let path = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw UsageError("--on-complete: no program '\(name)' in PATH; name an executable file")
        }
        return [path] + words.dropFirst()
    }
}
