// SPDX-License-Identifier: Apache-2.0

/// A page of what was recorded of the past.
package struct HistoryPage: Hashable, Sendable, Codable {
    /// The transfers that anything was recorded of, by number.
    package var transfers: [HistoryTransfer] = []
    /// What the machine was like, oldest first; nil for apps, whose business it is not.
    package var conditions: [HistoryConditions]?
    /// The place where the next page begins; nil on the last one.
    package var next: String?

    /// An empty page.
    package init() {}
}

/// A transfer with what happened to it.
package struct HistoryTransfer: Hashable, Sendable, Codable {
    /// Something that happened to it.
    package struct Event: Hashable, Sendable, Codable {
        /// When it happened.
        package var time: WallTime
        /// What happened: submitted, started, paused, retried, finished, failed or cancelled.
        package var event: String
        /// Why, for people.
        package var note: String?

        /// An event.
        package init(time: WallTime, event: String, note: String?) {
            (self.time, self.event, self.note) = (time, event, note)
        }
    }

    /// Its number.
    package var id: TransferID
    /// What a person knows it by.
    package var name: String
    /// Its URL without user, password, query and fragment.
    package var url = ""
    /// The app that it belongs to.
    package var app = ""
    /// The app's session; nil where it belongs to none.
    package var session: String?
    /// Whether it is an upload.
    package var isUpload = false
    /// How urgent it is.
    package var kind = WorkKind.normal
    /// 0…1000, higher first.
    package var priority = 500
    /// The key under which slots per host are counted.
    package var host = ""
    /// When it was to be done.
    package var deadline: WallTime?
    /// The HTTP status of the server's last answer.
    package var status: Int?
    /// The size of the file; nil where it is not known.
    package var bytes: Int64?
    /// Where the file lies.
    package var path: String?
    /// What happened to it, oldest first.
    package var moments: [Event] = []

    /// A transfer.
    package init(id: TransferID, name: String) { (self.id, self.name) = (id, name) }

    /// A transfer, as it was submitted.
    package init(id: TransferID, _ specification: TransferSpecification) {
        let traits = specification.traits
        self.init(id: id, name: specification.displayName)
        url = TransferSpecification.redacted(url: specification.url)
        (app, session, kind, priority, host) = (traits.app, traits.session, traits.kind, traits.priority, traits.host)
        deadline = traits.constraints.deadline?.date
        (isUpload, bytes) = (specification.upload != nil, specification.upload?.size)
    }
}

/// What the machine was like for a while.
package struct HistoryConditions: Hashable, Sendable, Codable {
    /// When it began.
    package var start: WallTime
    /// When it ended; nil where it is still so.
    package var end: WallTime?
    package var power = PowerSource.unknown
    /// The battery's charge in percent.
    package var level: Int?
    package var network = Reachability.unknown
    package var linkKind = LinkKind.unknown
    package var metered = Metered.unknown
    /// Whether it slept, or was about to sleep or to be switched off.
    package var isAsleep = false

    /// A span of time.
    package init(start: WallTime, end: WallTime?) { (self.start, self.end) = (start, end) }
}
