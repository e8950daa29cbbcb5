// SPDX-License-Identifier: Apache-2.0
import LinuxKernel
internal import TransferModel

/// Detects servers that are silent or too slow by checking twice a second.
///
/// All times are nanoseconds of `MonotonicTime`.
struct StallDetector {
    /// A detected fault of a server.
    enum Fault: Hashable {
        /// The server sent nothing for this number of seconds.
        case silence(seconds: Int)
        /// Only this number of bytes was transferred in this number of seconds.
        case slowness(bytes: Int64, seconds: Int)

        /// Returns the failure of the server at `host`.
        ///
        /// - Parameters:
        ///   - host: The host for the message.
        ///   - isSending: Whether the attempt uploads to the server.
        func failure(of host: String, isSending: Bool = false) -> TransferFailure {
            switch self {
            case .silence(let seconds):
                let what = isSending ? "neither accepted nor sent data" : "sent no data"
                return TransferFailure(cause: .timeout, message: "\(host) \(what) for \(seconds) s.")
            case .slowness(let bytes, let seconds):
                let what = isSending ? "Only \(bytes) bytes were sent to \(host)" : "\(host) sent only \(bytes) bytes"
                return TransferFailure(cause: .tooSlow, message: "\(what) in \(seconds) s.")
            }
        }
    }

    private(set) var lastActivity: UInt64 = 0
    private var windowStart: UInt64 = 0
    private var windowBytes: Int64 = 0
    private var lastTick: UInt64 = 0
    /// The longest time between two ticks in nanoseconds. Ticks come twice a second, so a longer gap means that this
    /// process did not run.
    private static let longestTick: UInt64 = 2_000_000_000

    /// Records that a request is sent.
    mutating func begin(now: UInt64) {
        lastActivity = now
        windowStart = now
        windowBytes = 0
    }

    /// Records that bytes were received or sent at `now`.
    mutating func moved(_ bytes: Int64, at now: UInt64) {
        lastActivity = max(lastActivity, now)
        windowBytes += bytes
    }

    /// Excludes and returns the time during which this process did not run (Ctrl-Z, a suspended machine).
    ///
    /// Must be called first at each tick.
    @discardableResult
    mutating func tick(now: UInt64) -> UInt64 {
        defer { lastTick = now }
        guard lastTick > 0, now > lastTick, now - lastTick > Self.longestTick else { return 0 }
        let gap = now - lastTick
        lastActivity = min(now, lastActivity + gap)
        windowStart = min(now, windowStart + gap)
        return gap
    }

    /// Returns the fault of the server, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - idleLimit: The longest silence in seconds, at least 1. If `nil`, silence is not a fault.
    ///   - configuration: The configuration with the limits for slow servers.
    ///   - idle: A closure that returns the nanoseconds since a time, without the delays that this process caused.
    mutating func fault(
        now: UInt64, idleLimit: Int?, configuration: HTTPExecutorConfiguration, idle: (UInt64) -> UInt64
    ) -> Fault? {
        if let limit = idleLimit.map({ max(1, $0) }),
            idle(lastActivity) >= MonotonicTime.nanoseconds(ofSeconds: limit)
        {
            return .silence(seconds: limit)
        }
        let seconds = max(1, configuration.lowSpeedSeconds)
        let window = MonotonicTime.nanoseconds(ofSeconds: seconds)
        guard now >= windowStart, now - windowStart >= window else { return nil }
        if windowBytes < configuration.lowSpeedBytes, idle(windowStart) >= window {
            return .slowness(bytes: windowBytes, seconds: seconds)
        }
        windowStart = now
        windowBytes = 0
        return nil
    }
}
