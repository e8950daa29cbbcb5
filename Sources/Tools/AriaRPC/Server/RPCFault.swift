// SPDX-License-Identifier: Apache-2.0

/// An error that a caller receives in the form of JSON-RPC 2.0.
struct RPCFault: Error, Hashable {
    /// The code: 1 for everything that concerns downloads, as in aria2, or a code of JSON-RPC.
    var code: Int
    /// The message, which says what was wrong and what would be right.
    var message: String

    /// Creates a fault with aria2's code for errors that concern downloads.
    init(_ message: String) { (code, self.message) = (1, message) }

    private init(code: Int, _ message: String) { (self.code, self.message) = (code, message) }

    /// The text is not JSON.
    static let notJSON = RPCFault(code: -32700, "Parse error: the text is not JSON")

    /// The call lacks a token, or has another one.
    static let unauthorized = RPCFault(
        "Unauthorized: the first parameter must be \"token:SECRET\"; the daemon's file rpc-token contains the secret")

    /// The JSON is not a call.
    static func invalidRequest(_ fault: String) -> RPCFault { RPCFault(code: -32600, "Invalid request: \(fault)") }

    /// The server has no such method.
    static func unknownMethod(_ name: String) -> RPCFault { RPCFault(code: -32601, "No such method: \(name)") }

    /// The parameters do not fit the method.
    static func invalidParameters(_ fault: String) -> RPCFault {
        RPCFault(code: -32602, "Invalid parameters: \(fault)")
    }

    /// The HTTP status that aria2 sends with the code.
    var httpStatus: Int {
        switch code {
        case -32601: 404
        case -32700, -32602: 500
        default: 400
        }
    }
}
