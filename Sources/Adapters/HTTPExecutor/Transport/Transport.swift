// SPDX-License-Identifier: Apache-2.0
package import TransferFiles

/// The network behind an executor. `CurlTransport` and `URLSessionTransport` provide one each.
///
/// ```swift
/// let executor = try HTTPExecutor(configuration: configuration, transport: .curl)
/// ```
public struct Transport: Sendable {
    package let makeClient: @Sendable (TransportSurroundings) throws(HTTPExecutorError) -> any TransportClient

    package init(
        _ makeClient: @escaping @Sendable (TransportSurroundings) throws(HTTPExecutorError) -> any TransportClient
    ) {
        self.makeClient = makeClient
    }
}

/// The parts of an executor that its transport uses.
package struct TransportSurroundings: Sendable {
    package let configuration: HTTPExecutorConfiguration
    package let consumer: ConsumerExecutor
    package let admission: AdmissionControl
}

/// Sends HTTP requests and reports their responses.
///
/// A client follows no redirects, answers no challenges, and neither sends nor keeps cookies.
package protocol TransportClient: Sendable {
    /// A Boolean value that indicates whether the client limits the rate of each connection and counts the bytes on the
    /// wire, and delivers encoded bodies as the server sent them.
    ///
    /// Without, the executor delays the bytes that it receives and sends, and a body that a server encodes without being
    /// asked cannot be verified.
    var controlsConnections: Bool { get }

    /// Sends the request of the exchange, not before its time.
    ///
    /// Reports all events of the request to the exchange. The last event is exactly one `end`. A request that fails its
    /// check is not sent.
    func send(_ exchange: Exchange)

    /// Ends the request of a canceled exchange. Its `end` follows.
    func cancel(_ exchange: Exchange)

    /// Calls `reply` once everything that requests depend on has made progress.
    func probe(_ reply: @escaping @Sendable () -> Void)

    /// Frees all resources. No exchange may be running.
    func invalidate() async

    /// Starts or stops counting the bytes on the wire.
    func countWire(_ isOn: Bool, withLoopback: Bool)

    /// The bytes on the wire of counted connections, including packet headers.
    var wireBytes: WireBytes { get }
}

/// Bytes on the wire, including packet headers.
package struct WireBytes: Hashable, Sendable {
    package var received: Int64 = 0
    package var sent: Int64 = 0

    package init() {}
}

/// A request as a transport sends it.
package struct TransportRequest: Sendable {
    package var head: RequestHead
    /// The number of seconds without any progress after which the transport gives up. The attempt gives up earlier.
    package var timeoutSeconds: Int
    /// The time before which the request is not sent, in nanoseconds of `MonotonicTime`. 0 for none.
    package var notBefore: UInt64
    /// The check that the server's address must pass. `nil` if none is needed.
    package var check: AddressCheck?
}
