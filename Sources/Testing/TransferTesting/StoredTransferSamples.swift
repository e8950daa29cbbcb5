// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import TransferEngine
public import TransferModel
internal import TransferPolicy
public import TransferScheduling

/// Sample transfers for tests of stores, from a minimal transfer to one with every field set and with awkward text.
public enum StoredTransferSamples {
    /// Returns a transfer with default values only.
    public static func plain(_ id: Int64, key: String? = nil) -> StoredTransfer {
        StoredTransfer(
            id: TransferID(id),
            specification: TransferSpecification(
                url: "http://127.0.0.1:8080/file-\(id)",
                destination: Destination(directory: "/tmp", name: nil),
                traits: TransferTraits(
                    kind: .discretionary, host: "http://127.0.0.1:8080", submitted: WallTime(secondsSinceEpoch: id))),
            key: key)
    }

    /// Returns a transfer with every field set. Its URL and header fields contain `secretText`.
    public static func full(_ id: Int64, key: String? = "key") -> StoredTransfer {
        let validator = Validator(entityTag: "W/\"a\\\"b'\u{0}\"", lastModified: "Sat, 21 Nov 2026 02:36:44 GMT")
        let window = WindowConstraint(windows: [.init(start: 0, end: 3600)])
        var transfer = StoredTransfer(
            id: TransferID(id),
            specification: TransferSpecification(
                url: "https://user:\(secretText)@example.org/päth?token=\(secretText)#x",
                headers: [
                    HeaderField(name: "Authorization", value: "Bearer \(secretText)"),
                    HeaderField(name: "X-Odd", value: "tab\tquote\"back\\slash null\u{0} é 🚚 '; DROP TABLE task; --"),
                ],
                destination: Destination(
                    directory: "/tmp/a folder/'\"", name: "name\n.bin", collision: .overwrite,
                    folderIdentity: FolderIdentity(device: .max, inode: 7)),
                checksum: Checksum(algorithm: .sha512, hexDigest: "ABCDEF"), idleTimeoutSeconds: 7,
                allowsInsecureRedirect: true, usesRemoteTime: true, keepsErrorBody: true, maximumBytes: .max,
                completedBefore: CompletedFile(path: "/tmp/x", bytes: 1 << 40, modified: -1, validator: validator),
                traits: TransferTraits(
                    kind: .userInitiated,
                    constraints: Constraints(
                        notBefore: NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: .min)),
                        deadline: DeadlineConstraint(WallTime(nanosecondsSinceEpoch: .max)), window: window,
                        price: PriceConstraint(below: -0.25)),
                    priority: 1000, host: "https://example.org:443", app: "org.example.App", isLoopback: true,
                    expectedBytesToReceive: 0, submitted: WallTime(nanosecondsSinceEpoch: 1_795_228_604_123_456_789),
                    policy: "ladder:bat=0.25")),
            resume: ResumePoint(
                path: "/tmp/.part", offset: 8 << 20, total: nil, validator: validator, bootID: "boot", fileNumber: .max),
            retry: RetryState(attempts: 3, cause: .status(503), until: WallTime(secondsSinceEpoch: 1_795_228_700)),
            isSuspended: true, hold: TransferHold(by: "a \"person\"", why: "later\n'; --"),
            relaunchDelay: RelaunchLimiter.RelaunchDelay(relaunch: .max), key: key)
        transfer.specification.cookies = [
            ".example.org\tTRUE\t/päth\tTRUE\t1795228604\tid\t\(secretText)", "example.org\tFALSE\t/\tFALSE\t0\té\t",
        ].compactMap { Cookie(line: $0) }
        return transfer
    }

    /// Returns an upload that can be resumed.
    public static func upload(_ id: Int64, key: String? = nil) -> StoredTransfer {
        let source = UploadSource(
            method: .post, path: "/tmp/é", size: 5 << 30, modified: 1_795_228_604_123_456_789,
            contentType: "text/plain", resumption: .automatic)
        let uploadResume = UploadResume(kind: .tus, url: "https://example.org/uploads/1", modified: source.modified)
        return StoredTransfer(
            id: TransferID(id),
            specification: TransferSpecification(
                url: "https://example.org/files/", upload: source,
                traits: TransferTraits(
                    kind: .normal, host: "https://example.org:443", expectedBytesToSend: source.size,
                    submitted: WallTime(secondsSinceEpoch: id))),
            resume: ResumePoint(upload: uploadResume, offset: (4 << 30) + 1, total: source.size), key: key)
    }

    /// The text in the fields of `full` that must not survive the end of a transfer.
    public static let secretText = "S3CR3T-5f0c1d"

    /// Unfinished transfers, sorted by identifier.
    public static let unfinished = [plain(1), full(2), plain(3, key: "k"), upload(4), full(1 << 40)]

    /// An ending of every kind.
    public static let endings: [TransferEnding] = [
        .completed(
            TransferCompletion(
                status: 200,
                file: CompletedFile(
                    path: "/tmp/é", bytes: 0, modified: 1, validator: Validator(entityTag: "\"e\"", lastModified: nil)),
                wasAlreadyComplete: true)),
        .completed(TransferCompletion(status: 404, file: nil)),
        .completed(
            TransferCompletion(
                status: 201, file: nil, answer: UploadResponse(body: [255, 0], contentType: "a/b", isCut: true))),
        .failed(TransferFailure(cause: .status(410), message: "gone", retryAfterSeconds: 3)),
        .failed(TransferFailure(cause: .certificate, message: "not valid")),
        .cancelled,
    ]

    /// Returns a change of every kind that requires an unfinished transfer.
    public static func changes(of id: TransferID) -> [StoreChange] {
        [
            .respecified(id, plain(id.rawValue).specification), .checkpointed(id, nil),
            .checkpointed(id, full(id.rawValue).resume), .retried(id, nil), .suspended(id, true),
            .held(id, full(id.rawValue).hold), .held(id, nil), .relaunchDelayed(id, full(id.rawValue).relaunchDelay),
            .relaunchDelayed(id, nil), .ended(id, .cancelled),
        ]
    }

    /// Returns statistics with every part set. A larger `number` gives more data.
    public static func statistics(_ number: Int64 = 1) throws -> PersistedStatistics {
        let start = ClockReading(instant: Instant(nanoseconds: 1), wall: WallTime(secondsSinceEpoch: 1_795_392_000))
        let later = start.advanced(by: .seconds(7200 * number))
        var statistics = PersistedStatistics()
        let conditions = Conditions(unknownSince: start)
        statistics.history.observe(.init(conditions, at: start), localTime: .utc)
        statistics.history.observe(.init(conditions, at: later), localTime: .utc)
        var limiter = RelaunchLimiter()
        limiter.relaunched(at: start.instant)
        _ = limiter.taskStartedInBackground(at: start.instant)
        statistics.limiters["org.example.App"] = limiter.record(at: start, boot: "boot")
        var budget = try ByteBudget(limit: 1_000_000, billingDay: 5, at: start.wall, localTime: .utc)
        try budget.charge(number, at: start.wall, localTime: .utc)
        statistics.budgets.connections["a \"café\"'s"] = budget
        statistics.budgets.apps["org.example.App"] = budget
        statistics.typicalRate = number
        statistics.serverWaits["https://example.org:443"] = later.wall
        // The last observation belongs to the run that made it. Decoding drops it, as after a restart.
        return try JSONDecoder().decode(PersistedStatistics.self, from: JSONEncoder().encode(statistics))
    }
}
