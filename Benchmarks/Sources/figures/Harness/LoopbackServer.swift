// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// An nginx server on a free port of the loopback interface, which serves one folder. On deinitialization, the server
/// is terminated by its process ID.
final class LoopbackServer {
    let port: Int
    private let process = Process()

    /// A location that accepts uploads, for the `locations` parameter. nginx's DAV module stores uploads to `up/` in
    /// `www/up/`.
    static let uploads = "location /up/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }"

    /// Starts a server for `folder`.
    ///
    /// - Parameters:
    ///   - locations: Additional lines of the server's configuration.
    ///   - certificate: The certificate for TLS; `nil` for plain connections.
    ///   - isHTTP2: Whether clients may choose HTTP/2, which needs TLS.
    ///   - cable: A link at whose server end nginx listens, instead of on the loopback interface.
    /// - Throws: `BenchmarkError` if nginx is missing or does not start.
    init(
        folder: String, options: Options, locations: String = "", certificate: Certificate? = nil,
        isHTTP2: Bool = false,
        at cable: NetworkLink? = nil
    ) throws {
        guard let nginx = options.program("nginx") else {
            throw BenchmarkError("nginx is not installed; install Debian's nginx-light")
        }
        let address = cable == nil ? "127.0.0.1" : NetworkLink.serverAddress
        // A namespace with a single user has no other user to own the folders.
        let user = cable == nil ? "" : "user root;"
        let tls = certificate.map { "ssl_certificate \($0.path); ssl_certificate_key \($0.key);" } ?? ""
        port = try Self.freePort()
        let configuration = """
            \(user)
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/nginx.log;
            events { worker_connections 256; }
            http {
                access_log off;
                sendfile on;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                keepalive_requests 100000;
                server { listen \(address):\(port)\(tls.isEmpty ? "" : " ssl")\(isHTTP2 ? " http2" : ""); \(tls) root \(folder)/www; \(locations) }
            }
            """
        let path = "\(folder)/nginx.conf"
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        let words = (cable?.atServer ?? []) + [nginx, "-p", folder, "-c", path]
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        let errorPipe = Pipe()
        process.standardError = errorPipe
        try process.run()
        let deadline = ContinuousClock.now + .seconds(10)
        // nginx writes the file once it listens.
        while !FileManager.default.fileExists(atPath: "\(folder)/nginx.pid") {
            guard process.isRunning, ContinuousClock.now < deadline else {
                process.terminate()
                let errorText = String(decoding: errorPipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                throw BenchmarkError("nginx did not start: \(errorText)")
            }
            usleep(10_000)
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        guard result == 0 else { throw BenchmarkError("no free port on the loopback interface") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns a listening socket on a free port of the loopback interface.
    ///
    /// - Throws: `BenchmarkError` if no port is free, or the socket cannot listen.
    static func listen() throws -> (descriptor: Int32, port: Int) {
        let port = try freePort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: UInt16(port))
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(listener, 16) == 0 else {
            close(listener)
            throw BenchmarkError("cannot listen on the loopback interface")
        }
        return (listener, port)
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A new self-signed certificate for the loopback interface.
struct Certificate {
    let path: String
    let key: String

    /// Creates a certificate in `folder`.
    ///
    /// - Throws: `BenchmarkError` if openssl is missing or fails.
    init(in folder: String, options: Options) throws {
        guard let openssl = options.program("openssl") else {
            throw BenchmarkError("openssl is not installed; install Debian's openssl")
        }
        path = "\(folder)/certificate.pem"
        key = "\(folder)/key.pem"
        let curve = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key]
        let request = ["req", "-x509", "-key", key, "-subj", "/CN=figures", "-days", "2", "-out", path]
        for arguments in [curve, request + ["-addext", "subjectAltName=IP:127.0.0.1"]] {
            _ = try Command(program: openssl, arguments: arguments).run()
        }
    }
}
