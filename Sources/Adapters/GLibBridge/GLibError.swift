// SPDX-License-Identifier: Apache-2.0
package import CGIO

/// A GError as a Swift value.
package struct GLibError: Error, Hashable, CustomStringConvertible {
    /// The error domain, such as `g-io-error-quark`.
    package var domain: String
    /// The error code within the domain.
    package var code: Int32
    /// The error message, for display to the user.
    package var message: String

    /// Creates an error and frees `pointer`.
    package init(taking pointer: UnsafeMutablePointer<GError>?) {
        guard let pointer else {
            self.init(domain: "", code: 0, message: "a call failed without an error message")
            return
        }
        self.init(
            domain: g_quark_to_string(pointer.pointee.domain).map { String(cString: $0) } ?? "",
            code: pointer.pointee.code, message: pointer.pointee.message.map { String(cString: $0) } ?? "")
        g_error_free(pointer)
    }

    private init(domain: String, code: Int32, message: String) {
        self.domain = domain
        self.code = code
        self.message = message
    }

    package var description: String { "\(message) (\(domain) \(code))" }
}
