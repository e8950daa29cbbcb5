// SPDX-License-Identifier: Apache-2.0
/// Reads the kernel's interface counters and tracks how much of the network other programs use.
struct ForegroundMonitor: Sendable {
    private struct Reading: Sendable {
        var time: UInt64
        var counters: InterfaceCounters
        var received: Int64
        var sent: Int64
    }
    private let interfaces: [String]?
    private let client: any TransportClient
    private var last: Reading?
    private(set) var receiving = ForegroundYield()
    private(set) var sending = ForegroundYield()

    init(interfaces: [String]?, client: any TransportClient) {
        self.interfaces = interfaces
        self.client = client
    }

    /// Starts counting this process's traffic. Called when the first transfer starts.
    mutating func begin() {
        client.countWire(true, withLoopback: interfaces?.contains("lo") == true)
        last = nil
    }

    /// Stops counting. Called after the last transfer has ended.
    mutating func rest() {
        guard last != nil else { return }
        client.countWire(false, withLoopback: false)
        last = nil
    }

    /// Takes a reading of the counters.
    ///
    /// - Parameters:
    ///   - now: The current time in nanoseconds.
    ///   - own: The total bytes of bodies transferred by this process. Used if the transport does not count the bytes
    ///     on the wire.
    mutating func sample(now: UInt64, own: Int64) {
        guard let counters = InterfaceCounters.read() else { return }
        let wire = client.wireBytes
        // Other transports know only the bytes of bodies. Packet headers add about 5%.
        let bodies = own.addingSaturated(own / 20)
        let reading = Reading(
            time: now, counters: counters, received: client.controlsConnections ? wire.received : bodies,
            sent: client.controlsConnections ? wire.sent : bodies)
        defer { last = reading }
        // After a pause in the readings, an average is meaningless.
        guard let last, now > last.time, now - last.time < 2_000_000_000 else { return }
        let names = interfaces.map(Set.init) ?? counters.leadingOut()
        let all = counters.since(last.counters, on: names)
        let elapsed = now - last.time
        receiving.record(all: all.received, own: max(0, reading.received - last.received), elapsed: elapsed)
        sending.record(all: all.sent, own: max(0, reading.sent - last.sent), elapsed: elapsed)
    }
}
