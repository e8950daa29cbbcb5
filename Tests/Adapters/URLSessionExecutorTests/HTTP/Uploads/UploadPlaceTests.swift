// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel

@testable import URLSessionExecutor

@Suite struct UploadPlaceTests {
    private let plan = UploadPlan(
        request: RequestPlan(
            url: "https://host/files", headers: [HeaderField(name: "Authorization", value: "secret")],
            userAgent: "test"),
        source: UploadSource(path: "/tmp/f", size: 1_000_000, modified: 7))

    private func place(_ location: String?, from url: String = "https://host/files") -> UploadPlace? {
        let fields = location.map { [HeaderField(name: "Location", value: $0)] } ?? []
        return UploadPlace(.tus, ResponseHead(status: 201, fields: fields), from: url, for: plan)
    }

    @Test("a place is where the answer's Location leads from the answer's own address")
    func location() {
        #expect(place("/files/1")?.resource == UploadResume(kind: .tus, url: "https://host/files/1", modified: 7))
        #expect(place("2", from: "https://other/a/b")?.resource.url == "https://other/a/2")
        #expect(place("https://third/3")?.resource.url == "https://third/3")
        #expect(place("/files/1")?.confirmed == 0)
    }

    @Test("no place is without a Location, in clear text after https, or of another scheme")
    func noPlace() {
        for location in [nil, "http://host/files/1", "ftp://host/files/1", "https:///files/1"] {
            #expect(place(location) == nil, "\(location ?? "no Location")")
        }
    }

    @Test("a question takes secrets along to the upload's own server only")
    func secrets() throws {
        let near = try #require(place("/files/1")?.question(.offset, of: plan))
        #expect(near.url == "https://host/files/1")
        #expect(near.visited == ["https://host/files/1"])
        #expect(near.fields.contains(HeaderField(name: "Authorization", value: "secret")))
        let far = try #require(place("https://other/1")?.question(.offset, of: plan))
        #expect(far.url == "https://other/1")
        #expect(!far.fields.contains { $0.name == "Authorization" })
    }

    @Test("a recorded place that may not be asked any more has no question")
    func forbidden() {
        let place = UploadPlace(resource: UploadResume(kind: .tus, url: "http://host/files/1", modified: 7))
        #expect(place.question(.offset, of: plan) == nil)
    }

    @Test("a server may contradict itself three times, and anew once it has more")
    func contradictions() {
        var place = UploadPlace(resource: UploadResume(kind: .tus, url: "https://host/1", modified: 7))
        func confirm(_ offsets: Int64...) -> [Bool] { offsets.map { place.confirm($0) } }
        func contradict(_ times: Int) -> [Bool] { (0..<times).map { _ in place.contradict() } }
        #expect(confirm(100, 100, 40) == [true, true, true])
        #expect(place.confirmed == 40)
        #expect(contradict(2) == [true, false])
        // A word that is not believed changes nothing, but more bytes are a fact.
        #expect(confirm(40, 10) == [false, false])
        #expect(place.confirmed == 40)
        #expect(confirm(41) == [true])
        #expect(contradict(4) == [true, true, true, false])
    }
}
