// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation

/// Answers HTTP requests and WebSocket messages with ``RPCCalls``.
struct RPCHandler: HTTPHandler {
    /// The path of the server.
    static let path = "/jsonrpc"
    /// The maximum number of bytes of a request: a Metalink document in Base64, and its options.
    static let maximumBytes = 2 << 20

    let calls: RPCCalls
    let origins: OriginRule
    let news: NewsFeed

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let headers = request.headers
        let origin = headers[HTTPHeader("Origin")]
        let fault = origins.fault(
            of: OriginRule.Request(
                host: headers[.host], origin: origin, fetchSite: headers[HTTPHeader("Sec-Fetch-Site")]))
        guard fault == nil else { return Self.text(.forbidden, fault ?? "") }
        guard request.path == Self.path else { return Self.text(.notFound, "the path of the server is \(Self.path)") }
        var response = try await response(to: request)
        if let origin {
            response.headers[HTTPHeader("Access-Control-Allow-Origin")] = origin
            response.headers[HTTPHeader("Vary")] = "Origin"
        }
        return response
    }

    private func response(to request: HTTPRequest) async throws -> HTTPResponse {
        switch request.method {
        case .OPTIONS:
            return HTTPResponse(
                statusCode: .noContent,
                headers: HTTPHeaders([
                    HTTPHeader("Access-Control-Allow-Methods"): "POST, GET, OPTIONS",
                    HTTPHeader("Access-Control-Allow-Headers"): "Content-Type",
                    HTTPHeader("Access-Control-Max-Age"): "86400",
                ]))
        case .GET:
            if request.headers[.upgrade] != nil {
                let conversation = SocketConversation(calls: calls, news: news)
                return try await WebSocketHTTPHandler(handler: conversation).handleRequest(request)
            }
            do throws(RPCFault) {
                let call = try Self.call(in: request.query)
                return Self.json(await calls.answer(call))
            } catch {
                return Self.text(.badRequest, error.message)
            }
        case .POST:
            // Reading a body only to refuse it would take long. The gate in front of this server ends the connection.
            guard request.headers[.transferEncoding] == nil else {
                return Self.text(.lengthRequired, "a request needs the field Content-Length")
            }
            guard request.headers[.contentLength].flatMap({ Int($0) }) ?? 0 <= Self.maximumBytes else {
                return Self.text(.payloadTooLarge, "a request may have \(Self.maximumBytes) bytes")
            }
            let body = try await request.bodyData
            return Self.json(await calls.answer(body))
        default: return Self.text(.methodNotAllowed, "use POST, GET, or a WebSocket")
        }
    }

    /// Returns the call that the query of a GET request contains: `method`, `id`, and `params` in Base64.
    static func call(in query: [HTTPRequest.QueryItem]) throws(RPCFault) -> JSONValue {
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard value("jsoncallback") == nil else {
            throw .invalidRequest("'jsoncallback' is not supported, because it would answer to every web page")
        }
        var parameters = JSONValue.array([])
        if let encoded = value("params") {
            guard let data = Data(base64Encoded: encoded), let parsed = try? JSONValue(data: data) else {
                throw .invalidRequest("'params' must be JSON, encoded in Base64")
            }
            parameters = parsed
        }
        guard let method = value("method") else {
            guard case .array(let calls) = parameters, !calls.isEmpty else {
                throw .invalidRequest("'method' is missing")
            }
            return parameters
        }
        return .object([
            "jsonrpc": "2.0", "id": value("id").map { .string($0) } ?? .null, "method": .string(method),
            "params": parameters,
        ])
    }

    private static func json(_ answer: RPCCalls.Answer) -> HTTPResponse {
        HTTPResponse(
            statusCode: HTTPStatusCode(answer.status, phrase: answer.status == 200 ? "OK" : "Error"),
            headers: HTTPHeaders([.contentType: "application/json-rpc", .cacheControl: "no-store"]), body: answer.json)
    }

    private static func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: HTTPHeaders([.contentType: "text/plain; charset=utf-8"]),
            body: Data((text + "\n").utf8))
    }
}
