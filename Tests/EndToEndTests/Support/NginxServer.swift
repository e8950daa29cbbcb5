// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A real nginx on a free loopback port. Its log is the evidence of every request. Ended by its process id.
final class NginxServer: Sendable {
    /// A request from the server's log.
    struct Request: Equatable {
        var method: String
        var path: String
        var status: Int
        /// The number of body bytes that were passed to the network.
        var bytesSent: Int64
        /// The value of the `Range` field, or "-" without one.
        var range: String
        /// The time at which the request ended, in seconds since 1970.
        var ended: Double
        /// The duration of the request, in seconds.
        var duration: Double

        /// The time at which the request began, in seconds since 1970.
        var began: Double { ended - duration }
    }

    /// The reason that nginx cannot run here, or `nil` if it can.
    static let unavailabilityReason: String? = {
        let missing = ["/usr/sbin/nginx", "/usr/bin/curl"].filter { !FileManager.default.isExecutableFile(atPath: $0) }
        return missing.isEmpty ? nil : "not installed: \(missing.joined(separator: ", ")) (nginx-light, curl)"
    }()

    /// A Boolean value that indicates whether nginx was built with the DAV module, which accepts uploads.
    static let acceptsUploads: Bool = {
        guard unavailabilityReason == nil, let folder = try? TemporaryFolder(),
            let process = try? ChildProcess("/usr/sbin/nginx", ["-V"], output: folder.path + "/out"),
            process.waitOnThisThread() == 0,
            let text = try? String(contentsOfFile: folder.path + "/out", encoding: .utf8)
        else { return false }
        return text.contains("http_dav_module")
    }()

    private static let uploads = "location /dav/ { dav_methods PUT; create_full_put_path on; client_max_body_size 0; }"

    let port: Int
    let folder: TemporaryFolder
    private let process: ChildProcess
    private let prefix: [String]

    /// Starts nginx and waits until it responds.
    ///
    /// - Parameters:
    ///   - rate: The limit of each connection in bytes per second, or `nil` for no limit.
    ///   - beginning: The number of bytes at the start of each response that are not limited. With this parameter,
    ///     ranges that begin at byte 1,000,000 or later are not limited at all.
    ///   - prefix: The words before the command, which run nginx in a namespace for example.
    init(rate: Int? = nil, beginning: Int? = nil, prefix: [String] = []) async throws {
        self.prefix = prefix
        folder = try TemporaryFolder()
        let port = try Self.freePort()
        self.port = port
        try FileManager.default.createDirectory(atPath: folder.path + "/www", withIntermediateDirectories: true)
        let root = folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(root)/\($0);" }.joined(separator: " ")
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder.path)/nginx.pid;
            error_log \(folder.path)/error.log;
            events { worker_connections 256; }
            http {
                log_format evidence '$request_method $uri $status $body_bytes_sent $msec $request_time "$http_range"';
                access_log \(folder.path)/access.log evidence;
                \(temporary)
                \(Self.limits(rate, beginning))
                server {
                    listen 127.0.0.1:\(port);
                    root \(folder.path)/www;
                    location = /connections { stub_status; access_log off; }
                    location = /304 { return 304; }
                    \(Self.acceptsUploads ? Self.uploads : "")
                }
            }
            """
        try configuration.write(toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
        let words = prefix + ["/usr/sbin/nginx", "-p", folder.path, "-c", folder.path + "/nginx.conf"]
        process = try ChildProcess(words[0], Array(words.dropFirst()), output: folder.path + "/output")
        let pidFile = folder.path + "/nginx.pid"
        // nginx writes the file after it has begun to listen.
        try await waitUntil("nginx listens", within: 60, watching: .files(in: folder.path)) {
            FileManager.default.fileExists(atPath: pidFile)
        }
        _ = try await connections()
    }

    private static func limits(_ rate: Int?, _ beginning: Int?) -> String {
        guard let rate else { return "" }
        guard let beginning else { return "limit_rate \(rate);" }
        return """
            map $http_range $rate { "~^bytes=[0-9]{7}" 0; default \(rate); }
            limit_rate $rate;
            limit_rate_after \(beginning);
            """
    }

    deinit { process.end() }

    /// The URL of a file.
    func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    /// Stops the server with all its connections, or lets it go on. Clients only see that it takes long.
    func setStopped(_ stopped: Bool) { process.signal(stopped ? SIGSTOP : SIGCONT) }

    /// Writes a file of random bytes into the server's folder. The seed determines the bytes.
    @discardableResult
    func serve(_ name: String, bytes: Int, seed: UInt64 = 1) throws -> String {
        let path = folder.path + "/www/" + name
        // Replaces the file instead of rewriting it. A transfer in progress keeps reading the old file, as with any
        // server.
        try RandomFile.write(path + ".new", bytes: bytes, seed: seed)
        guard rename(path + ".new", path) == 0 else { throw FixtureError("\(path) cannot be written") }
        return path
    }

    /// The number of connections that nginx has accepted so far, including the connection of this query.
    func connections() async throws -> Int {
        let output = try TemporaryFolder()
        let words = prefix + ["/usr/bin/curl", "-s", "--max-time", "5", "http://127.0.0.1:\(port)/connections"]
        let curl = try ChildProcess(words[0], Array(words.dropFirst()), output: output.path + "/out")
        guard try await curl.wait(within: 60) == 0 else { throw FixtureError("nginx does not respond") }
        let lines = try String(contentsOfFile: output.path + "/out", encoding: .utf8).split(separator: "\n")
        // The third line contains the numbers of accepted connections, handled connections, and requests.
        guard lines.count > 2, let accepted = lines[2].split(separator: " ").first.flatMap({ Int($0) }) else {
            throw FixtureError("unexpected output of nginx: \(lines)")
        }
        return accepted
    }

    /// The requests that the server has logged so far. nginx logs a request after its end.
    func requests() -> [Request] {
        let text = (try? String(contentsOfFile: folder.path + "/access.log", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let quoted = line.split(separator: "\"", omittingEmptySubsequences: false)
            let words = line.split(separator: " ")
            guard words.count >= 7, quoted.count >= 2 else { return nil }
            return Request(
                method: String(words[0]), path: String(words[1]), status: Int(words[2]) ?? 0,
                bytesSent: Int64(words[3]) ?? 0, range: String(quoted[1]), ended: Double(words[4]) ?? 0,
                duration: Double(words[5]) ?? 0)
        }
    }

    /// Waits until the server has logged a number of requests.
    func waitForRequests(_ count: Int, within seconds: Double = 60) async throws {
        try await waitUntil("\(count) requests are logged", within: seconds, watching: .files(in: folder.path)) {
            requests().count >= count
        }
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
        guard result == 0 else { throw FixtureError("no free port on the loopback interface") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
