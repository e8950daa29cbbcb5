// SPDX-License-Identifier: Apache-2.0
import FlyingFox
import Foundation
import Testing
import TransferModel

@testable import AriaRPC

/// The calls of a server with a daemon in memory and a folder of its own.
struct RPCFixture {
    static let token = "0123456789abcdef"

    let manager = FakeManager()
    let folder: DownloadFolder
    let calls: RPCCalls

    init() throws {
        let path = NSTemporaryDirectory() + "/rpc-\(UUID().uuidString)"
        folder = try DownloadFolder(path)
        let downloads = DownloadService(manager, ended: manager, settings: .init(folder: folder))
        calls = RPCCalls(downloads: downloads, tokens: TokenCheck(Self.token), version: "1.2.3")
    }

    func end() { try? FileManager.default.removeItem(atPath: folder.path) }

    /// Performs a call with the token, and returns its result.
    func call(_ method: RPCMethod, _ parameters: JSONValue...) async throws -> JSONValue {
        let answer = try await answer(method.rawValue, [.string("token:" + Self.token)] + parameters)
        return try #require(answer["result"], "\(answer)")
    }

    /// Performs a call with the token that fails, and returns its message.
    func fault(_ method: RPCMethod, _ parameters: JSONValue...) async throws -> String {
        let answer = try await answer(method.rawValue, [.string("token:" + Self.token)] + parameters)
        guard case .object(let fault)? = answer["error"], case .string(let message)? = fault["message"] else {
            Issue.record("\(answer)")
            return ""
        }
        return message
    }

    func answer(_ method: String, _ parameters: [JSONValue]) async throws -> [String: JSONValue] {
        let call: JSONValue = .object([
            "jsonrpc": "2.0", "id": "1", "method": .string(method), "params": .array(parameters),
        ])
        guard case .object(let answer) = try JSONValue(data: await calls.answer(call).json) else { return [:] }
        return answer
    }

    /// Adds a download, and returns its GID.
    func add(_ url: String = "http://example.org/file", _ options: [String: JSONValue] = [:]) async throws -> JSONValue
    {
        try await call(.addURI, .array([.string(url)]), .object(options))
    }
}

extension JSONValue {
    subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    subscript(index: Int) -> JSONValue? {
        guard case .array(let items) = self, items.indices.contains(index) else { return nil }
        return items[index]
    }

    var count: Int? {
        guard case .array(let items) = self else { return nil }
        return items.count
    }
}
