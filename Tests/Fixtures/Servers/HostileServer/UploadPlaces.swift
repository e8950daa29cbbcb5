// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// What a server of resumable uploads remembers: a place for each, and the faults a test has switched on.
public final class UploadPlaces: Sendable {
    /// One upload.
    public struct Place: Sendable {
        /// How many bytes there will be.
        public var length: Int
        /// What came so far.
        public var bytes: [UInt8] = []
        /// Whether the server has all and has made use of it.
        public var isComplete = false
        /// How many requests have had it; only the latest may add to it.
        var turn = 0
    }

    /// What the server does wrongly.
    public struct Faults: Sendable {
        /// How many bytes of the next body, and of the one after it, are taken before the connection breaks.
        public var cuts: [Int] = []
        /// Whether a cut makes the server forget the upload.
        public var forgetsAtCut = false
        /// What is added to every offset that is told.
        public var offsetError = 0
        /// How many questions are answered with 423, since an earlier request still has the upload.
        public var locks = 0
        /// How many bodies are answered with 503 in the end, with nothing of them lost.
        public var overloads = 0
        /// Whether the server says nothing of going on at all.
        public var offersNothing = false

        /// How many bytes a server of the draft takes in one request, which it says; nil for all.
        public var maximumAppend: Int?
        /// Whether uploads can be deleted.
        public var allowsRemoval = true
        /// Up to what size a server takes uploads, which it says; nil for any.
        public var maximumSize: Int?

        /// Whether every answer but the last closes its connection, so that no body goes over one that was kept.
        public var keepsNoConnection = false

        /// How many microseconds pass after each block of a body.
        public var pause: UInt32 = 0

        /// None.
        public init() {}
    }

    private struct State: Sendable {
        var places: [String: Place] = [:]
        var made = 0
        var faults: Faults
    }
    private let state: Mutex<State>
    private let folder: String

    /// An empty server with those faults; its uploads lie below `folder`.
    public init(_ faults: Faults = Faults(), under folder: String = "/uploads") {
        state = Mutex(State(faults: faults))
        self.folder = folder
    }

    /// The faults, to be switched.
    public var faults: Faults {
        get { state.withLock { $0.faults } }
        set { state.withLock { $0.faults = newValue } }
    }

    /// What came whole, in the order of the places.
    public var complete: [[UInt8]] {
        state.withLock { state in
            state.places.sorted { $0.key < $1.key }.map(\.value).filter(\.isComplete).map(\.bytes)
        }
    }

    /// Makes a place that holds those bytes already, for a test that takes them itself.
    public func begin(length: Int, with bytes: [UInt8]) {
        let path = make(length: length)
        self[path]?.bytes = bytes
    }

    /// How many uploads there are.
    public var count: Int { state.withLock { $0.places.count } }

    /// Makes a place; its path.
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

    /// The place for a request that asks for it or goes on with it: one that came before adds nothing any more, as both
    /// protocols want it, however much of it is still on its way through this server.
    func takeOver(_ path: String) -> Place? {
        state.withLock { state in
            state.places[path]?.turn += 1
            return state.places[path]
        }
    }

    /// Takes one from a fault that happens so many times.
    func spend(_ fault: WritableKeyPath<Faults, Int>) -> Bool {
        state.withLock { state in
            guard state.faults[keyPath: fault] > 0 else { return false }
            state.faults[keyPath: fault] -= 1
            return true
        }
    }

    /// Takes `count` bytes for a place as they come; false where the connection broke, by the client or by a fault, or
    /// another request has taken the place over since `turn`.
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
