// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What went over network interfaces since they came up, in bytes.
struct InterfaceCounters: Hashable, Sendable {
    var received: [String: Int64] = [:]
    var sent: [String: Int64] = [:]

    /// Reads `/proc/net/dev` as it is: two lines of headings, then `name: ` and sixteen numbers a line (proc(5)).
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

    /// The kernel's counters now; nil where they cannot be read.
    static func read() -> InterfaceCounters? {
        guard let file = fopen("/proc/net/dev", "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16384)
        while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block[..<count] }
        return InterfaceCounters(decoding: String(decoding: bytes, as: UTF8.self))
    }

    /// Bytes of those interfaces since `earlier`; one that is new, or began again, counts from then on.
    func since(_ earlier: InterfaceCounters, on names: Set<String>) -> (received: Int64, sent: Int64) {
        func sum(_ now: [String: Int64], _ then: [String: Int64]) -> Int64 {
            now.reduce(0) { sum, entry in
                guard names.contains(entry.key), let before = then[entry.key], entry.value > before else { return sum }
                return sum.addingSaturated(entry.value - before)
            }
        }
        return (sum(received, earlier.received), sum(sent, earlier.sent))
    }

    /// The interfaces that lead out of this machine: those with a device, since bridges and tunnels carry the same bytes
    /// once more; where there is none (containers, network namespaces), all but the loopback.
    func leadingOut(hasDevice: (String) -> Bool = { access("/sys/class/net/\($0)/device", F_OK) == 0 }) -> Set<String> {
        let all = Set(received.keys).subtracting(["lo"])
        let physical = all.filter(hasDevice)
        return physical.isEmpty ? all : physical
    }
}
