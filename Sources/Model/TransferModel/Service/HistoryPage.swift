// SPDX-License-Identifier: Apache-2.0

/// A page of the recorded history.
package struct HistoryPage: Hashable, Sendable, Codable {
    /// The transfers with recorded events, by identifier.
    package var transfers: [HistoryTransfer] = []
    /// The states of the machine, oldest first, or `nil` for apps, which may not see them.
    package var conditions: [HistoryConditions]?
    /// The position of the next page, or `nil` on the last page.
    package var next: String?

    /// Creates an empty page.
    package init() {}
}

/// A transfer with its recorded events.
package struct HistoryTransfer: Hashable, Sendable, Codable {
    /// A recorded event of a transfer.
    package struct Event: Hashable, Sendable, Codable {
        /// The date of the event.
        package var time: WallTime
        /// The kind of event: submitted, started, paused, retried, finished, failed, or cancelled.
        package var event: String
        /// The reason for the event, for users.
        package var note: String?

        /// Creates an event.
        package init(time: WallTime, event: String, note: String?) {
            (self.time, self.event, self.note) = (time, event, note)
        }
    }

    /// The identifier of the transfer.
    package var id: TransferID
    /// The name of the transfer, as shown to users.
    package var name: String
    /// The URL without user, password, query, and fragment.
    package var url = ""
    /// The app that owns the transfer.
    package var app = ""
    /// The session of the app, or `nil` if the transfer belongs to no session.
    package var session: String?
    /// A Boolean value that indicates whether the transfer is an upload.
    package var isUpload = false
    /// The kind of work, which determines the urgency.
    package var kind = WorkKind.normal
    /// The priority, 0…1000. Higher values run first.
    package var priority = 500
    /// The key for counting slots per host.
    package var host = ""
    /// The date by which the transfer should finish.
    package var deadline: WallTime?
    /// The HTTP status of the server's last response.
    package var status: Int?
    /// The size of the file in bytes, or `nil` if unknown.
    package var bytes: Int64?
    /// The path of the file.
    package var path: String?
    /// The events of the transfer, oldest first.
    package var events: [Event] = []

    private enum CodingKeys: String, CodingKey {
        case id, name, url, app, session, isUpload, kind, priority, host, deadline, status, bytes, path
        case events = "moments"
    }

    /// Creates a transfer without events.
    package init(id: TransferID, name: String) { (self.id, self.name) = (id, name) }

    /// Creates a transfer from its submitted specification, without events.
    package init(id: TransferID, _ specification: TransferSpecification) {
        let traits = specification.traits
        self.init(id: id, name: DisplayName(of: specification).text)
        url = RedactedURL.text(of: specification.url)
        (app, session, kind, priority, host) = (traits.app, traits.session, traits.kind, traits.priority, traits.host)
        deadline = traits.constraints.deadline?.date
        (isUpload, bytes) = (specification.upload != nil, specification.upload?.size)
    }
}

/// The state of the machine during a span of time.
package struct HistoryConditions: Hashable, Sendable, Codable {
    /// The start of the span.
    package var start: WallTime
    /// The end of the span, or `nil` if the state continues.
    package var end: WallTime?
    package var power = PowerSource.unknown
    /// The battery's charge in percent.
    package var level: Int?
    package var network = Reachability.unknown
    package var linkKind = LinkKind.unknown
    package var metered = Metered.unknown
    /// A Boolean value that indicates whether the machine was asleep, or about to sleep or shut down.
    package var isAsleep = false

    /// Creates a span in which everything is unknown.
    package init(start: WallTime, end: WallTime?) { (self.start, self.end) = (start, end) }
}
