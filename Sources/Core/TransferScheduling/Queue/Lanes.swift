// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Whose slots a transfer takes: those of its app, of its session and of its host.
struct Lane: Sendable {
    let key: LaneKey
    let app: Int32
    let session: Int32
    let host: Int32
    /// How many may run to the host while one of this lane starts.
    let hostLimit: Int32
    let hasSession: Bool
    /// Transfers that wait or run in it.
    var members: Int32 = 0
    let hash: UInt64
}

struct LaneKey: Hashable, Sendable {
    let app: String
    let session: String?
    let host: String
    let slotsPerHost: Int?

    init(_ traits: borrowing TransferTraits) {
        app = traits.app
        session = traits.session
        host = traits.host
        slotsPerHost = traits.slotsPerHost
    }

    /// Whether this is the key of a transfer's lane.
    @inline(__always)
    func fits(_ traits: borrowing TransferTraits) -> Bool {
        host == traits.host && app == traits.app && session == traits.session && slotsPerHost == traits.slotsPerHost
    }

    /// Finds the lane of a transfer without making a key: sessions are few, so they need not be told apart here.
    @inline(__always)
    static func hash(of traits: borrowing TransferTraits, seed: UInt64) -> UInt64 {
        var hash = NameHash(seed: seed)
        hash.combine(traits.host)
        hash.combine(traits.app)
        return hash.value
    }
}

/// A hash of names by their bytes, eight at a time, each multiplied and folded (as in Wang Yi's wyhash, 2019).
///
/// A fifth of what the library's hasher costs. That tells no names apart that are written differently and yet equal,
/// this one does: such names get two lanes, whose slots are counted together all the same.
struct NameHash {
    private(set) var value: UInt64

    init(seed: UInt64) { value = seed }

    @inline(__always)
    mutating func combine(_ name: String) {
        var hash = self
        let isDone: Void? = name.utf8.withContiguousStorageIfAvailable { hash.combine(UnsafeRawBufferPointer($0)) }
        if isDone == nil { for byte in name.utf8 { hash.fold(UInt64(byte)) } }
        self = hash
    }

    @inline(__always)
    private mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start + 8 <= bytes.count {
            fold(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            start += 8
        }
        // The length tells apart what differs in zeros only.
        var rest = UInt64(truncatingIfNeeded: bytes.count) << 56
        if start < bytes.count, start > 0 {
            rest ^= bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        } else {
            while start < bytes.count {
                rest = rest ^ UInt64(bytes[start]) << UInt64(8 * start)
                start += 1
            }
        }
        fold(rest)
    }

    @inline(__always)
    private mutating func fold(_ word: UInt64) {
        let (high, low) = (value ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        value = high ^ low ^ 0xA076_1D64_78BD_642F
    }
}

/// Slots that are counted together, and the buckets that wait for one of them.
struct SlotGroup: Sendable {
    var name = ""
    var running: Int32 = 0
    /// Of a session the transfers that wait or run in it, of a host its lanes.
    var members: Int32 = 0
    /// Numbers of buckets; for an app of app queues.
    var parked: [Int32] = []
    /// When an app's latest start was, counted over all starts.
    var lastTurn: Int64 = 0
}

/// Names made numbers: all hosts, apps and sessions of transfers that wait or run.
struct Lanes: ~Copyable, Sendable {
    var lanes = Pages<Lane>()
    var apps = Pages<SlotGroup>()
    var sessions = Pages<SlotGroup>()
    var hosts = Pages<SlotGroup>()
    private var laneIndex = NumberIndex()
    /// The one that was joined last: who hands over many transfers often does so for one server.
    private var last = TransferRecord.none
    /// Apps keep their number for good: their turns count even while they have nothing to do.
    private var appNumbers: [String: Int32] = [:]
    private var sessionNumbers: [SessionKey: Int32] = [:]
    private var hostNumbers: [String: Int32] = [:]
    private let slotsPerHost: Int
    /// Another one in each run, so that nobody can make up names that fall together.
    private let seed = UInt64(bitPattern: Int64(Hasher().finalize()))

    private struct SessionKey: Hashable {
        let app: Int32
        let session: String?
    }

    init(slotsPerHost: Int) { self.slotsPerHost = max(1, slotsPerHost) }

    /// The lane of a transfer, counting it in.
    mutating func join(_ traits: borrowing TransferTraits) -> Int32 {
        let number: Int32
        if last != TransferRecord.none, lanes[last].pointee.key.fits(traits) {
            number = last
        } else {
            let hash = LaneKey.hash(of: traits, seed: seed)
            number = find(hash, traits) ?? add(LaneKey(traits), hash)
            last = number
        }
        join(again: number)
        return number
    }

    /// Counts another transfer of a lane in.
    @inline(__always)
    mutating func join(again number: Int32) {
        lanes[number].pointee.members += 1
        sessions[lanes[number].pointee.session].pointee.members += 1
    }

    /// The lane of a transfer that was counted in.
    func find(_ traits: borrowing TransferTraits) -> Int32? { find(LaneKey.hash(of: traits, seed: seed), traits) }

    @inline(__always)
    private func find(_ hash: UInt64, _ traits: borrowing TransferTraits) -> Int32? {
        var slot = laneIndex.start(hash)
        while let number = laneIndex.next(&slot) {
            if lanes[number].pointee.hash == hash, lanes[number].pointee.key.fits(traits) { return number }
        }
        return nil
    }

    /// How many transfers of the same app and session there are.
    func sessionMembers(of traits: borrowing TransferTraits) -> Int {
        guard let app = appNumbers[traits.app],
            let session = sessionNumbers[SessionKey(app: app, session: traits.session)]
        else { return 0 }
        return Int(sessions[session].pointee.members)
    }

    /// A transfer leaves its lane, which is forgotten with the last one.
    mutating func leave(_ number: Int32) {
        sessions[lanes[number].pointee.session].pointee.members -= 1
        lanes[number].pointee.members -= 1
        guard lanes[number].pointee.members == 0 else { return }
        let lane = lanes[number].pointee
        if last == number { last = TransferRecord.none }
        laneIndex.remove(lane.hash, number) { lanes[$0].pointee.hash }
        lanes.release(number)
        hosts[lane.host].pointee.members -= 1
        if hosts[lane.host].pointee.members == 0 {
            hostNumbers[lane.key.host] = nil
            hosts.release(lane.host)
        }
        if sessions[lane.session].pointee.members == 0 {
            sessionNumbers[SessionKey(app: lane.app, session: lane.key.session)] = nil
            sessions.release(lane.session)
        }
    }

    private mutating func add(_ key: LaneKey, _ hash: UInt64) -> Int32 {
        let app = appNumbers[key.app] ?? apps.take(SlotGroup(name: key.app))
        appNumbers[key.app] = app
        let sessionKey = SessionKey(app: app, session: key.session)
        let session = sessionNumbers[sessionKey] ?? sessions.take(SlotGroup())
        sessionNumbers[sessionKey] = session
        let host = hostNumbers[key.host] ?? hosts.take(SlotGroup())
        hostNumbers[key.host] = host
        hosts[host].pointee.members += 1
        let limit = Int32(clamping: max(1, key.slotsPerHost ?? slotsPerHost))
        let number = lanes.take(
            Lane(
                key: key, app: app, session: session, host: host, hostLimit: limit, hasSession: key.session != nil,
                hash: hash))
        laneIndex.insert(hash, number) { lanes[$0].pointee.hash }
        return number
    }
}
