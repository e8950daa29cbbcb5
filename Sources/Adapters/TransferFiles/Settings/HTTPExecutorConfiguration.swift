// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The configuration of an executor: folders, limits, and network settings.
///
/// Checked once, when the executor is created.
///
/// ```swift
/// var configuration = HTTPExecutorConfiguration(partialDirectory: "/var/lib/example/partial")
/// configuration.limits = RateLimits(global: 1_000_000)
/// let executor = try HTTPExecutor(configuration: configuration, transport: .curl)
/// ```
public struct HTTPExecutorConfiguration: Hashable, Sendable, Codable {
    /// The common folder for partial files.
    ///
    /// Used for destinations on the same file system. Otherwise, partial files are hidden files in the destination
    /// folder. The folder is created if it is missing, with access only for the owner.
    public var partialDirectory: String
    /// The number of unsynced bytes at which progress is made durable.
    ///
    /// Default 8 MiB.
    public var checkpointBytes: Int64 = 8 << 20
    /// The number of seconds after which progress is made durable.
    ///
    /// Default 2.
    public var checkpointSeconds: Int = 2
    /// The minimum time between two progress reports of a transfer.
    ///
    /// Default 0.25 s.
    public var progressInterval: Duration = .milliseconds(250)
    /// The number of bytes of a volume that always stay free, unless `storageFloorPercent` of the volume is less.
    ///
    /// Default 500 MB.
    public var storageFloorBytes: Int64 = 500_000_000
    /// The percentage of a volume that always stays free, unless `storageFloorBytes` is less.
    ///
    /// Default 5.
    public var storageFloorPercent: Int = 5
    /// The `User-Agent` of transfers that set none.
    ///
    /// Default `background-transfer`.
    public var userAgent: String = "background-transfer"
    /// The initial rate limits. `HTTPExecutor.setLimits` changes them.
    ///
    /// Default no limit.
    public var limits: RateLimits = RateLimits()
    /// The network interfaces that are watched for other programs' traffic (`RateLimits.yieldsToForeground`).
    ///
    /// `nil` watches the interfaces that connect this machine to the network. Default `nil`.
    public var foregroundInterfaces: [String]?
    /// The path of a file with certificates to trust instead of the system's certificates.
    ///
    /// `URLSessionTransport` does not support it. `nil` uses the system's certificates. Default `nil`.
    public var caFile: String?
    /// The URL of the proxy.
    ///
    /// `URLSessionTransport` does not support it. `nil` uses `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy`.
    /// Default `nil`.
    public var proxy: String?
    /// A Boolean value that indicates whether a public server may redirect to this machine or its network.
    ///
    /// Applies to loopback, private, and link-local addresses and to names for local use, such as `localhost`. A server
    /// that is local itself may always redirect there, and a sandboxed program's transfer is never redirected there
    /// by a public server. Default `false`.
    public var allowsLocalRedirects: Bool = false
    /// The number of bytes that must be transferred within `lowSpeedSeconds`. An attempt with fewer bytes fails as
    /// too slow.
    ///
    /// 0 disables the check. Default 1 KiB.
    public var lowSpeedBytes: Int64 = 1024
    /// The duration of the `lowSpeedBytes` check in seconds.
    ///
    /// Default 300.
    public var lowSpeedSeconds: Int = 300

    private enum CodingKeys: String, CodingKey {
        case partialDirectory
        case checkpointBytes
        case checkpointSeconds
        case progressInterval
        case storageFloorBytes
        case storageFloorPercent
        case userAgent
        case limits
        case foregroundInterfaces
        case caFile
        case proxy
        case allowsLocalRedirects
        case lowSpeedBytes
        case lowSpeedSeconds
    }

    /// Creates a configuration with default values.
    ///
    /// - Parameter partialDirectory: The common folder for partial files.
    public init(partialDirectory: String) {
        self.partialDirectory = partialDirectory
    }

    /// Validates the configuration before the executor starts.
    ///
    /// - Throws: `HTTPExecutorError` that names the setting and its remedy.
    public func check() throws(HTTPExecutorError) {
        if let caFile, access(caFile, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            throw HTTPExecutorError(
                code: .unreadableCAFile, message: "The CA file \(caFile) cannot be read: \(reason).")
        }
    }
}

/// An error that prevents the creation of an executor.
public struct HTTPExecutorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: String, Hashable, Sendable {
        /// The CA file cannot be read.
        case unreadableCAFile
        /// The transport does not support the setting.
        case unsupportedSetting
        /// libcurl, which transfers the bytes, is not installed or cannot be loaded.
        case missingLibcurl
    }
    /// The kind of the error.
    public var code: Code
    /// A message of one sentence for the user.
    public var message: String
    /// The message.
    public var description: String { message }

    /// Creates an error with a message of one sentence, which is shown to the user as it is.
    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}
