// SPDX-License-Identifier: Apache-2.0
import Glibc
import RawBus

/// The commands of the `HostileCaller` program.
struct HostileCaller {
    let bus: RawBusConnection
    private static let daemon = "org.transferd"

    /// Executes a command.
    ///
    /// - Returns: The line to print.
    func perform(_ words: [String]) throws -> String {
        switch words.first {
        case "call" where words.count >= 6: return try call(words)
        case "flood" where words.count == 7: return try flood(Int(words[1]) ?? 0, Array(words[1...]))
        case "half" where words.count == 6:
            try bus.sendHalf(try message(words))
            exit(0)
        case "leave" where words.count == 6:
            try bus.send(try message(words))
            exit(0)
        case "own" where words.count == 2:
            let reply = try bus.call(
                "RequestName", of: RawBusConnection.bus, at: "/org/freedesktop/DBus", to: RawBusConnection.bus,
                [.string(words[1]), .uint32(4)])
            return reply.kind == .reply ? "owned" : "failed \(reply.errorName ?? "")"
        case "read" where words.count == 3: return try read(Int(words[1]) ?? 0, Int32(words[2]) ?? 0)
        case "signals" where words.count == 2: return try signals(Int32(words[1]) ?? 0)
        case "sees" where words.count == 2: return "\(access(words[1], F_OK) == 0)"
        default: return "failed unknown command \(words.first ?? "")"
        }
    }

    private func message(_ words: [String]) throws -> WireMessage {
        var message = WireMessage.call(words[3], of: words[2], at: words[1], to: Self.daemon)
        message.signature = words[4] == "-" ? "" : words[4]
        message.body = try Hexadecimal.bytes(words[5])
        return message
    }

    private func call(_ words: [String]) throws -> String {
        let files = try words.dropFirst(6).map { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw RawBusError("\(path) cannot be opened: errno \(errno)") }
            return descriptor
        }
        defer { for file in files { close(file) } }
        let reply = try bus.reply(to: try bus.send(try message(words), descriptors: files))
        if reply.kind == .error {
            let text = try reply.values().first?.text ?? ""
            return "error \(reply.errorName ?? "-") \(text.split(whereSeparator: \.isNewline).joined(separator: " "))"
        }
        return "reply \(reply.signature.isEmpty ? "-" : reply.signature) \(Hexadecimal.text(reply.body))"
    }

    /// Sends messages until the bus accepts no more for 3 s, or 15 s have passed. The bus takes more time for each call
    /// that waits for its reply, so on a busy machine the last of many thousands may take minutes to be accepted.
    private func flood(_ count: Int, _ words: [String]) throws -> String {
        let message = try message(words)
        let end = ContinuousClock.now + .seconds(15)
        for sent in 0..<count {
            guard ContinuousClock.now < end else { return "flooded \(sent) until its time was over" }
            do { try bus.send(message, milliseconds: 3000) } catch { return "flooded \(sent) \(error)" }
        }
        return "flooded \(count)"
    }

    /// Reads until `count` replies have arrived, or until no message arrives in time.
    private func read(_ count: Int, _ milliseconds: Int32) throws -> String {
        var (replies, errors) = (0, 0)
        while replies + errors < count, let message = try bus.receive(milliseconds: milliseconds) {
            switch message.kind {
            case .reply: replies += 1
            case .error: errors += 1
            default: break
            }
        }
        return "read \(replies) \(errors)"
    }

    private func signals(_ milliseconds: Int32) throws -> String {
        var members: [String] = []
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while ContinuousClock.now < deadline {
            guard let message = try bus.receive(milliseconds: 50) else { continue }
            if message.kind == .signal, message.sender != RawBusConnection.bus {
                members.append("\(message.path ?? ""):\(message.member ?? "")")
            }
        }
        return "signals \(members.count) \(members.joined(separator: " "))"
    }
}
