// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A session as it is stored, with its tasks by number.
package struct StoredSession: Hashable, Sendable {
    package var key: SessionKey
    package var record: SessionRecord
    package var tasks: [Int: TaskRecord]

    package init(key: SessionKey, record: SessionRecord, tasks: [Int: TaskRecord] = [:]) {
        self.key = key
        self.record = record
        self.tasks = tasks
    }
}
