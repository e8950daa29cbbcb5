// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How the executor works: folders, limits, and the network's settings.
///
/// Checked once, when the executor is made.
public struct URLSessionExecutorConfiguration: Hashable, Sendable, Codable {
    /// The folder for partial files, used where it is on the destination's file system; else they lie hidden beside the
    /// destination.
    ///
    /// Made when missing, for the owner only.
    public var partialDirectory: String
    /// Unsynced bytes at which progress is made durable.
    ///
    /// Default 8 MiB.
    public var checkpointBytes: Int64 = 8 << 20
    /// Seconds after which progress is made durable.
    ///
    /// Default 2.
    public var checkpointSeconds: Int = 2
    /// The least time between two progress reports of a transfer.
    ///
    /// Default 0.25 s.
    public var progressInterval: Duration = .milliseconds(250)
    /// How much the first request of an attempt asks for, in bytes.
    ///
    /// Default 64 KiB.
    public var firstRequestBytes: Int64 = 65536
    /// Bytes of a volume that always stay free, where that is less than `storageFloorPercent`.
    ///
    /// Default 500 MB.
    public var storageFloorBytes: Int64 = 500_000_000
    /// Percent of a volume that always stay free, where that is less than `storageFloorBytes`.
    ///
    /// Default 5.
    public var storageFloorPercent: Int = 5
    /// `User-Agent` where a transfer sets none.
    public var userAgent: String = "background-transfer"
    /// How fast transfers may be at first; `URLSessionExecutor.setLimits` changes it.
    ///
    /// Default no limit.
    public var limits: RateLimits = RateLimits()
    /// The network interfaces on which others are yielded to (`RateLimits.yieldsToForeground`); nil finds those that lead
    /// out of this machine.
    public var foregroundInterfaces: [String]?
    /// A file of certificates to trust instead of the system's; nil for the system's.
    ///
    /// Needs the repair.
    public var caFile: String?
    /// The proxy's URL; nil leaves it to `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    ///
    /// Needs the repair.
    public var proxy: String?
    /// Whether FoundationNetworking's faults are mended (see URLSessionRepair).
    ///
    /// `TRANSFER_URLSESSION_REPAIR=off` in the environment switches it off too. Default true.
    ///
    /// Without it transfers are slower, no URL with an IPv6 address can be fetched, and a server that sends chunked
    /// trailers, a head that is cut, a redirect that cannot be resolved or a `Content-Length` near 2^63 ends the process;
    /// a redirect whose body never ends freezes it.
    ///
    /// There is one repair in a process: the executor made last decides, also on buffer, CA file and proxy.
    public var usesRepair: Bool = true
    /// Fewer bytes than this in `lowSpeedSeconds` fail an attempt as too slow; 0 never.
    ///
    /// Default 1 KiB.
    public var lowSpeedBytes: Int64 = 1024
    /// See `lowSpeedBytes`.
    ///
    /// Default 300.
    public var lowSpeedSeconds: Int = 300

    /// The defaults, with partial files in that folder.
    public init(partialDirectory: String) {
        self.partialDirectory = partialDirectory
    }

    /// Looks at what can be wrong before anything is done.
    ///
    /// - Throws: `URLSessionExecutorError` that names the setting and what would be right.
    public func check() throws(URLSessionExecutorError) {
        if let caFile, access(caFile, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            throw URLSessionExecutorError(
                code: .unreadableCAFile, message: "The CA file \(caFile) cannot be read: \(reason).")
        }
        if !wantsRepair, let error = needsRepair { throw error }
    }

    /// Whether the repair is asked for, here and in the environment.
    package var wantsRepair: Bool {
        usesRepair && getenv("TRANSFER_URLSESSION_REPAIR").map { String(cString: $0) } != "off"
    }

    /// What cannot be had without the repair; nil where nothing of the kind is asked for.
    package var needsRepair: URLSessionExecutorError? {
        if caFile != nil {
            return URLSessionExecutorError(
                code: .needsRepair, message: "A CA file can only be given while the repair of URLSession is on.")
        }
        if proxy != nil {
            let message =
                "A proxy can only be given while the repair of URLSession is on; set http_proxy and https_proxy instead."
            return URLSessionExecutorError(code: .needsRepair, message: message)
        }
        return nil
    }
}

/// Why an executor cannot be made.
public struct URLSessionExecutorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Code: String, Hashable, Sendable {
        /// The CA file cannot be read.
        case unreadableCAFile
        /// The setting works only with the repair, which is off or could not be put in place.
        case needsRepair
    }
    /// What kind of fault it is.
    public var code: Code
    /// One sentence for people.
    public var message: String
    /// The message.
    public var description: String { message }
}
