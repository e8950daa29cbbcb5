// SPDX-License-Identifier: Apache-2.0
public import HostileServer
internal import TransferEngine
public import TransferModel
internal import TransferPolicy
import URLSessionExecutor

/// One way in which a server misbehaves, what must come out, and what the server must have seen.
///
/// The file that is asked for has 1000 bytes and the tag `"v1"`; a first request asks for 400 of them. After a failure
/// that may pass the server is mended, and another attempt must end with the right file: `HostileTrial` sees to it.
public struct HostileCase: Sendable, CustomStringConvertible {
    /// Answers a request of the case.
    public typealias Answer = @Sendable (HostileRequest, HostileConnection, HostileScene) -> Void

    /// What must come out.
    public indirect enum Ending: Hashable, Sendable {
        /// The file, right to the byte.
        case file
        /// A file of those bytes.
        case bytes([UInt8])
        /// The server's final answer, and no file.
        case answer(Int)
        /// A failure; so many bytes are kept for the next attempt.
        case failure(FailureCause, keeping: ClosedRange<Int64> = 0...0)
        /// The right file, or a failure that may pass: never wrong bytes, never a hang.
        case orderly
        /// One of these: where two things race, as a break and what was sent before it.
        case oneOf([Ending])
    }

    /// What is different where the repair of URLSession is off.
    public enum WithoutRepair: Hashable, Sendable {
        /// Nothing.
        case same
        /// It ends otherwise, and the server may see other requests.
        case ends(Ending)
        /// FoundationNetworking ends the process, or freezes it: only for executors that have one of their own.
        case endsProcess
        /// The case cannot be set up.
        case impossible
    }

    /// What happens, as a sentence.
    public var name: String
    /// What must come out with the repair.
    public var ending: Ending
    /// What is different without.
    public var withoutRepair: WithoutRepair = .same
    /// The first attempt's requests: target, range, condition; nil where that is left open.
    public var saw: [String]?
    var answer: Answer
    var greeting: HostileServer.Greeting?
    /// How many bytes an earlier attempt left, of which version.
    var earlier: (count: Int, tag: String?)?
    var path = "/f"
    var fault: HostileAuthority.Fault?
    var listen: @Sendable (inout HostileServerOptions) -> Void = { _ in }
    var configure: @Sendable (inout URLSessionExecutorConfiguration) -> Void = { _ in }
    var specify: @Sendable (inout TransferSpecification, HostileScene) -> Void = { _, _ in }
    /// Does something to the server before the first attempt; on a thread of its own.
    var prepare: @Sendable (HostileScene) -> Void = { _ in }
    /// Looks at the server after the first attempt; a sentence for whatever is wrong.
    var inspect: @Sendable (HostileScene) -> [String] = { _ in [] }
    /// What a failure must say about when to come back; nil where that is left open.
    var retryAfter: Int64??
    /// Whether the next attempt meets a good server.
    var canBeMended = true

    /// The name.
    public var description: String { name }

    init(_ name: String, _ ending: Ending, saw: [String]? = nil, answer: @escaping Answer) {
        self.name = name
        self.ending = ending
        self.saw = saw
        self.answer = answer
    }

    /// The same case, changed.
    func with(_ change: (inout HostileCase) -> Void) -> HostileCase {
        var copy = self
        change(&copy)
        return copy
    }

    /// The same case, ending otherwise without the repair.
    func withoutRepair(_ ending: Ending) -> HostileCase { with { $0.withoutRepair = .ends(ending) } }
    /// The same case, which ends the process without the repair.
    var endsProcessWithoutRepair: HostileCase { with { $0.withoutRepair = .endsProcess } }
    /// The same case, on top of bytes from an earlier attempt.
    func after(_ count: Int, tag: String? = "\"v1\"") -> HostileCase { with { $0.earlier = (count, tag) } }

    /// Every case.
    public static let all: [HostileCase] =
        truncation + chunkedTruncation + lengths + ranges + versions + codings + heads + interims + times + redirects
        + answers + connections + certificates
}

extension HostileCase {
    /// What the first request of a fresh attempt is written as in `saw`.
    static let first = "/f 0-399"
    /// The second.
    static let rest = "/f 400- if \"v1\""
    /// One for the whole.
    static let whole = "/f whole"
}
