// SPDX-License-Identifier: Apache-2.0

/// A failed call of the system or of OpenSSL while a server is set up.
struct HostileServerError: Error {
    let call: String

    init(_ call: String) { self.call = call }
}
