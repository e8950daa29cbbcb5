// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
internal import TransferModel

extension RequestDescription {
    /// Creates a description of the parts of a request that remain valid after this program ends.
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
            url: url.absoluteString, method: request.httpMethod,
            headers: (request.allHTTPHeaderFields ?? [:]).filter { $0.key != URLRequest.networksField },
            // 60 is the default of `URLRequest`. The session's timeout then applies, as on Apple's platforms.
            timeout: request.timeoutInterval == 60 ? nil : request.timeoutInterval,
            allowsCellularAccess: request.allowsCellularAccess)
        // Default values are omitted, because earlier versions of the daemon do not know these fields.
        if !request.allowsExpensiveNetworkAccess { allowsExpensiveNetworkAccess = false }
        if !request.allowsConstrainedNetworkAccess { allowsConstrainedNetworkAccess = false }
    }

    /// Creates a description of a download's request, with its body.
    ///
    /// - Throws: `SessionError` if the scheme is neither http nor https, or if the body is a stream or too long.
    init(ofDownload request: URLRequest) throws(SessionError) {
        try self.init(request)
        guard request.httpBodyStream == nil, request.httpBody?.count ?? 0 <= RequestBody.longest else {
            throw SessionError(
                code: .unsupportedTask,
                message: """
                    The body of a background download is data of at most \(RequestBody.longest) bytes, because it is stored \
                    with the task. Upload a file instead.
                    """)
        }
        // URLSession treats an empty body as no body.
        if let data = request.httpBody, !data.isEmpty { body = Array(data) }
    }

    /// The request for the app, or `nil` if its URL cannot be parsed.
    var request: URLRequest? {
        guard let url = URL(string: url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let timeout { request.timeoutInterval = timeout }
        request.allowsCellularAccess = allowsCellularAccess
        if allowsExpensiveNetworkAccess == false { request.allowsExpensiveNetworkAccess = false }
        if allowsConstrainedNetworkAccess == false { request.allowsConstrainedNetworkAccess = false }
        request.httpBody = body.map { Data($0) }
        return request
    }
}

extension ResponseDescription {
    /// The response for the app, or `nil` if its URL cannot be parsed.
    var response: HTTPURLResponse? {
        URL(string: url).flatMap {
            AppResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        }
    }
}

extension FailureDescription {
    /// Whether another task may continue the failed download.
    var isContinuable: Bool { code != URLError.Code.unsupportedURL.rawValue && code != URLError.Code.badURL.rawValue }

    /// Returns the error for the app.
    ///
    /// - Parameters:
    ///   - url: The URL of the task.
    ///   - resumeData: The data for continuing the download in another task. `nil` if the download starts over.
    ///   - cancelledReason: The reason of a cancellation that the app did not request.
    func error(
        url: String, resumeData: Data? = nil, cancelledReason: URLError.BackgroundTaskCancelledReason? = nil
    ) -> URLError {
        // Foundation prints the reason, and shows users the description.
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: message,
        ]
        info[NSURLErrorFailingURLErrorKey] = URL(string: url)
        info[NSURLSessionDownloadTaskResumeData] = resumeData
        info[NSURLErrorBackgroundTaskCancelledReasonKey] = cancelledReason?.rawValue
        return URLError(URLError.Code(rawValue: code) ?? .unknown, userInfo: info)
    }
}
