// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Synchronization
import Testing
import TransferModel

@testable import AriaRPC

/// Tests of the form of calls: JSON-RPC 2.0 with aria2's tokens.
@Suite("D5: calls of aria2's JSON-RPC")
struct RPCCallsTests {
    @Test("a call without the token gets nothing, whatever it calls", arguments: RPCMethod.allCases)
    func token(method: RPCMethod) async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        guard method.needsToken else { return }
        for parameters in [[], [JSONValue.string("token:wrong")], [.string("0123456789abcdef")], [.null]] {
            let answer = try await fixture.answer(method.rawValue, parameters)
            #expect(answer["result"] == nil && answer["error"]?["code"] == .number(1), "\(answer)")
        }
        #expect(fixture.manager.state.withLock { $0.controls.isEmpty && $0.transfers.isEmpty })
    }

    @Test(
        "a faulty text gets a code of JSON-RPC",
        arguments: [
            ("", -32700), ("{", -32700), ("[]", -32600), ("7", -32700), ("{}", -32600), (#"{"method":7}"#, -32600),
            (#"{"method":"aria2.nope"}"#, -32601), (#"{"method":"aria2.addUri","params":{}}"#, -32602),
            (#"{"method":"system.multicall","params":[7]}"#, -32602),
            (#"{"id":{},"method":"system.listMethods"}"#, -32600),
            (String(repeating: "[", count: 100_000), -32600),
        ])
    func faults(text: String, code: Double) async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let answer = try JSONValue(data: await fixture.calls.answer(Data(text.utf8)).json)
        #expect(answer["error"]?["code"] == .number(code), "\(answer)")
    }

    @Test("an id comes back as it was, and true is no number")
    func identifiers() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        for (id, expected) in [("\"x\"", "\"x\""), ("7", "7"), ("null", "null"), ("true", "null")] {
            let text = #"{"id":\#(id),"method":"system.listNotifications"}"#
            let answer = String(decoding: await fixture.calls.answer(Data(text.utf8)).json, as: UTF8.self)
            #expect(answer.contains(#""id":\#(expected)"#), "\(answer)")
        }
    }

    @Test("a list of calls and system.multicall answer each call, and multicall cannot contain itself")
    func batches() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let batch = Data(#"[{"id":1,"method":"system.listMethods"},{"id":2,"method":"aria2.nope"}]"#.utf8)
        let answers = try JSONValue(data: await fixture.calls.answer(batch).json)
        #expect(answers.count == 2 && answers[0]?["result"]?.count == RPCMethod.allCases.count)
        #expect(answers[1]?["error"]?["code"] == .number(-32601))

        let token = JSONValue.string("token:" + RPCFixture.token)
        func nested(_ method: String, _ parameters: [JSONValue]) -> JSONValue {
            .object(["methodName": .string(method), "params": .array(parameters)])
        }
        let calls = JSONValue.array([
            nested("aria2.getVersion", [token]), nested("aria2.getVersion", []),
            nested("system.multicall", [.array([])]),
        ])
        let answer = try await fixture.answer("system.multicall", [calls])
        let result = try #require(answer["result"])
        #expect(result[0]?[0]?["version"] == "1.2.3")
        #expect(result[1]?["code"] == .number(1) && result[2]?["code"] == .number(-32600))
    }

    @Test("no token is checked after a wrong one of the same text, whose answer is delayed")
    func wrongTokenInBatch() async throws {
        let fixture = try RPCFixture()
        defer { fixture.end() }
        let wrong = #"{"id":1,"method":"aria2.getVersion","params":["token:wrong"]}"#
        let right = #"{"id":2,"method":"aria2.getVersion","params":["token:\#(RPCFixture.token)"]}"#
        let list = "[" + ([right] + Array(repeating: wrong, count: 900) + [right]).joined(separator: ",") + "]"
        let answer = await fixture.calls.answer(Data(list.utf8))
        let answers = try JSONValue(data: answer.json)
        #expect(answers.count == 902 && answers[0]?["result"] != nil && answers[901]?["error"] != nil)
        #expect(answer.isAuthorized && answer.isRefused)
        for (text, isRefused) in [(wrong, true), (right, false), (#"{"id":1,"method":"system.listMethods"}"#, false)] {
            #expect(await fixture.calls.answer(Data(text.utf8)).isRefused == isRefused, "\(text)")
        }
    }

    @Test("a GET request contains the call in its query, and JSONP is refused")
    func query() throws {
        typealias Item = HTTPRequest.QueryItem
        let parameters = Data(#"["token:x",7]"#.utf8).base64EncodedString()
        let call = try RPCHandler.call(in: [
            Item(name: "method", value: "aria2.getVersion"), Item(name: "id", value: "a"),
            Item(name: "params", value: parameters),
        ])
        #expect(call["method"] == "aria2.getVersion" && call["id"] == "a" && call["params"]?[1] == .number(7))
        #expect(throws: RPCFault.self) { try RPCHandler.call(in: [Item(name: "params", value: "%")]) }
        #expect(throws: RPCFault.self) { try RPCHandler.call(in: [Item(name: "id", value: "a")]) }
        #expect(throws: RPCFault.self) {
            try RPCHandler.call(in: [Item(name: "method", value: "m"), Item(name: "jsoncallback", value: "f")])
        }
    }

    @Test(
        "a web page may call only from a listed origin, and only by the name of this machine",
        arguments: [
            ("localhost:6800", nil, nil, true), ("127.0.0.1", nil, nil, true), ("[::1]:6800", nil, nil, true),
            ("localhost:6801", nil, nil, false), ("evil.example:6800", nil, nil, false), (nil, nil, nil, false),
            ("localhost:6800", "http://localhost:8080", nil, true),
            ("localhost:6800", "http://LOCALHOST:8080", nil, true),
            ("localhost:6800", "http://localhost:6800", nil, true), ("localhost:6800", "null", nil, false),
            ("localhost:6800", "http://evil.example", nil, false), ("localhost:6800", "file://", nil, false),
            ("localhost:6800", nil, "cross-site", false), ("localhost:6800", nil, "none", true),
            ("evil.example:6800", "http://localhost:8080", nil, false),
        ] as [(String?, String?, String?, Bool)])
    func origins(host: String?, origin: String?, site: String?, isAllowed: Bool) {
        let rule = OriginRule(origins: ["http://localhost:8080"], port: 6800)
        #expect((rule.fault(of: .init(host: host, origin: origin, fetchSite: site)) == nil) == isAllowed)
    }
}
