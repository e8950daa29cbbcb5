// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

/// Files with several URLs.
@Suite(.timeLimit(.minutes(5))) struct EngineMirrorTests {
    private func specification(_ mirrors: String..., checksum: Bool = false) -> TransferSpecification {
        var specification = EngineFixture.specification()
        specification.url = "http://a/f"
        specification.mirrors = MirrorList(mirrors)
        specification.headers = [HeaderField(name: "X-Key", value: "k"), HeaderField(name: "User-Agent", value: "u")]
        specification.credential = Credential(user: "u", password: "p")
        if checksum { specification.checksum = Checksum(algorithm: .sha256, hexDigest: "00") }
        return specification
    }

    @Test("A failed attempt continues at the next URL at once, which learns no secrets; a retry begins with the first")
    func failover() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification("http://b/f", "http://a/g"))
            #expect(await updates.next() == "1 started 1")
            #expect(fixture.executor.specification(of: id)?.credential != nil)
            fixture.executor.finish(id, status: 404)
            #expect(await updates.next(2) == ["1 retrying  status 0", "1 started 2"])
            let other = try #require(fixture.executor.specification(of: id))
            #expect(other.url == "http://b/f" && other.credential == nil && other.mirrors == nil)
            #expect(other.headers.map(\.name) == ["User-Agent"])
            #expect(fixture.disk.transfers.first?.specification.mirrors?.number == 1)
            fixture.executor.fail(id, .certificate)
            #expect(await updates.next(2) == ["1 retrying  certificate 0", "1 started 3"])
            let own = try #require(fixture.executor.specification(of: id))
            #expect(own.url == "http://a/g" && own.credential != nil && own.headers.count == 2)
            #expect(fixture.disk.transfers.first?.retry == nil)
            // Only the failure at the last URL counts.
            fixture.executor.fail(id, .timeout)
            #expect(await updates.next() == "1 retrying backoff timeout 0")
            #expect(fixture.disk.transfers.first?.retry?.attempts == 1)
            fixture.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "1 started 4")
            #expect(fixture.executor.specification(of: id)?.url == "http://a/f")
            fixture.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
        }
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("The response of the last server ends the transfer, unless an earlier server may come back")
    func lastResponse() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification("http://b/f"))
            _ = await updates.next()
            fixture.executor.finish(id, status: 410)
            _ = await updates.next(2)
            fixture.executor.finish(id, status: 404)
            #expect(await updates.next() == "1 finished 404")
            let second = try await fixture.engine.submit(specification("http://b/f"))
            _ = await updates.next()
            fixture.executor.fail(second, .connection)
            #expect(await updates.next(2) == ["2 retrying  connection 0", "2 started 2"])
            fixture.executor.finish(second, status: 404)
            #expect(await updates.next() == "2 retrying backoff status 0")
            fixture.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "2 started 3")
            #expect(fixture.executor.specification(of: second)?.url == "http://a/f")
        }
    }

    @Test("Bytes are continued at another URL only with a checksum; a server that delivers is tried again")
    func bytes() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            for (isChecked, expected) in [(true, "http://b/f"), (false, "http://a/f")] {
                let id = try await fixture.engine.submit(specification("http://b/f", checksum: isChecked))
                _ = await updates.next()
                fixture.executor.checkpoint(id, at: 50)
                fixture.executor.fail(id, .connection)
                #expect(await updates.next() == "\(id) retrying backoff connection 50")
                fixture.alarm.advance(by: .seconds(10))
                #expect(await updates.next() == "\(id) started 2")
                #expect(fixture.executor.specification(of: id)?.url == "http://a/f")
                // The second attempt brings nothing.
                fixture.executor.fail(id, .connection)
                let isElsewhere = expected == "http://b/f"
                #expect(await updates.next() == "\(id) retrying \(isElsewhere ? "" : "backoff") connection 50")
                if !isElsewhere { fixture.alarm.advance(by: .seconds(10)) }
                #expect(await updates.next() == "\(id) started 3")
                #expect(fixture.executor.specification(of: id)?.url == expected)
                #expect(fixture.executor.log.contains(.start(id, offset: 50)))
                // A server without the file ends the stay at a URL in any case.
                if !isElsewhere {
                    fixture.executor.finish(id, status: 404)
                    #expect(await updates.next(2).last == "\(id) started 4")
                    #expect(fixture.executor.specification(of: id)?.url == "http://b/f")
                    #expect(fixture.executor.log.last == .start(id, offset: 0))
                }
                fixture.executor.finish(id)
                #expect(await updates.next() == "\(id) finished 200")
            }
        }
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("A mirror with wrong bytes does not end the transfer, and failures of this machine stay at their URL")
    func wrongBytes() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(specification("http://b/f", "http://c/f", checksum: true))
            _ = await updates.next()
            for attempt in 2...3 {
                fixture.executor.checkpoint(id, at: 50)
                fixture.executor.fail(id, .checksumMismatch)
                #expect(await updates.next(2) == ["1 retrying  checksumMismatch 0", "1 started \(attempt)"])
                #expect(fixture.executor.log.last == .start(id, offset: 0))
            }
            fixture.executor.fail(id, .destination)
            #expect(await updates.next()?.hasPrefix("1 failed") == true)
        }
    }
}
