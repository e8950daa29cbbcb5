// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel

@testable import BackgroundTransfer

/// The properties of a response, against the values that Apple documents for `URLResponse` and `HTTPURLResponse`.
///
/// Each test also checks the value of FoundationNetworking, so that it fails once FoundationNetworking is mended and
/// the override has become superfluous.
@Suite("E1: the properties of a response")
struct AppResponseTests {
    /// A response, and its two forms: for the app, and as FoundationNetworking makes it.
    private func responses(
        _ fields: [String: String], at text: String = "https://example.org/a/b.bin?c=d"
    ) throws -> (ours: HTTPURLResponse, plain: HTTPURLResponse) {
        let url = try #require(URL(string: text))
        return (
            try #require(ResponseDescription(url: text, status: 200, headers: fields).response),
            try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        )
    }

    @Test(
        "The suggested name is that of the server, of the URL, or of the host",
        arguments: [
            ("https://example.org/a/b.bin?c=d", nil, "b.bin", "Unknown"),
            ("https://example.org/a/b%20c%C3%A9.bin", nil, "b cé.bin", "Unknown"),
            ("https://example.org/a/", nil, "a", "Unknown"), ("https://example.org/", nil, "example.org", "Unknown"),
            ("https://example.org", "attachment", "example.org", "Unknown"),
            ("https://example.org/a", "attachment; filename=\"c d.pdf\"", "c d.pdf", "c d.pdf"),
            ("https://example.org/a", "attachment; FileName=c.pdf", "c.pdf", "Unknown"),
            ("https://example.org/a", "attachment; filename*=UTF-8''%e2%82%ac.txt", "€.txt", "Unknown"),
            ("https://example.org/a", "attachment; filename=../../.profile", "profile", ".._.._.profile"),
            ("https://example.org/a", "attachment; filename=..", "a", ".."),
        ])
    func name(url: String, disposition: String?, name: String, plainName: String) throws {
        let (ours, plain) = try responses(disposition.map { ["content-disposition": $0] } ?? [:], at: url)
        #expect(ours.suggestedFilename == name)
        #expect((ours as URLResponse).suggestedFilename == name)
        #expect(plain.suggestedFilename == plainName)
    }

    @Test(
        "The expected length is -1 if it cannot be determined",
        arguments: [
            (["Content-Length": "5"], 5, 5), ([:], -1, -1), (["Content-Length": "five"], -1, -1),
            (["content-length": "5", "Content-Encoding": "identity"], 5, 5),
            (["Content-Length": "5", "content-encoding": "gzip"], -1, 5), (["Content-Length": "-5"], -1, -5),
        ] as [([String: String], Int64, Int64)])
    func length(fields: [String: String], length: Int64, plainLength: Int64) throws {
        let (ours, plain) = try responses(fields)
        #expect(ours.expectedContentLength == length)
        #expect(plain.expectedContentLength == plainLength)
    }

    @Test(
        "The type and the encoding are those of the server, in lowercase",
        arguments: [
            ("Text/HTML; charset=\"UTF-8\"", "text/html", "utf-8", "text/html", "utf-8"),
            ("text/html ;Charset=ISO-8859-1 ", "text/html", "iso-8859-1", "text/html ", nil),
            ("application/pdf", "application/pdf", nil, "application/pdf", nil), (nil, nil, nil, nil, nil),
        ] as [(String?, String?, String?, String?, String?)])
    func type(field: String?, type: String?, encoding: String?, plainType: String?, plainEncoding: String?) throws {
        let (ours, plain) = try responses(field.map { ["Content-Type": $0] } ?? [:])
        #expect(ours.mimeType == type)
        #expect(ours.textEncodingName == encoding)
        #expect(plain.mimeType == plainType)
        #expect(plain.textEncodingName == plainEncoding)
    }

    @Test("The other properties are FoundationNetworking's own, also after archiving and copying")
    func others() throws {
        let fields = ["content-length": "5", "ETag": "\"v\"", "x-Own": "1", "www-authenticate": "Basic"]
        let (ours, plain) = try responses(fields)
        #expect(ours.url == plain.url && ours.statusCode == 200)
        #expect(ours.allHeaderFields as? [String: String] == plain.allHeaderFields as? [String: String])
        #expect(
            ours.allHeaderFields.keys.compactMap { $0 as? String }.sorted()
                == ["Content-Length", "Etag", "WWW-Authenticate", "x-Own"])
        #expect(ours.value(forHTTPHeaderField: "CONTENT-LENGTH") == "5")
        #expect(ours.isEqual(plain) && ours.hash == plain.hash)
        let data = try NSKeyedArchiver.archivedData(withRootObject: ours, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: data)
        #expect(again?.suggestedFilename == "b.bin")
        #expect((ours.copy() as? HTTPURLResponse)?.suggestedFilename == "b.bin")
    }
}
