// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import LinuxKernel
import TransferModel

/// Answers calls of aria2's JSON-RPC 2.0, whatever carries them.
struct RPCCalls: Sendable {
    /// The maximum number of calls in a batch or in `system.multicall`.
    static let maximumBatch = 1000

    let downloads: DownloadService
    let tokens: TokenCheck
    /// The version of this program, for `getVersion`.
    let version: String
    /// A name for the time since this process started, for `getSessionInfo`.
    let session = (0..<20).map { _ in String(format: "%02x", UInt8.random(in: .min ... .max)) }.joined()

    /// The answer to a text.
    struct Answer: Hashable, Sendable {
        /// The JSON; empty if the text contained only notifications, which get no answer.
        var json: Data
        /// The HTTP status that belongs to the answer.
        var status: Int
        /// Whether at least one call had the right token.
        var isAuthorized: Bool
        /// Whether a call had a wrong token, so that the answer must be delayed.
        var isRefused = false
    }

    /// Answers a text with a call or a list of calls.
    func answer(_ text: Data) async -> Answer {
        let scan = TextScan(text)
        var answer = authorization(of: scan)
        guard let fault = scan.fault(answer.isAuthorized ? .authorized : .stranger) else {
            defer { if scan.values > TextScan.Limits.stranger.values { MemoryPools.trim() } }
            return await parsed(text)
        }
        answer.json = Self.answer(.null, .failure(fault), false).json
        answer.status = fault.httpStatus
        return answer
    }

    private func parsed(_ text: Data) async -> Answer {
        guard let value = try? JSONValue(data: text) else { return Self.answer(.null, .failure(.notJSON), false) }
        return await answer(value)
    }

    /// Returns an answer without JSON that says whether the first token of a text is right. The text may be incomplete.
    func authorization(of start: Data) -> Answer { authorization(of: TextScan(start)) }

    private func authorization(of scan: TextScan) -> Answer {
        let isRight = scan.token.map(tokens.isRight)
        return Answer(json: Data(), status: 200, isAuthorized: isRight == true, isRefused: isRight == false)
    }

    /// Answers a call or a list of calls.
    func answer(_ value: JSONValue) async -> Answer {
        guard case .array(let calls) = value else {
            var isRefused = false
            let outcome = await outcome(of: value, &isRefused)
            return Self.answer(outcome.id, outcome.result, outcome.isAuthorized, isRefused: isRefused)
        }
        guard !calls.isEmpty, calls.count <= Self.maximumBatch else {
            let fault = RPCFault.invalidRequest("a list must have 1 to \(Self.maximumBatch) calls")
            return Self.answer(.null, .failure(fault), false)
        }
        var answers: [JSONValue] = []
        var isAuthorized = false
        var isRefused = false
        for call in calls {
            let outcome = await outcome(of: call, &isRefused)
            isAuthorized = isAuthorized || outcome.isAuthorized
            answers.append(Self.json(outcome.id, outcome.result))
        }
        return Answer(
            json: (try? JSONValue.array(answers).makeData(options: .withoutEscapingSlashes)) ?? Data(), status: 200,
            isAuthorized: isAuthorized, isRefused: isRefused)
    }

    private typealias Outcome = (id: JSONValue, result: Result<JSONValue, RPCFault>, isAuthorized: Bool)

    /// - Parameter isRefused: Whether a call of the same text had a wrong token. No further token is checked then, so
    ///   that a text tries one wrong token.
    private func outcome(of value: JSONValue, _ isRefused: inout Bool) async -> Outcome {
        guard case .object(let call) = value else {
            return (.null, .failure(.invalidRequest("a call is an object")), false)
        }
        let id = call["id"] ?? .null
        switch id {
        case .object, .array, .boolean: return (.null, .failure(.invalidRequest("'id' is a text or a number")), false)
        case .string, .number, .null: break
        }
        let (result, isAuthorized) = await result(of: call, isNested: false, &isRefused)
        return (id, result, isAuthorized)
    }

    private func result(
        of call: [String: JSONValue], isNested: Bool, _ isRefused: inout Bool
    ) async -> (Result<JSONValue, RPCFault>, isAuthorized: Bool) {
        let nameKey = isNested ? "methodName" : "method"
        guard case .string(let name)? = call[nameKey] else {
            return (.failure(.invalidRequest("'\(nameKey)' is missing")), false)
        }
        guard let method = RPCMethod(rawValue: name) else {
            return (.failure(.unknownMethod(String(name.prefix(80)))), false)
        }
        var values: [JSONValue] = []
        switch call["params"] {
        case .array(let list)?: values = list
        case nil, .null?: break
        default: return (.failure(.invalidParameters("'params' is a list")), false)
        }
        // A token may also precede the parameters of methods that need none.
        var token: String?
        if case .string(let text)? = values.first, text.hasPrefix("token:") {
            token = String(text.dropFirst(6))
            values.removeFirst()
        }
        if method.needsToken {
            guard let token else { return (.failure(.unauthorized), false) }
            if !isRefused { isRefused = !tokens.isRight(token) }
            guard !isRefused else { return (.failure(.unauthorized), false) }
        }
        guard !(isNested && method == .multicall) else {
            return (.failure(.invalidRequest("system.multicall cannot contain itself")), false)
        }
        var isAuthorized = method.needsToken
        do {
            if method == .multicall {
                let (results, anyAuthorized) = try await multicall(RPCParameters(values), &isRefused)
                isAuthorized = anyAuthorized
                return (.success(results), isAuthorized)
            }
            return (.success(try await perform(method, RPCParameters(values))), isAuthorized)
        } catch let fault as RPCFault {
            return (.failure(fault), isAuthorized)
        } catch {
            return (.failure(RPCFault("\(error)")), isAuthorized)
        }
    }

    /// Performs a list of calls. As in aria2, the result of each is a list of one value, or an object with its fault.
    private func multicall(
        _ parameters: RPCParameters, _ isRefused: inout Bool
    ) async throws(RPCFault) -> (JSONValue, isAuthorized: Bool) {
        let calls = try parameters.objects(0, "methods")
        guard calls.count <= Self.maximumBatch else {
            throw .invalidParameters("system.multicall may have \(Self.maximumBatch) calls")
        }
        var results: [JSONValue] = []
        var isAuthorized = false
        for call in calls {
            let (result, authorized) = await result(of: call, isNested: true, &isRefused)
            isAuthorized = isAuthorized || authorized
            switch result {
            case .success(let value): results.append(.array([value]))
            case .failure(let fault): results.append(Self.json(fault))
            }
        }
        return (.array(results), isAuthorized)
    }

    // MARK: JSON

    /// Returns the answer to a single call.
    static func answer(
        _ id: JSONValue, _ result: Result<JSONValue, RPCFault>, _ isAuthorized: Bool, isRefused: Bool = false
    ) -> Answer {
        var status = 200
        if case .failure(let fault) = result { status = fault.httpStatus }
        return Answer(
            json: (try? json(id, result).makeData(options: .withoutEscapingSlashes)) ?? Data(), status: status,
            isAuthorized: isAuthorized, isRefused: isRefused)
    }

    private static func json(_ id: JSONValue, _ result: Result<JSONValue, RPCFault>) -> JSONValue {
        var answer: [String: JSONValue] = ["jsonrpc": "2.0", "id": id]
        switch result {
        case .success(let value): answer["result"] = value
        case .failure(let fault): answer["error"] = json(fault)
        }
        return .object(answer)
    }

    private static func json(_ fault: RPCFault) -> JSONValue {
        .object(["code": .number(Double(fault.code)), "message": .string(fault.message)])
    }
}
