// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A compact state of an unfinished transfer. Thousands of transfers wait, and most have neither run nor failed.
///
/// This type is a class because a dictionary of large structures also reserves their size for its empty slots.
final class UnfinishedTransfer: Sendable {
    let id: TransferID
    let app: String
    let session: String?
    /// The number of bytes that count toward the app's limit.
    let bookkeepingBytes: Int32
    private let url: String
    private let name: String
    private let submitted: WallTime
    private let isUpload: Bool
    private let kind: WorkKind
    private let state: TransferStatus.State
    private let priority: Int16
    private let bytes: Int64
    /// The size in bytes, or -1 if the size is unknown.
    private let total: Int64
    private let rare: RareProperties?

    /// The properties that only few transfers have.
    private final class RareProperties: Sendable {
        let path: String?
        let rate: Int64?
        let attempt: Int
        let sentence: String?
        let status: Int?
        let errorCode: String?
        let error: String?

        init?(_ whole: TransferStatus) {
            (path, rate, attempt, sentence) = (whole.path, whole.rate, whole.attempt, whole.sentence)
            (status, errorCode, error) = (whole.status, whole.errorCode, whole.error)
            let isEmpty = path == nil && rate == nil && attempt == 0 && sentence == nil
            if isEmpty, status == nil, errorCode == nil, error == nil { return nil }
        }
    }

    init(_ status: TransferStatus, bookkeepingBytes: Int = 0) {
        self.bookkeepingBytes = Int32(clamping: bookkeepingBytes)
        (id, app, session, url, name) = (status.id, status.app, status.session, status.url, status.name)
        (submitted, isUpload, kind, state) = (status.submitted, status.isUpload, status.kind, status.state)
        (priority, bytes, total) = (Int16(clamping: status.priority), status.bytes, status.total ?? -1)
        rare = RareProperties(status)
    }

    /// The complete state.
    var status: TransferStatus {
        var status = TransferStatus(
            id: id, url: url, name: name, app: app, session: session, isUpload: isUpload, kind: kind,
            priority: Int(priority), state: state, submitted: submitted)
        (status.bytes, status.total) = (bytes, total < 0 ? nil : total)
        guard let rare else { return status }
        (status.path, status.rate, status.attempt, status.sentence) =
            (rare.path, rare.rate, rare.attempt, rare.sentence)
        (status.status, status.errorCode, status.error) = (rare.status, rare.errorCode, rare.error)
        return status
    }
}

/// The size of a transfer in an app's limit: all texts of arbitrary length and the request's body, plus 64 bytes for all
/// other values and 16 bytes for each time window.
///
/// ```swift
/// let bytes = requests.reduce(0) { $0 + BookkeepingSize(of: $1.specification).bytes }
/// ```
public struct BookkeepingSize: Hashable, Sendable {
    /// The number of bytes.
    public let bytes: Int

    /// Measures a transfer.
    public init(of specification: TransferSpecification) {
        let constraints = specification.traits.constraints
        let connections = Array(constraints.connection.allowed ?? []) + Array(constraints.connection.denied)
        let texts: [String?] = [
            specification.url, specification.destination.directory, specification.destination.name,
            specification.upload?.path, specification.traits.session, specification.credential?.user,
            specification.credential?.password, specification.traits.policy,
        ]
        var sum = (texts + connections + (specification.onComplete ?? [])).reduce(64) { $0 + ($1?.utf8.count ?? 0) }
        for header in specification.headers { sum += header.name.utf8.count + header.value.utf8.count }
        for url in specification.mirrors?.urls ?? [] { sum += url.utf8.count }
        for cookie in specification.cookies ?? [] { sum += cookie.line.utf8.count }
        bytes = sum + (specification.body?.bytes.count ?? 0) + 16 * (constraints.window?.windows.count ?? 0)
    }
}
