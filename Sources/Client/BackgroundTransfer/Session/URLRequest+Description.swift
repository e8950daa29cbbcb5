// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import TransferModel

extension RequestDescription {
    /// Creates a description of the parts of a request that can outlive this program.
    ///
    /// - Throws: `SessionError` if the scheme of the request is neither http nor https.
    init(_ request: URLRequest) throws(SessionError) {
        guard let url = request.url, let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else {
            throw SessionError(
                code: .unsupportedScheme,
                message: """
                    A background session supports only http and https URLs, not \
                    \(request.url.map { "'\($0.scheme ?? "")'" } ?? "a request without a URL").
                    """)
        }
        self.init(
            url: url.absoluteString, method: request.httpMethod, headers: request.allHTTPHeaderFields ?? [:],
            // 60 is the default of `URLRequest`. The session's timeout then applies, as on Apple's platforms.
            timeout: request.timeoutInterval == 60 ? nil : request.timeoutInterval,
            allowsCellularAccess: request.allowsCellularAccess)
    }

    /// The request for the app, or `nil` if its URL cannot be parsed.
    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let timeout { request.timeoutInterval = timeout }
        request.allowsCellularAccess = allowsCellularAccess
        return request
    }
}

extension ResponseDescription {
    /// The response for the app, or `nil` if its URL cannot be parsed.
    var response: HTTPURLResponse? {
        URL(string: url).flatMap {
            HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}

extension FailureDescription {
    /// Returns the error for the app.
    func error(url: String) -> URLError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[NSURLErrorFailingURLErrorKey] = URL(string: url)
        return URLError(URLError.Code(rawValue: code) ?? .unknown, userInfo: info)
    }
}
