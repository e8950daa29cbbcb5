// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@testable import BackgroundTransfer

@Suite("Apple's names that Foundation lacks on Linux")
struct NamesTests {
    @Test("S10: copies and descriptions of a request keep its refusal of expensive and constrained networks")
    func networks() throws {
        var request = URLRequest(url: try #require(URL(string: "http://h/a")))
        #expect(request.allowsExpensiveNetworkAccess && request.allowsConstrainedNetworkAccess)
        // The defaults are not sent, because earlier versions of the daemon do not know these fields.
        #expect(try RequestDescription(request).allowsExpensiveNetworkAccess == nil)
        request.setValue("b", forHTTPHeaderField: "A")
        request.allowsExpensiveNetworkAccess = false
        let copy = request
        request.allowsConstrainedNetworkAccess = false
        #expect(!copy.allowsExpensiveNetworkAccess && copy.allowsConstrainedNetworkAccess)
        #expect(copy.value(forHTTPHeaderField: "A") == "b")
        let description = try RequestDescription(request)
        #expect(description.allowsExpensiveNetworkAccess == false)
        #expect(description.allowsConstrainedNetworkAccess == false)
        #expect(description.headers == ["A": "b"])
        let again = try #require(description.request)
        #expect(!again.allowsExpensiveNetworkAccess && !again.allowsConstrainedNetworkAccess)
        request.allowsExpensiveNetworkAccess = true
        #expect(request.allowsExpensiveNetworkAccess)
        request.allowsConstrainedNetworkAccess = true
        #expect(request.allHTTPHeaderFields == ["A": "b"])
    }

    @Test("T1: a download's request keeps its body; a stream or a body that is too long is rejected")
    func bodies() throws {
        var request = URLRequest(url: try #require(URL(string: "http://h/a")))
        request.httpMethod = "POST"
        request.httpBody = Data([1, 2])
        let description = try RequestDescription(ofDownload: request)
        #expect(description.body == [1, 2])
        #expect(description.request?.httpBody == Data([1, 2]))
        #expect(try RequestDescription(request).body == nil)
        request.httpBody = Data(count: RequestBody.longest + 1)
        #expect { try RequestDescription(ofDownload: request) } throws: {
            ($0 as? SessionError)?.code == .unsupportedTask
        }
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: Data([1]))
        #expect(throws: SessionError.self) { try RequestDescription(ofDownload: request) }
    }

    @Test("S8: each container gets a folder, and no identifier escapes the parent folder")
    func containers() throws {
        let manager = FileManager.default
        let name = "group.example.\(UUID().uuidString)"
        let folder = try #require(manager.containerURL(forSecurityApplicationGroupIdentifier: name))
        defer { try? manager.removeItem(at: folder) }
        #expect(folder.lastPathComponent == name)
        #expect(manager.isWritableFile(atPath: folder.path))
        #expect(manager.containerURL(forSecurityApplicationGroupIdentifier: name) == folder)
        for wrong in ["", "..", ".a", "a/b", "/etc", "a\0b", String(repeating: "a", count: 256)] {
            #expect(manager.containerURL(forSecurityApplicationGroupIdentifier: wrong) == nil, "\(wrong)")
        }
    }
}
