// SPDX-License-Identifier: Apache-2.0
import Foundation
import RawBus

/// The daemon's health, as seen by an independent caller and by the kernel.
final class DaemonHealth {
    private let bus: RawBusConnection
    private let process: Int32
    /// The longest time that the independent caller waited for a reply.
    private(set) var longest = Duration.zero

    init(address: String, process: Int32) throws {
        bus = try RawBusConnection(address: address)
        self.process = process
    }

    /// A Boolean value that indicates whether the process exists and is not a zombie.
    var isAlive: Bool {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return false }
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
        return fields?.first.map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// Measures the time until an independent caller gets a reply.
    ///
    /// - Returns: The time, or `nil` if no valid reply arrives within 30 s.
    func responseTime() throws -> Duration? {
        let begun = ContinuousClock.now
        let arguments: [WireValue] = [.string("org.transferd.Manager1"), .string("Version")]
        let message = WireMessage.call(
            "Get", of: "org.freedesktop.DBus.Properties", at: FuzzClient.manager, to: "org.transferd", arguments)
        let serial = try bus.send(message)
        guard let reply = try? bus.reply(to: serial, milliseconds: 30_000), reply.kind == .reply else { return nil }
        let time = ContinuousClock.now - begun
        longest = max(longest, time)
        return time
    }

    /// Resident anonymous memory in kilobytes. File-backed pages are not counted.
    var kilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }

    var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0 }
}
