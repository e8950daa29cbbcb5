// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// The uploads of a server for resumable uploads, and the faults that a test has enabled.
public final class UploadPlaces: Sendable {
    /// The state of one upload.
    public struct Place: Sendable {
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
        /// A Boolean value that indicates whether a cut makes the server forget the upload.
        public var forgetsAtCut = false
        /// The number added to every reported offset.
        public var offsetError = 0
        /// The number of offset requests to answer with 423, as if an earlier request still held the upload.
        public var locks = 0
        /// The number of complete bodies to answer with 503. The received bytes are kept.
        public var overloads = 0
        /// A Boolean value that indicates whether the server offers no resumption at all.
        public var offersNothing = false

        /// The announced maximum number of bytes per request of a draft server, or `nil` for no limit.
        public var maximumAppend: Int?
        /// A Boolean value that indicates whether uploads can be deleted.
        public var allowsRemoval = true
        /// The announced maximum size of an upload, or `nil` for no limit.
        public var maximumSize: Int?

        /// A Boolean value that indicates whether every answer but the last closes its connection.
        ///
        /// No body is then sent over a reused connection.
        public var keepsNoConnection = false

        /// The pause after each block of a body, in microseconds.
        public var pause: UInt32 = 0

        /// Creates a value without faults.
        public init() {}
    }

    private struct State: Sendable {
        var places: [String: Place] = [:]
        var made = 0
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
            state.places.sorted { $0.key < $1.key }.map(\.value).filter(\.isComplete).map(\.bytes)
        }
    }

    /// Adds an upload that already has some bytes, for a test that receives them itself.
    public func begin(length: Int, with bytes: [UInt8]) {
        let path = make(length: length)
        self[path]?.bytes = bytes
    }

    /// The number of uploads.
    public var count: Int { state.withLock { $0.places.count } }

    /// Adds an upload and returns its path.
    func make(length: Int) -> String {
        state.withLock { state in
            state.made += 1
            let path = "\(folder)/\(state.made)"
            state.places[path] = Place(length: length)
            return path
        }
    }

    subscript(path: String) -> Place? {
        get { state.withLock { $0.places[path] } }
        set { state.withLock { $0.places[path] = newValue } }
    }

    /// Claims the upload for a request that queries or continues it.
    ///
    /// Earlier requests can no longer append bytes, even bytes that are already on their way through this server.
    /// Both protocols require this.
    ///
    /// - Returns: The upload, or `nil` if none has this path.
    func takeOver(_ path: String) -> Place? {
        state.withLock { state in
            state.places[path]?.turn += 1
            return state.places[path]
        }
    }

    /// Uses up one occurrence of a counted fault. Returns `false` if none is left.
    func spend(_ fault: WritableKeyPath<Faults, Int>) -> Bool {
        state.withLock { state in
            guard state.faults[keyPath: fault] > 0 else { return false }
            state.faults[keyPath: fault] -= 1
            return true
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
        let wanted = min(cut ?? count, count)
        var taken = 0
        while taken < wanted {
            let block = connection.readBytes(min(65536, wanted - taken))
            if block.isEmpty { return false }
            taken += block.count
            let isOurs = state.withLock { state in
                guard state.places[path].map({ $0.turn == turn }) ?? true else { return false }
                state.places[path]?.bytes += block
                return true
            }
            guard isOurs else {
                connection.reset()
                return false
            }
            if pause > 0 { usleep(pause) }
        }
        guard wanted == count else {
            if faults.forgetsAtCut { self[path] = nil }
            connection.reset()
            return false
        }
        return true
    }
}
