// SPDX-License-Identifier: Apache-2.0

/// The method and the body of a download whose method is not GET.
///
/// A download that has a body starts over after a failure, and the server receives the body again. After the response
/// 500, 502, or 504, the server may have acted. A POST or PATCH is then not repeated, and the response is the result.
///
/// ```swift
/// let query = RequestBody(method: "POST", bytes: Array("{}".utf8))
/// ```
public struct RequestBody: Hashable, Sendable, Codable {
    /// The HTTP method, such as `POST`.
    public var method: String
    /// The bytes of the body, at most ``longest``. The body is a secret, as the header fields are.
    public var bytes: [UInt8] {
        get { stored.bytes }
        set { stored.bytes = newValue }
    }
    private var stored: Base64Bytes

    /// The maximum number of bytes.
    public static let longest = 256 << 10
    /// The methods that a download may use.
    public static let methods: Set<String> = ["POST", "PUT", "PATCH", "DELETE"]

    /// Creates a body from its method and its bytes.
    public init(method: String, bytes: [UInt8]) {
        self.method = method
        stored = Base64Bytes(bytes)
    }

    private enum CodingKeys: String, CodingKey {
        case method
        case stored = "bytes"
    }
}
