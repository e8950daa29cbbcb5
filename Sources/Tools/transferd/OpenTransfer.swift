// SPDX-License-Identifier: Apache-2.0
import TransferBusProtocol
import TransferModel

/// How a transfer that is not over stands, kept small: thousands wait, and most have neither run nor failed.
///
/// An object, the book's own: whole statuses in a dictionary would take their size again for its empty places.
final class OpenTransfer {
    let id: TransferID
    let app: String
    let session: String?
    private let url: String
    private let name: String
    private let submitted: BusDate
    private let isUpload: Bool
    private(set) var kind: WorkKind
    private(set) var state: TransferStatus.State
    private var priority: Int16
    private var bytes: Int64
    /// -1 where it is not known.
    private var total: Int64
    private var rest: Rest?
    /// The bytes that it counts for in its app's limit.
    let bookkeepingBytes: Int32

    /// What few have.
    private final class Rest {
        var path: String?
        var rate: Int64?
        var attempt = 0
        var sentence: String?
        var status: Int?
        var errorCode: String?
        var error: String?

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
        rest = Rest(status)
    }

    /// How it stands. What a transfer keeps for life is not changed by this.
    var status: TransferStatus {
        get {
            var status = TransferStatus(
                id: id, url: url, name: name, app: app, session: session, isUpload: isUpload, kind: kind,
                priority: Int(priority), state: state, submitted: submitted)
            (status.bytes, status.total) = (bytes, total < 0 ? nil : total)
            guard let rest else { return status }
            (status.path, status.rate, status.attempt, status.sentence) =
                (rest.path, rest.rate, rest.attempt, rest.sentence)
            (status.status, status.errorCode, status.error) = (rest.status, rest.errorCode, rest.error)
            return status
        }
        set {
            (kind, state, priority) = (newValue.kind, newValue.state, Int16(clamping: newValue.priority))
            (bytes, total) = (newValue.bytes, newValue.total ?? -1)
            rest = Rest(newValue)
        }
    }
}
