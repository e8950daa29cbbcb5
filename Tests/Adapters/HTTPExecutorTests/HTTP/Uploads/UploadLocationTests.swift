// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import HTTPExecutor

@Suite struct UploadLocationTests {
    private let plan = UploadPlan(
        request: RequestPlan(
            url: "https://host/files", headers: [HeaderField(name: "Authorization", value: "secret")],
            userAgent: "test"),
        source: UploadSource(path: "/tmp/f", size: 1_000_000, modified: 7))

    private func uploadLocation(_ location: String?, from url: String = "https://host/files") -> UploadLocation? {
        let fields = location.map { [HeaderField(name: "Location", value: $0)] } ?? []
        return UploadLocation(.tus, ResponseHead(status: 201, fields: fields), from: url, for: plan)
    }

    @Test("The upload URL is the response's Location, resolved against the response's URL")
    func location() {
        #expect(
            uploadLocation("/files/1")?.resource == UploadResume(kind: .tus, url: "https://host/files/1", modified: 7))
        #expect(uploadLocation("2", from: "https://other/a/b")?.resource.url == "https://other/a/2")
        #expect(uploadLocation("https://third/3")?.resource.url == "https://third/3")
        #expect(uploadLocation("/files/1")?.confirmed == 0)
    }

    @Test("There is no upload URL without a Location, in clear text after https, or with another scheme")
    func noLocation() {
        for location in [nil, "http://host/files/1", "ftp://host/files/1", "https:///files/1"] {
            #expect(uploadLocation(location) == nil, "\(location ?? "no Location")")
        }
    }

    @Test("A request carries secrets only to the server of the upload")
    func secrets() throws {
        let near = try #require(uploadLocation("/files/1")?.attemptRequest(.offset, of: plan))
        #expect(near.url == "https://host/files/1")
        #expect(near.visited == ["https://host/files/1"])
        #expect(near.fields.contains(HeaderField(name: "Authorization", value: "secret")))
        let far = try #require(uploadLocation("https://other/1")?.attemptRequest(.offset, of: plan))
        #expect(far.url == "https://other/1")
        #expect(!far.fields.contains { $0.name == "Authorization" })
    }

    @Test("A recorded upload URL that is no longer allowed produces no request")
    func forbidden() {
        let uploadLocation = UploadLocation(resource: UploadResume(kind: .tus, url: "http://host/files/1", modified: 7))
        #expect(uploadLocation.attemptRequest(.offset, of: plan) == nil)
    }

    @Test("A server may contradict itself three times, and again after it has received more bytes")
    func contradictions() {
        var uploadLocation = UploadLocation(resource: UploadResume(kind: .tus, url: "https://host/1", modified: 7))
        func confirm(_ offsets: Int64...) -> [Bool] { offsets.map { uploadLocation.confirm($0) } }
        func contradict(_ times: Int) -> [Bool] { (0..<times).map { _ in uploadLocation.contradict() } }
        #expect(confirm(100, 100, 40) == [true, true, true])
        #expect(uploadLocation.confirmed == 40)
        #expect(contradict(2) == [true, false])
        // A word that is not believed changes nothing, but more bytes are a fact.
        #expect(confirm(40, 10) == [false, false])
        #expect(uploadLocation.confirmed == 40)
        #expect(confirm(41) == [true])
        #expect(contradict(4) == [true, true, true, false])
    }
}
