// SPDX-License-Identifier: Apache-2.0
import Foundation
import RawBus

/// One app of the fuzzer: a connection with its own bus name, and the transfers and sessions it knows.
final class FuzzClient {
    let app: String
    private let address: String
    private(set) var bus: RawBusConnection
    private(set) var known = FuzzKnowledge()
    /// The number of signals received.
    private(set) var signals = 0

    init(app: String, address: String) throws {
        self.app = app
        self.address = address
        bus = try Self.connect(app, address)
    }

    private static func connect(_ app: String, _ address: String) throws -> RawBusConnection {
        let bus = try RawBusConnection(address: address)
        _ = try bus.call(
            "RequestName", of: RawBusConnection.bus, at: "/org/freedesktop/DBus", to: RawBusConnection.bus,
            [.string(app), .uint32(7)])
        return bus
    }

    /// Disconnects without closing anything and connects again.
    func reconnect() throws {
        bus.close()
        bus = try Self.connect(app, address)
        (known.sessions, known.events) = ([], [:])
    }

    /// Waits for the replies to calls, and processes signals that arrive in the meantime.
    ///
    /// - Returns: The replies by serial number. Calls without a reply by the deadline are absent.
    func replies(to serials: Set<UInt32>, within seconds: Int) throws -> [UInt32: WireMessage] {
        var left = serials
        var replies: [UInt32: WireMessage] = [:]
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !left.isEmpty, ContinuousClock.now < deadline {
            guard let message = try bus.receive(milliseconds: 200) else { continue }
            process(message)
            if let serial = message.replySerial, left.remove(serial) != nil { replies[serial] = message }
        }
        return replies
    }

    /// Processes the signals that have arrived.
    func processSignals() throws {
        while let message = try bus.receive(milliseconds: 0) { process(message) }
    }

    private func process(_ message: WireMessage) {
        guard message.kind == .signal, let path = message.path else { return }
        signals += 1
        guard message.member == "Event", let event = try? message.values().first, let number = event["number"]?.number
        else { return }
        known.events[path] = max(known.events[path] ?? 0, number)
    }

    /// Remembers the transfer ids or the session path in a reply.
    func remember(from reply: WireMessage, to call: FuzzCall) {
        guard reply.kind == .reply, let value = try? reply.values().first else { return }
        switch call.member.name {
        case "Submit":
            known.ids += value.members.compactMap(\.number)
            if known.ids.count > 200 { known.ids.removeFirst(known.ids.count - 200) }
        case "OpenSession":
            guard let path = value["path"]?.text, !known.sessions.contains(path) else { return }
            known.sessions.append(path)
        default: break
        }
    }

    /// Ends all transfers and sessions of this app, so that the daemon's memory can be compared.
    func cleanUp() throws {
        let list = try call("List", at: Self.manager, of: Self.managerInterface, [.dictionary([])])
        let ids = list.members.compactMap { $0["id"]?.number }
        if !ids.isEmpty {
            _ = try call(
                "Cancel", at: Self.manager, of: Self.managerInterface, [.array(of: "x", ids.map(WireValue.int64))])
        }
        for path in known.sessions {
            let tasks = try call("Tasks", at: path, of: Self.sessionInterface, []).members
            for number in tasks.compactMap({ $0["task"]?.number }) {
                let order = WireValue.dictionary([("order", .string("cancel")), ("task", .int64(number))])
                _ = try call("Post", at: path, of: Self.sessionInterface, [order])
            }
        }
        try processSignals()
        for (path, number) in known.events where number > 0 {
            for event in max(1, number - 200)...number {
                try send("Acknowledge", at: path, of: Self.sessionInterface, [.int64(event)])
            }
        }
        for path in known.sessions { _ = try call("Close", at: path, of: Self.sessionInterface, []) }
        try processSignals()
        known = FuzzKnowledge()
    }

    static let manager = "/org/transferd/Manager"
    static let managerInterface = "org.transferd.Manager1"
    static let sessionInterface = "org.transferd.Session1"

    private func send(_ member: String, at path: String, of interface: String, _ arguments: [WireValue]) throws {
        var message = WireMessage.call(member, of: interface, at: path, to: "org.transferd", arguments)
        message.expectsNoReply = true
        try bus.send(message)
    }

    /// Calls a method and returns the first value of the reply.
    ///
    /// - Returns: An empty array if the daemon refuses the call, for example because the transfer has already ended.
    /// - Throws: `RawBusError` if no reply arrives within 30 s.
    private func call(
        _ member: String, at path: String, of interface: String, _ arguments: [WireValue]
    ) throws -> WireValue {
        let serial = try bus.send(.call(member, of: interface, at: path, to: "org.transferd", arguments))
        guard let reply = try replies(to: [serial], within: 30)[serial] else {
            throw RawBusError("\(member) at \(path) got no reply within 30 s")
        }
        return reply.kind == .reply ? try reply.values().first ?? .texts([]) : .texts([])
    }
}
