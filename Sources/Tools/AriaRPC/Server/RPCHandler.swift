// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation

/// Answers HTTP requests and WebSocket messages with ``RPCCalls``.
struct RPCHandler: Sendable {
    /// The path of the server.
    static let path = "/jsonrpc"
    /// The maximum number of bytes of a request: a Metalink document in Base64, and its options.
    static let maximumBytes = 2 << 20

    let calls: RPCCalls
    let origins: OriginRule
    let news: NewsFeed

    /// Returns the answer to a request that is refused whatever its body contains, or `nil` if it is not refused.
    func refusal(of head: RequestHead) -> HTTPResponse? {
        let request = head.request
        let fault = origins.fault(
            of: OriginRule.Request(
                host: request.headers[.host], origin: request.headers[HTTPHeader("Origin")],
                fetchSite: request.headers[HTTPHeader("Sec-Fetch-Site")]))
        if let fault { return Self.text(.forbidden, fault) }
        guard request.path == Self.path else { return Self.text(.notFound, "the path of the server is \(Self.path)") }
        guard request.headers[.transferEncoding] == nil else {
            return allowing(request, Self.text(.lengthRequired, "a request needs the field Content-Length"))
        }
        guard head.bodyBytes <= Self.maximumBytes else {
            return allowing(request, Self.text(.payloadTooLarge, "a request may have \(Self.maximumBytes) bytes"))
        }
        return nil
    }

    /// Returns whether a body may be long, because its beginning contains the right token.
    func mayContinue(_ start: Data, from client: RPCClient) async -> Bool {
        let answer = calls.authorization(of: start)
        await client.record(answer)
        return answer.isAuthorized
    }

    /// Returns the answer to a request with a long body without the right token.
    func tooLong(_ head: RequestHead) -> HTTPResponse {
        let fault = RPCFault.invalidRequest(
            "a text of more than \(RPCClient.maximumStrangerBytes) bytes must have the right token in these bytes")
        return allowing(head.request, Self.json(RPCCalls.answer(.null, .failure(fault), false)))
    }

    /// Answers a request that ``refusal(of:)`` does not refuse.
    func response(to request: HTTPRequest, _ body: Data, from client: RPCClient) async -> HTTPResponse {
        allowing(request, await response(request, body, client))
    }

    /// Allows the page that sent a request to read the answer.
    private func allowing(_ request: HTTPRequest, _ response: HTTPResponse) -> HTTPResponse {
        guard let origin = request.headers[HTTPHeader("Origin")] else { return response }
        var response = response
        response.headers[HTTPHeader("Access-Control-Allow-Origin")] = origin
        response.headers[HTTPHeader("Vary")] = "Origin"
        return response
    }

    private func response(_ request: HTTPRequest, _ body: Data, _ client: RPCClient) async -> HTTPResponse {
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
                let conversation = SocketConversation(calls: calls, news: news, client: client)
                do { return try await WebSocketHTTPHandler(handler: conversation).handleRequest(request) } catch {
                    return Self.text(.badRequest, "\(error)")
                }
            }
            do throws(RPCFault) {
                let answer = await calls.answer(try Self.call(in: request.query))
                await client.record(answer)
                return Self.json(answer)
            } catch {
                return Self.text(.badRequest, error.message)
            }
        case .POST:
            let answer = await calls.answer(body)
            await client.record(answer)
            return Self.json(answer)
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
            guard let data = Data(base64Encoded: encoded) else {
                throw .invalidRequest("'params' must be JSON, encoded in Base64")
            }
            if let fault = TextScan(data).fault(.stranger) { throw fault }
            guard let parsed = try? JSONValue(data: data) else { throw .notJSON }
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

    /// Returns an answer that is a line of text.
    static func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: HTTPHeaders([.contentType: "text/plain; charset=utf-8"]),
            body: Data((text + "\n").utf8))
    }
}

/// The client of a connection, whose rights depend on the tokens that it has sent.
struct RPCClient: Sendable {
    /// The maximum number of bytes of a text from a client without the right token. Longer texts are read one at a time.
    static let maximumStrangerBytes = 64 << 10

    let id: ConnectionSlots.ID
    let slots: ConnectionSlots

    /// The maximum number of bytes of a text.
    var maximumBytes: Int {
        get async { await slots.isAuthorized(id) ? RPCHandler.maximumBytes : Self.maximumStrangerBytes }
    }

    /// Gives the client the rights that an answer shows, and waits if the answer is to a wrong token.
    func record(_ answer: RPCCalls.Answer) async {
        if answer.isAuthorized { await slots.authorize(id) }
        if answer.isRefused { await slots.delay(id) }
    }
}

/// The token that calls must contain.
///
/// A right token is recognized at once. The answer to a wrong one is delayed by ``ConnectionSlots``, so that a wrong
/// token costs only the connection that sent it. The delay tells an attacker nothing that the answer does not say.
struct TokenCheck: Sendable {
    private let token: [UInt8]

    /// Creates a check of the right token.
    init(_ token: String) { self.token = Array(token.utf8) }

    /// Returns whether a token is right, in a time that does not depend on where it differs.
    func isRight(_ candidate: String) -> Bool {
        let candidate = Array(candidate.utf8)
        guard candidate.count == token.count else { return false }
        return zip(candidate, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
