// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The uploads of a server for resumable uploads, and the faults that a test has enabled.
public final class UploadStore: Sendable {
    /// The state of one upload.
    public struct Upload: Sendable {
        /// The total length in bytes.
        public var length: Int
        /// The bytes received so far.
        public var bytes: [UInt8] = []
        /// A Boolean value that indicates whether the server has received and processed the complete upload.
        public var isComplete = false
        /// The number of requests that have claimed the upload. Only the latest request may append bytes.
        var turn = 0
    }

    /// The faults of the server.
    public struct Faults: Sendable {
        /// The number of bytes received from each of the next bodies before the connection breaks.
        public var cuts: [Int] = []
        /// A Boolean value that indicates whether the server offers no resumption at all.
        public var offersNoResumption = false
        /// A Boolean value that indicates whether uploads can be deleted.
        public var allowsRemoval = true

        /// A Boolean value that indicates whether every response but the last closes its connection.
        ///
        /// No body is then sent over a reused connection.
        public var closesConnections = false

        /// The pause after each block of a body, in microseconds.
        public var pause: UInt32 = 0

        /// Creates a value without faults.
        public init() {}
    }

    private struct State: Sendable {
        var uploads: [String: Upload] = [:]
        var created = 0
        var faults: Faults
    }
    private let state: Mutex<State>
    private let folder: String

    /// Creates an empty set of uploads with the given faults. The uploads have paths below `folder`.
    public init(_ faults: Faults = Faults(), under folder: String = "/uploads") {
        state = Mutex(State(faults: faults))
        self.folder = folder
    }

    /// The faults. A test may change them while the server runs.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// The bytes of each complete upload, in the order of the paths.
    public var complete: [[UInt8]] {
        state.withLock { state in
            state.uploads.sorted { $0.key < $1.key }.map(\.value).filter(\.isComplete).map(\.bytes)
        }
    }

    /// Adds an upload that already has some bytes, for a test that receives them itself.
    public func begin(length: Int, with bytes: [UInt8]) {
        let path = make(length: length)
        self[path]?.bytes = bytes
    }

    /// The number of uploads.
    public var count: Int { state.withLock { $0.uploads.count } }

    /// Adds an upload and returns its path.
    func make(length: Int) -> String {
        state.withLock { state in
            state.created += 1
            let path = "\(folder)/\(state.created)"
            state.uploads[path] = Upload(length: length)
            return path
        }
    }

    subscript(path: String) -> Upload? {
        get { state.withLock { $0.uploads[path] } }
        set { state.withLock { $0.uploads[path] = newValue } }
    }

    /// Claims the upload for a request that queries or continues it.
    ///
    /// Earlier requests can no longer append bytes, even bytes that are already on their way through this server.
    /// Both protocols require this.
    ///
    /// - Returns: The upload, or `nil` if none has this path.
    func claim(_ path: String) -> Upload? {
        state.withLock { state in
            state.uploads[path]?.turn += 1
            return state.uploads[path]
        }
    }

    /// Receives `count` bytes for an upload as they arrive.
    ///
    /// - Returns: `false` if the client or a fault broke the connection, or if another request has claimed
    ///   the upload since `turn`.
    func receive(_ count: Int, for path: String, turn: Int = 0, from connection: HostileConnection) -> Bool {
        let (cut, pause) = state.withLock { state in
            (state.faults.cuts.isEmpty ? nil : state.faults.cuts.removeFirst(), state.faults.pause)
        }
        let expected = min(cut ?? count, count)
        var received = 0
        while received < expected {
            let block = connection.readBytes(min(65536, expected - received))
            if block.isEmpty { return false }
            received += block.count
            let isOurs = state.withLock { state in
                guard state.uploads[path].map({ $0.turn == turn }) ?? true else { return false }
                state.uploads[path]?.bytes += block
                return true
            }
            guard isOurs else {
                connection.reset()
                return false
            }
            if pause > 0 { usleep(pause) }
        }
        guard expected == count else {
            connection.reset()
            return false
        }
        return true
    }
}
