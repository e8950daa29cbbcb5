// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import SessionLogic

@Suite("The conditions of a task")
struct TaskConditionsTests {
    private static func record(_ change: (inout TaskConditions) -> Void) -> TaskRecord {
        var conditions = TaskConditions()
        change(&conditions)
        var snapshot = TaskSnapshot(
            identifier: 1, kind: .download, request: RequestDescription(url: "http://example.org/1"))
        snapshot.conditions = conditions
        return TaskRecord(snapshot: snapshot)
    }

    private let now = WallTime(secondsSinceEpoch: 1_000_000)

    @Test("A8: a task's conditions add to those of its session, and weaken none")
    func tightens() {
        var settings = SessionSettings(identifier: "s")
        (settings.allowsExpensiveNetworkAccess, settings.allowsCellularAccess) = (false, false)
        var record = Self.record {
            $0.constraints.power = .ac
            $0.constraints.metered = .allowed
            $0.constraints.linkKinds = [.cellular, .wifi]
            $0.constraints.notBefore = now
            $0.constraints.deadline = now.advanced(by: .seconds(60))
        }
        var constraints = record.constraints(by: settings)
        #expect(constraints.power == .ac && constraints.metered == .unmetered)
        #expect(constraints.linkKinds == .only(LinkKinds(.wifi)))
        #expect(constraints.notBefore?.date == now && constraints.deadline?.date == now.advanced(by: .seconds(60)))
        record.snapshot.earliestBegin = now.advanced(by: .seconds(10))
        #expect(record.constraints(by: settings).notBefore?.date == now.advanced(by: .seconds(10)))
        record.snapshot.conditions?.constraints.linkKinds = nil
        constraints = record.constraints(by: settings)
        guard case .only(let kinds) = constraints.linkKinds else {
            Issue.record("cellular networks are allowed again")
            return
        }
        #expect(!kinds.contains(LinkKinds(.cellular)))
        #expect(record.constraints(by: SessionSettings(identifier: "s")).metered == .allowed)
    }

    @Test("A8: a task may be discretionary in a session that is not, and the other way round")
    func kind() {
        let key = SessionKey(app: "a", identifier: "s")
        var settings = SessionSettings(identifier: "s")
        #expect(Self.record { $0.isDiscretionary = true }.traits(in: key, by: settings, at: now).kind == .discretionary)
        settings.isDiscretionary = true
        #expect(Self.record { $0.isDiscretionary = false }.traits(in: key, by: settings, at: now).kind == .normal)
        #expect(Self.record { _ in }.traits(in: key, by: settings, at: now).kind == .discretionary)
    }

    @Test("names and conditions count toward the bytes of an app")
    func bytes() {
        var record = Self.record { _ in }
        let bytes = record.bookkeepingBytes
        record.snapshot.name = TaskName(id: "four", fingerprint: "12")
        #expect(record.bookkeepingBytes == bytes + 6)
        record.snapshot.conditions?.constraints.connectionsDenied = ["home"]
        record.snapshot.conditions?.constraints.windows = [.init(start: 0, end: 1)]
        #expect(record.bookkeepingBytes == bytes + 6 + 4 + 16)
    }
}
