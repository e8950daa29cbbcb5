// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

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
