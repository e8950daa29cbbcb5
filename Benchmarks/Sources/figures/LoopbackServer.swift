// SPDX-License-Identifier: Apache-2.0
import Foundation

/// nginx on a free port of the loopback, serving one folder; ended by its process id.
final class LoopbackServer {
    let port: Int
    private let process = Process()

    /// Starts it over `folder`; `locations` are lines of its configuration.
    ///
    /// - Throws: `FigureError` when nginx is missing or does not come up.
    init(folder: String, options: Options, locations: String = "") throws {
        guard let nginx = options.program("nginx") else {
            throw FigureError("nginx is not installed; install Debian's nginx-light")
        }
        port = try Self.freePort()
        let configuration = """
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
                server { listen 127.0.0.1:\(port); root \(folder)/www; \(locations) }
            }
            """
        let path = "\(folder)/nginx.conf"
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: nginx)
        process.arguments = ["-p", folder, "-c", path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = ContinuousClock.now + .seconds(10)
        while !Self.answers(port) {
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw FigureError("nginx did not come up; see \(folder)/nginx.log")
            }
            usleep(10_000)
        }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        guard result == 0 else { throw FigureError("no free port on the loopback") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func answers(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: UInt16(port))
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
