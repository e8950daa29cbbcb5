// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

/// Notices a server that says nothing, or next to nothing, by looking twice a second.
///
/// All times are nanoseconds of `MonotonicTime`.
struct SilenceWatch {
    /// The fault of a server that was noticed.
    enum Finding: Hashable {
        /// Nothing for so many seconds.
        case silence(seconds: Int)
        /// Only so many bytes in so many seconds.
        case slowness(bytes: Int64, seconds: Int)

        /// The failure of the server at `host`.
        ///
        /// - Parameter isSending: whether bytes go there rather than come from there.
        func failure(of host: String, isSending: Bool = false) -> TransferFailure {
            switch self {
            case .silence(let seconds):
                let what = isSending ? "neither took nor sent anything" : "sent nothing"
                return TransferFailure(cause: .timeout, message: "\(host) \(what) for \(seconds) s.")
            case .slowness(let bytes, let seconds):
                let what = isSending ? "Only \(bytes) bytes went to \(host)" : "\(host) sent only \(bytes) bytes"
                return TransferFailure(cause: .tooSlow, message: "\(what) in \(seconds) s.")
            }
        }
    }

    private(set) var lastActivity: UInt64 = 0
    private var windowStart: UInt64 = 0
    private var windowBytes: Int64 = 0
    private var lastTick: UInt64 = 0
    /// Ticks come twice a second; after this many nanoseconds without one we did not run.
    private static let longestTick: UInt64 = 2_000_000_000

    /// A request goes out.
    mutating func begin(now: UInt64) {
        lastActivity = now
        windowStart = now
        windowBytes = 0
    }

    /// So many bytes came or went at that time.
    mutating func moved(_ bytes: Int64, at now: UInt64) {
        lastActivity = max(lastActivity, now)
        windowBytes += bytes
    }

    /// Leaves out the time in which we did not run (Ctrl-Z, a suspended machine), and returns it. At each tick, before
    /// anything else.
    @discardableResult
    mutating func tick(now: UInt64) -> UInt64 {
        defer { lastTick = now }
        guard lastTick > 0, now > lastTick, now - lastTick > Self.longestTick else { return 0 }
        let gap = now - lastTick
        lastActivity = min(now, lastActivity + gap)
        windowStart = min(now, windowStart + gap)
        return gap
    }

    /// What there is to be noticed, silence only where it has a limit in seconds; `idle` tells how much of the time since
    /// then was not held up by ourselves.
    mutating func finding(
        now: UInt64, idleLimit: Int?, configuration: URLSessionExecutorConfiguration, idle: (UInt64) -> UInt64
    ) -> Finding? {
        if let limit = idleLimit.map({ max(1, $0) }), idle(lastActivity) >= UInt64(limit) * 1_000_000_000 {
            return .silence(seconds: limit)
        }
        let seconds = max(1, configuration.lowSpeedSeconds)
        let window = UInt64(seconds) * 1_000_000_000
        guard now >= windowStart, now - windowStart >= window else { return nil }
        if windowBytes < configuration.lowSpeedBytes, idle(windowStart) >= window {
            return .slowness(bytes: windowBytes, seconds: seconds)
        }
        windowStart = now
        windowBytes = 0
        return nil
    }
}
