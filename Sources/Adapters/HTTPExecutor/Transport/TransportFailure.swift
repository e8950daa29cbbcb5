// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Translates a transport's errors into transfer failures.
///
/// On Linux, most errors have the code -1. Only libcurl's text distinguishes these errors.
enum TransportFailure {
    /// Returns the failure for an error of a transport.
    ///
    /// - Parameters:
    ///   - code: The error code (`NSURLError…`).
    ///   - text: The description of the error.
    ///   - host: The host of the request.
    ///   - proxy: The host and port of the proxy, or `nil` if there is no proxy.
    static func failure(code: Int, text: String, host: String, proxy: String? = nil) -> TransferFailure {
        if let proxy, text.contains("response 407") || text.contains("code 407 from proxy") {
            return .proxyRefused(proxy)
        }
        return switch code {
        // A client behind a proxy connects to nothing else.
        case -1004 where proxy != nil: make(.connection, "The proxy \(proxy ?? "") refused the connection")
        case AddressCheck.errorCode:
            make(
                .redirect,
                "A public server redirects to \(host), which is on this machine or its network. \(RedirectRule.localRemedy)"
            )
        case -1001: make(.timeout, "\(host) did not respond in time")
        case -1003: make(.nameResolution, "The host name \(host) was not found")
        case -1004: make(.connection, "\(host) refused the connection")
        case -1005: make(.connection, "\(host) dropped the connection")
        case -1007: make(.redirect, "\(host) redirects too many times")
        case -1011: make(.connection, "\(host) closed the connection without a response")
        // FoundationNetworking misreads an IPv6 host. The case after this one covers a
        // response that is not HTTP. Such a response has the codes of a bad URL, and only libcurl's text differs.
        case -1000 where host.hasPrefix("["):
            make(.unsupportedURL, "URLSession cannot fetch URLs with IPv6 addresses; use the transport .curl")
        case -1000, -1002:
            text.contains("HTTP") || text.contains("ersion")
                ? make(.malformedResponse, "\(host) did not send an HTTP response", text)
                : make(.unsupportedURL, "The URL cannot be fetched", text)
        default: other(text: text, host: host, proxy: proxy)
        }
    }

    private static func other(text: String, host: String, proxy: String?) -> TransferFailure {
        if let proxy, ["Failed to connect", "Couldn't connect"].contains(where: { text.contains($0) }) {
            return make(.connection, "Could not connect to the proxy \(proxy)", text)
        }
        if let proxy, ["SOCKS", "CONNECT tunnel failed"].contains(where: { text.contains($0) }) {
            return make(.connection, "The proxy \(proxy) did not connect to \(host)", text)
        }
        for (phrases, cause, sentence) in table where phrases.contains(where: { text.contains($0) }) {
            return make(cause, sentence.replacing("HOST", with: host), text)
        }
        return make(.connection, "The transfer from \(host) failed", text)
    }

    private static let table: [(phrases: [String], cause: FailureCause, sentence: String)] = [
        (
            ["SSL certificate problem", "no alternative certificate subject name", "certificate subject name"],
            .certificate, "The certificate of HOST is not valid"
        ),
        (["error setting certificate"], .certificate, "The CA file cannot be loaded"),
        // An error in the middle of a response. The next row would blame the handshake.
        (["SSL_read", "SSL_write", "unexpected eof"], .connection, "The connection to HOST was lost"),
        // Another attempt finds the same server.
        (["wrong version number"], .unsupportedURL, "HOST does not offer TLS at this port; use http:// instead"),
        (["OpenSSL", "SSL_connect", "SSL connect", "TLS", "alert"], .handshake, "The TLS handshake with HOST failed"),
        (["unencoding", "content encoding"], .encodedBody, "HOST sent an encoded body that cannot be verified"),
        (
            [
                "Failed writing header", "Header without colon", "Nul byte in header", "Invalid Content-Length",
                "Too large response headers",
                "Out of memory", "Invalid status line", "Received HTTP/0.9", "Unsupported HTTP", "Weird server reply",
                "chunked-encoding", "Malformed encoding", "Failed writing body", "Failed writing received data",
            ],
            .malformedResponse, "HOST sent an invalid HTTP response"
        ),
        (["Could not resolve proxy"], .nameResolution, "The proxy's host name was not found"),
        (["Could not resolve"], .nameResolution, "The host name HOST was not found"),
        (["timed out", "Timeout"], .timeout, "HOST did not respond in time"),
        (["Failed to connect", "Couldn't connect"], .connection, "Could not connect to HOST"),
        (
            ["transfer closed", "Recv failure", "Send failure", "HTTP/2"], .connection,
            "The connection to HOST was lost"
        ),
    ]

    /// Returns a failure with a sentence, and with the transport's own words if the sentence does not say everything.
    private static func make(_ cause: FailureCause, _ sentence: String, _ text: String = "") -> TransferFailure {
        let words = text.isEmpty || text.hasPrefix("Error Domain") || text.contains("://") ? "" : ": \(text)"
        return TransferFailure(cause: cause, message: sentence + words + ".")
    }
}
