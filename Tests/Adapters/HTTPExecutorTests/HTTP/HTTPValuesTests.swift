// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import HTTPSyntax
import Testing
import TransferEngine
import TransferFiles
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

struct HTTPValuesTests {
    @Test(
        "All three date formats are parsed",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ])
    func dates(text: String) { #expect(HTTPDate.seconds(text) == 784_111_777) }

    @Test(
        "Invalid dates are rejected",
        arguments: [
            "", "tomorrow", "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8h GMT",
        ])
    func noDates(text: String) { #expect(HTTPDate.seconds(text) == nil) }

    @Test("Leap years are handled")
    func leapYears() {
        #expect(HTTPDate.seconds("Tue, 29 Feb 2000 00:00:00 GMT") == 951_782_400)
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        // A day that the month does not have counts on into the next month.
        #expect(HTTPDate.seconds("Wed, 31 Feb 2000 00:00:00 GMT") == 951_955_200)
    }

    @Test("Retry-After is parsed as seconds and as a date")
    func retryAfter() {
        #expect(HTTPDate.retryAfterSeconds("120", now: 5) == 120)
        #expect(HTTPDate.retryAfterSeconds("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_700) == 77)
        #expect(HTTPDate.retryAfterSeconds("Sun, 06 Nov 1994 08:49:37 GMT", now: 784_111_800) == 0)
        #expect(HTTPDate.retryAfterSeconds("soon", now: 0) == nil)
        #expect(HTTPDate.retryAfterSeconds("-1", now: 0) == nil)
        #expect(HTTPDate.retryAfterSeconds(nil, now: 0) == nil)
    }

    @Test("N5: a date in Retry-After is read against the response's own Date", arguments: ["Date", "date", "Expires"])
    func serverClock(name: String) {
        let head = ResponseHead(
            status: 503,
            fields: [
                HeaderField(name: "Retry-After", value: "Sun, 06 Nov 1994 08:49:37 GMT"),
                HeaderField(name: name, value: "Sunday, 06-Nov-94 08:49:07 GMT"),
            ])
        // By the clock of this machine, the date is 100 seconds ahead.
        let failure = head.temporaryStatusFailure(from: URLReference("http://H:80/x"), now: 784_111_677)
        #expect(failure.retryAfterSeconds == (name == "Expires" ? 100 : 30))
        #expect(failure.retryAfterServer == "http://h:80" && failure.message.hasPrefix("h:80 returned 503"))
    }

    @Test("Content-Range is parsed strictly")
    func contentRange() {
        #expect(ContentRange("bytes 0-9/20")?.bytes == 0...9)
        #expect(ContentRange("Bytes 0-9/20")?.total == 20)
        #expect(ContentRange("bytes 5-9/*")?.total == nil)
        #expect(ContentRange("bytes */20")?.total == 20)
        let wrong = [
            "", "bytes", "bytes 0-9", "bytes 9-0/20", "bytes 0-20/20", "bytes -5/20", "items 0-9/20", "bytes +0-9/20",
            "bytes 0-99999999999999999999/*",
        ]
        for text in wrong { #expect(ContentRange(text) == nil, "\(text)") }
    }

    @Test("A total that does not fit is still a total")
    func impossibleTotal() {
        #expect(ContentRange("bytes 0-9/99999999999999999999")?.hasImpossibleTotal == true)
        #expect(ContentRange("bytes */9007199254740993")?.hasImpossibleTotal == true)
        #expect(ContentRange("bytes 0-9/9007199254740992")?.hasImpossibleTotal == false)
        #expect(ContentRange("bytes 0-9/*")?.hasImpossibleTotal == false)
    }

    @Test(
        "Content-Length is a number that a file's size can have",
        arguments: [
            ("0", 0), ("12", 12), ("9007199254740992", 9_007_199_254_740_992), ("9007199254740993", nil),
            ("99999999999999999999", nil), ("-1", nil), ("+1", nil), ("many", nil), ("5, 5", 5), ("5, 6", nil),
        ] as [(String, Int64?)])
    func contentLength(text: String, expected: Int64?) {
        var head = ResponseHead(status: 200, fields: [HeaderField(name: "content-length", value: text)])
        #expect(head.contentLength == expected)
        #expect(head.hasImpossibleLength == (expected == nil))
        head.fields.append(HeaderField(name: "Transfer-Encoding", value: "chunked"))
        #expect(!head.hasImpossibleLength)
    }

    private static func isSuspected(
        _ url: String, type: String = "text/html", fields: [String: String] = [:], accept: String? = nil,
        version: String? = nil, total: Int64? = nil, known: String? = nil, isContinuing: Bool = false,
        acceptsPages: Bool = false
    ) -> Bool {
        let all = fields.merging(["Content-Type": type]) { $1 }.map { HeaderField(name: $0.key, value: $0.value) }
        var request = RequestPlan(
            url: url, headers: accept.map { [HeaderField(name: "Accept", value: $0)] } ?? [], userAgent: "t")
        request.acceptsWebPages = acceptsPages
        let expected = DownloadStateMachine.ExpectedFile(
            file: known.map { ServerFile(url: url, status: 206, mediaType: $0) }, total: total,
            version: version.map { Validator(entityTag: $0, lastModified: nil) })
        return CaptivePortal.isSuspected(
            ResponseHead(status: 200, fields: all), request: request, expected: expected, isContinuing: isContinuing)
    }

    @Test(
        "N6: a type alone is no reason to suspect a login page",
        arguments: ["zip", "csv", "json", "iso", "exe", "pdf", "html", "", "mp3", "txt"])
    func type(ending: String) {
        #expect(!Self.isSuspected("http://a.net/a.\(ending)"))
        #expect(!Self.isSuspected("http://a.net/a.\(ending)", accept: "*/*"))
        #expect(!Self.isSuspected("http://a.net/a.\(ending)", type: "application/xhtml+xml"))
    }

    @Test(
        "N6: a page is suspected if it is not what the transfer accepts, except from this machine or its network",
        arguments: [
            ("http://a.net/a", "application/json", true), ("http://a.net/a", "application/json, */*;q=0.1", false),
            ("http://a.net/a", "text/html", false), ("http://a.net/a", "text/*", false),
            ("http://127.0.0.1/a", "application/json", false), ("http://10.0.0.1/a", "application/json", false),
            ("http://[::1]:80/a", "application/json", false), ("http://localhost/a", "application/json", false),
        ])
    func accepted(url: String, accept: String, expected: Bool) {
        #expect(Self.isSuspected(url, accept: accept) == expected)
        #expect(!Self.isSuspected(url, type: "application/json", accept: accept))
        let disposition = ["Content-Disposition": "attachment; filename=a.zip"]
        #expect(!Self.isSuspected(url, fields: disposition, accept: accept))
    }

    @Test(
        "N6: a page that continues a file is suspected if its version or size differs, or if the file is no page",
        arguments: [
            ("a", "\"b\"", nil, true), ("a", "\"a\"", nil, false), ("a", nil, nil, true),
            ("a", "\"b\"", "text/plain", true), ("a", "\"b\"", "text/html", false), ("a.html", "\"b\"", nil, false),
            ("a/", "\"b\"", nil, false),
        ] as [(String, String?, String?, Bool)])
    func continuing(path: String, tag: String?, known: String?, expected: Bool) {
        let fields = ["ETag": tag].compactMapValues(\.self)
        func isSuspected(_ host: String) -> Bool {
            Self.isSuspected(
                "http://\(host)/\(path)", fields: fields, version: "\"a\"", known: known, isContinuing: true)
        }
        #expect(isSuspected("a.net") == expected)
        #expect(!isSuspected("127.0.0.1:8080"))
    }

    @Test("N6: a transfer that accepts all pages suspects none")
    func acceptsPages() {
        #expect(!Self.isSuspected("http://a.net/a", accept: "application/json", acceptsPages: true))
        #expect(!Self.isSuspected("http://a.net/a", known: "text/plain", isContinuing: true, acceptsPages: true))
    }

    @Test("N6: without a version, the size decides")
    func size() {
        for (length, expected) in [("300", false), ("299", true)] {
            let isSuspected = Self.isSuspected(
                "http://a.net/a", fields: ["Content-Length": length], total: 300, isContinuing: true)
            #expect(isSuspected == expected)
        }
    }

    @Test(
        "URLSession's errors are distinguished",
        arguments: [
            (-1, "transfer closed with 5 bytes remaining to read", FailureCause.connection),
            (-1, "Failed to connect to h port 1: No route to host", .connection),
            (-1, "SSL certificate problem: certificate has expired", .certificate),
            (-1, "SSL: no alternative certificate subject name matches target host name 'x'", .certificate),
            (-1, "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", .connection),
            (-1, "OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number", .unsupportedURL),
            (-1, "OpenSSL/3.0: error:0A000410:SSL routines::sslv3 alert handshake failure", .handshake),
            (-1, "Failed writing header", .malformedResponse),
            (-1, "Too large response headers: 400000 > 307200", .malformedResponse),
            (-1, "Unrecognized content encoding type.", .encodedBody),
            (-1, "Could not resolve proxy: p", .nameResolution),
            (-1001, "", .timeout), (-1003, "Could not resolve host: h", .nameResolution), (-1004, "", .connection),
            (-1005, "Recv failure: Connection reset by peer", .connection),
            (-1011, "Empty reply from server", .connection),
            (-1002, "Received HTTP/0.9 when not allowed", .malformedResponse), (-1000, "", .unsupportedURL),
            (-1, "whatever", .connection),
        ])
    func errors(code: Int, text: String, cause: FailureCause) {
        let failure = TransportFailure.failure(code: code, text: text, host: "h")
        #expect(failure.cause == cause)
        #expect(failure.message.hasSuffix("."))
    }

    @Test("The transport's own words are left out if the sentence says the same")
    func refused() {
        let text = "Failed to connect to h port 1 after 0 ms: Couldn't connect to server"
        #expect(TransportFailure.failure(code: -1004, text: text, host: "h").message == "h refused the connection.")
    }

    @Test(
        "An error of the connection to a proxy names the proxy, not the server",
        arguments: [
            (-1004, "", "The proxy p:9 refused the connection."),
            (
                -1, "Failed to connect to p port 9: No route to host",
                "Could not connect to the proxy p:9: Failed to connect to p port 9: No route to host."
            ),
            (
                -1, "CONNECT tunnel failed, response 502",
                "The proxy p:9 did not connect to h: CONNECT tunnel failed, response 502."
            ),
            (-1005, "", "h dropped the connection."),
        ])
    func proxyErrors(code: Int, text: String, message: String) {
        let failure = TransportFailure.failure(code: code, text: text, host: "h", proxy: "p:9")
        #expect(failure.message == message)
        #expect(failure.cause == .connection)
    }
}
