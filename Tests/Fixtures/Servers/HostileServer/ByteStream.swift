// SPDX-License-Identifier: Apache-2.0

/// The bytes of a connection, in plain text or over TLS. One thread may receive while others send.
protocol ByteStream: AnyObject, Sendable {
    /// Sends bytes. Returns `false` if the client has disconnected.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Waits for bytes, and returns them. The bytes are empty at the end of the connection.
    func receive() -> [UInt8]

    /// Ends the sending direction in order. Bytes can still be received.
    func finishSending()
}

extension ByteStream {
    /// Sends bytes. Returns `false` if the client has disconnected.
    func send(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.withContiguousStorageIfAvailable { send(UnsafeRawBufferPointer($0)) }
            ?? Array(bytes).withUnsafeBytes { send($0) }
    }
}
