// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostileServer
import Testing

extension HostileServer {
    /// Starts a server in plain text or with TLS.
    convenience init(isSecure: Bool, handler: @escaping Handler) throws {
        var options = HostileServerOptions()
        if isSecure { options.certificate = try HostileAuthority().certificate() }
        try self.init(options: options, handler: handler)
    }

    /// Connects a client in plain text or with TLS.
    func connect(isSecure: Bool, milliseconds: Int = 5000) throws -> RawClient {
        let client = try #require(RawClient(port: port, milliseconds: milliseconds))
        if isSecure { _ = try #require(client.secure()) }
        return client
    }
}

/// Waits until a condition is true, at most for five seconds and the time of the checks. Returns `false` if it is not.
func isSoon(_ condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
        if condition() { return true }
        usleep(10_000)
    }
    return false
}
