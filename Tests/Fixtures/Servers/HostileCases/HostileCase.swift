// SPDX-License-Identifier: Apache-2.0
import HTTPExecutor
public import HostileServer
internal import TransferEngine
public import TransferModel
internal import TransferPolicy

/// One way in which a server misbehaves, with the expected outcome and the requests that the server must receive.
///
/// The requested file has 1000 bytes and the entity tag `"v1"`. After a temporary failure, the server behaves correctly,
/// and another attempt must end with the correct file. `HostileCaseRunner` runs that attempt.
public struct HostileCase: Sendable, CustomStringConvertible {
    /// A closure that responds to a request of the case.
    public typealias Responder = @Sendable (HostileRequest, HostileConnection, HostileEnvironment) -> Void

    /// The expected outcome of a case.
    public indirect enum Ending: Hashable, Sendable {
        /// The correct file, byte for byte.
        case file
        /// A file with the given bytes.
        case bytes([UInt8])
        /// The server's final response with the given status, and no file.
        case response(Int)
        /// A failure. The number of bytes kept for the next attempt is in the given range.
        case failure(FailureCause, keeping: ClosedRange<Int64> = 0...0)
        /// The correct file or a temporary failure, but never wrong bytes and never a hang.
        case orderly
        /// One of several outcomes, for example if a broken connection races with earlier bytes.
        case oneOf([Ending])
    }

    /// The difference in the outcome over `URLSessionTransport`.
    public enum UnderURLSession: Hashable, Sendable {
        /// No difference.
        case same
        /// Another outcome. The server may receive other requests.
        case ends(Ending)
        /// FoundationNetworking ends or freezes the process, so the case cannot run.
        case endsProcess
        /// The case cannot be set up.
        case impossible
    }

    /// A description of the misbehavior.
    public var name: String
    /// The expected outcome over `CurlTransport`.
    public var ending: Ending
    /// The difference in the outcome over `URLSessionTransport`.
    public var underURLSession: UnderURLSession = .same
    /// The requests of the first attempt as target, range, and condition. `nil` accepts any requests.
    public var saw: [String]?
    var respond: Responder
    var greeting: HostileServer.Greeting?
    /// The number of bytes that an earlier attempt left, and their version.
    var earlier: (count: Int, version: Validator)?
    var path = "/f"
    var fault: HostileAuthority.Fault?
    var listen: @Sendable (inout HostileServerOptions) -> Void = { _ in }
    var configure: @Sendable (inout HTTPExecutorConfiguration) -> Void = { _ in }
    var specify: @Sendable (inout TransferSpecification, HostileEnvironment) -> Void = { _, _ in }
    /// A closure that prepares the server before the first attempt. Runs on a separate thread.
    var prepare: @Sendable (HostileEnvironment) -> Void = { _ in }
    /// A closure that inspects the server after the first attempt and returns a sentence for each problem.
    var inspect: @Sendable (HostileEnvironment) -> [String] = { _ in [] }
    /// The retry delay that a failure must report. The outer `nil` accepts any delay.
    var retryAfter: Int64??
    /// A Boolean value that indicates whether the next attempt gets a correct server.
    var recovers = true

    /// The name of the case.
    public var description: String { name }

    init(_ name: String, _ ending: Ending, saw: [String]? = nil, respond: @escaping Responder) {
        self.name = name
        self.ending = ending
        self.saw = saw
        self.respond = respond
    }

    /// Returns a copy of this case with a change.
    func with(_ change: (inout HostileCase) -> Void) -> HostileCase {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns a copy of this case with another outcome over `URLSessionTransport`.
    func underURLSession(_ ending: Ending) -> HostileCase { with { $0.underURLSession = .ends(ending) } }
    /// A copy of this case that ends the process over `URLSessionTransport`.
    var endsProcessUnderURLSession: HostileCase { with { $0.underURLSession = .endsProcess } }
    /// Returns a copy of this case that starts with bytes from an earlier attempt.
    func after(_ count: Int, tag: String? = "\"v1\"", modified: String? = nil) -> HostileCase {
        with { $0.earlier = (count, Validator(entityTag: tag, lastModified: modified)) }
    }

    /// All cases.
    public static let all: [HostileCase] =
        truncation + chunkedTruncation + lengths + ranges + versions + codings + heads + interims + times + redirects
        + responses + connections + certificates
}

extension HostileCase {
    /// A request for the whole file, as written in `saw`.
    static let whole = "/f whole"
    /// The request of an attempt that continues after 400 bytes.
    static let rest = "/f 400- if \"v1\""
}
