// SPDX-License-Identifier: Apache-2.0
import CHostileServer
import Synchronization

/// The server's end of a TLS connection. One thread may receive while others send.
///
/// OpenSSL reads and writes only memory here. So its calls never wait, and the connection can end below TLS.
final class TLSStream: ByteStream {
    private let socket: LoopbackSocket
    // Guard: `session`, for all calls with these three.
    private nonisolated(unsafe) let ssl: OpaquePointer
    /// The received records, and the records to send.
    private nonisolated(unsafe) let input = BIO_new(BIO_s_mem())
    private nonisolated(unsafe) let output = BIO_new(BIO_s_mem())
    private let session = Mutex(())
    /// The right to send, which keeps the records in order. A sender keeps it while the client does not read.
    private let sender = Mutex(())

    /// Performs the handshake on a socket. Returns `nil` if the handshake fails.
    init?(_ context: TLSContext, on socket: LoopbackSocket) {
        self.socket = socket
        ssl = context.newSession()
        SSL_set_bio(ssl, input, output)
        if complete({ SSL_accept(ssl) }) <= 0 { return nil }
    }

    deinit { SSL_free(ssl) }

    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        sender.withLock { _ in
            var rest = bytes
            while !rest.isEmpty {
                let count = session.withLock { _ in SSL_write(ssl, rest.baseAddress, Int32(min(rest.count, 65536))) }
                guard count > 0, sendRecords() else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
            }
            return true
        }
    }

    func receive() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SSL3_RT_MAX_PLAIN_LENGTH)) { buffer, initializedCount in
            initializedCount = complete { SSL_read(ssl, buffer.baseAddress, Int32(buffer.count)) }
        }
    }

    /// Sends a close_notify alert, and FIN.
    func finishSending() {
        sender.withLock { _ in
            _ = session.withLock { _ in SSL_shutdown(ssl) }
            _ = sendRecords()
        }
        socket.finishSending()
    }

    /// Repeats a call of OpenSSL with more received records until the call succeeds.
    ///
    /// - Returns: The positive result of the call, or 0 at the end of the connection.
    private func complete(_ call: () -> Int32) -> Int {
        while true {
            let (result, isWaiting) = session.withLock { _ in
                ERR_clear_error()
                let result = call()
                return (Int(result), SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ)
            }
            // The call may have written a part of the handshake or an alert. A busy sender sends them with its own
            // records.
            _ = sender.withLockIfAvailable { _ in sendRecords() }
            if result > 0 { return result }
            guard isWaiting else { return 0 }
            let records = socket.receive()
            guard !records.isEmpty else { return 0 }
            session.withLock { _ in _ = BIO_write(input, records, Int32(records.count)) }
        }
    }

    /// Sends the records that OpenSSL has written. The caller has the right to send.
    private func sendRecords() -> Bool {
        while true {
            let records = session.withLock { _ in
                [UInt8](unsafeUninitializedCapacity: 65536) { buffer, initializedCount in
                    let count = BIO_read(output, buffer.baseAddress, Int32(buffer.count))
                    initializedCount = Int(max(0, count))
                }
            }
            if records.isEmpty { return true }
            guard socket.send(records) else { return false }
        }
    }
}

/// The TLS settings of a server.
final class TLSContext: Sendable {
    // Never changed after `init`. Only its count of references changes, atomically.
    private nonisolated(unsafe) let context: OpaquePointer

    init(_ certificate: HostileCertificate) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw HostileServerError("SSL_CTX_new") }
        self.context = context
        guard SSL_CTX_use_certificate(context, certificate.credential.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, certificate.credential.key) == 1
        else { throw HostileServerError("SSL_CTX_use_certificate") }
        if certificate.isOutdated {
            // OpenSSL itself refuses the outdated versions above level 0.
            SSL_CTX_set_security_level(context, 0)
            guard server_limit_versions(context, TLS1_VERSION, TLS1_1_VERSION) == 1 else {
                throw HostileServerError("SSL_CTX_set_min_proto_version")
            }
        }
    }

    deinit { SSL_CTX_free(context) }

    /// Returns a session that the caller frees.
    func newSession() -> OpaquePointer { SSL_new(context) }
}
