// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@Suite("Bytes as Base64")
struct Base64BytesTests {
    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test("The text matches the RFC, and decodes")
    func text() throws {
        for (text, expected) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy"),
        ] {
            let bytes = Base64Bytes(Array(text.utf8))
            #expect(bytes.text == expected)
            #expect(try decode(Base64Bytes.self, "\"\(expected)\"") == bytes)
        }
        let all = Base64Bytes((0...255).map(UInt8.init) + [1, 2])
        #expect(all.text == Data(all.bytes).base64EncodedString())
        #expect(try decode(Base64Bytes.self, "\"\(all.text)\"") == all)
    }

    @Test("Other texts are refused", arguments: ["a", "Zg=", "Z===", "Zg==Zg==", "Zm9 v", "Zm9ä", "===="])
    func refused(text: String) {
        #expect(throws: DecodingError.self) { try decode(Base64Bytes.self, "\"\(text)\"") }
    }

    @Test("Rows of earlier versions, with arrays of numbers, still decode")
    func arrays() throws {
        let request = try decode(
            RequestDescription.self,
            #"{"url":"http://h/","method":"POST","headers":{},"allowsCellularAccess":true,"body":[0,7,255]}"#)
        #expect(request.body == [0, 7, 255])
        #expect(
            try decode(RequestBody.self, #"{"method":"PUT","bytes":[1,2]}"#)
                == RequestBody(method: "PUT", bytes: [1, 2]))
    }

    @Test("A stored body has at most a third more bytes than the body itself")
    func size() throws {
        let bytes = [UInt8](repeating: 255, count: RequestBody.longest)
        var request = RequestDescription(url: "http://h/", method: "POST")
        request.body = bytes
        for row in [
            try JSONEncoder().encode(request), try JSONEncoder().encode(RequestBody(method: "POST", bytes: bytes)),
        ] {
            // JSONEncoder may write a slash as two characters.
            let length = String(decoding: row, as: UTF8.self).replacing("\\/", with: "/").utf8.count
            #expect(length < RequestBody.longest * 4 / 3 + 200)
        }
        #expect(try JSONDecoder().decode(RequestDescription.self, from: JSONEncoder().encode(request)) == request)
    }
}
