// SPDX-License-Identifier: Apache-2.0
import CHostileServer
import Glibc
import HostileServer

/// A loopback client that sends and receives bytes, in plain text or over TLS, and has no knowledge of HTTP.
final class RawClient {
    private let descriptor: Int32
    private var ssl: OpaquePointer?

    /// Connects to the port. Returns `nil` if the connection fails or is not established in time.
    init?(port: UInt16, milliseconds: Int = 5000) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        // The send timeout also limits the connection attempt.
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafeBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
        if !isConnected { return nil }
    }

    deinit {
        SSL_free(ssl)
        close(descriptor)
    }

    /// Performs a TLS handshake. All further bytes are sent and received over TLS.
    ///
    /// - Returns: The result of the verification of the server's certificate, or `nil` if the handshake fails.
    func secure(_ authority: HostileAuthority? = nil, host: String = "127.0.0.1", isOutdated: Bool = false) -> Int? {
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        if isOutdated {
            SSL_CTX_set_security_level(context, 0)
            server_limit_versions(context, TLS1_VERSION, TLS1_1_VERSION)
        }
        if let authority {
            let memory = BIO_new(BIO_s_mem())
            BIO_puts(memory, authority.pem)
            let certificate = PEM_read_bio_X509(memory, nil, nil, nil)
            X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate)
            X509_free(certificate)
            BIO_free(memory)
        }
        ssl = SSL_new(context)
        let parameters = SSL_get0_param(ssl)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) != 1 { X509_VERIFY_PARAM_set1_host(parameters, host, 0) }
        SSL_set_fd(ssl, descriptor)
        return SSL_connect(ssl) == 1 ? SSL_get_verify_result(ssl) : nil
    }

    /// The version of the protocol, such as `TLSv1.3`.
    var version: String? { ssl.map { String(cString: SSL_get_version($0)) } }

    /// Sends the text. Returns `false` if the server is gone or does not read it in time.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        if let ssl { return SSL_write(ssl, bytes, Int32(bytes.count)) == bytes.count }
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Gives the server 10 ms to proceed.
    func pause() { usleep(10_000) }

    /// Closes the sending direction.
    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Receives up to `count` bytes. Returns fewer bytes only if the server ends the connection or the receive
    /// timeout expires.
    func receive(_ count: Int) -> String { receiveBytes(count).text }

    /// Receives all bytes until the end of the connection, and returns the kind of end.
    func receiveAll() -> (text: String, end: End) { receiveBytes(.max) }

    /// The end of a connection. Under TLS, a cut is an end without a close_notify alert.
    enum End: Equatable {
        case inOrder, cut, reset, silent, stillOpen
    }

    private func receiveBytes(_ count: Int) -> (text: String, end: End) {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while result.count < count {
            ERR_clear_error()
            let most = min(buffer.count, count - result.count)
            let got = ssl.map { Int(SSL_read($0, &buffer, Int32(most))) } ?? recv(descriptor, &buffer, most, 0)
            guard got > 0 else { return (String(decoding: result, as: UTF8.self), end(after: got)) }
            result += buffer[..<got]
        }
        return (String(decoding: result, as: UTF8.self), .stillOpen)
    }

    private func end(after result: Int) -> End {
        let error = errno
        switch ssl.map({ SSL_get_error($0, Int32(result)) }) {
        case nil where result == 0, SSL_ERROR_ZERO_RETURN: return .inOrder
        case SSL_ERROR_SSL: return .cut
        default: return error == ECONNRESET ? .reset : .silent
        }
    }
}
