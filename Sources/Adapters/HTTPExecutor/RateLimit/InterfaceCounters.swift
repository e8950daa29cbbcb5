// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The number of bytes that each network interface has received and sent since it came up.
struct InterfaceCounters: Hashable, Sendable {
    var received: [String: Int64] = [:]
    var sent: [String: Int64] = [:]

    /// Parses the contents of `/proc/net/dev`.
    ///
    /// The file has two lines of headings. Each further line contains `name: ` and sixteen numbers (proc(5)).
    init(decoding text: String) {
        for line in text.split(separator: "\n") {
            guard let colon = line.lastIndex(of: ":") else { continue }
            let name = line[..<colon].drop { $0 == " " }
            let numbers = line[line.index(after: colon)...].split(separator: " ").map { Int64($0) }
            guard numbers.count >= 16, let received = numbers[0], let sent = numbers[8] else { continue }
            self.received[String(name)] = received
            self.sent[String(name)] = sent
        }
    }

    /// Returns the kernel's current counters, or `nil` if they cannot be read.
    static func read() -> InterfaceCounters? {
        guard let file = fopen("/proc/net/dev", "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16384)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return InterfaceCounters(decoding: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the bytes that crossed the named interfaces since `earlier`.
    ///
    /// An interface that is new, or whose counter restarted, contributes nothing to this reading.
    func since(_ earlier: InterfaceCounters, on names: Set<String>) -> (received: Int64, sent: Int64) {
        func sum(_ now: [String: Int64], _ then: [String: Int64]) -> Int64 {
            now.reduce(0) { sum, entry in
                guard names.contains(entry.key), let before = then[entry.key], entry.value > before else { return sum }
                return sum.addingSaturated(entry.value - before)
            }
        }
        return (sum(received, earlier.received), sum(sent, earlier.sent))
    }

    /// Returns the interfaces that connect this machine to the network.
    ///
    /// These are the interfaces with a device, because bridges and tunnels count the same bytes again. If no
    /// interface has a device (as in containers and network namespaces), returns every interface except the loopback.
    func leadingOut(hasDevice: (String) -> Bool = { access("/sys/class/net/\($0)/device", F_OK) == 0 }) -> Set<String> {
        let all = Set(received.keys).subtracting(["lo"])
        let physical = all.filter(hasDevice)
        return physical.isEmpty ? all : physical
    }
}
