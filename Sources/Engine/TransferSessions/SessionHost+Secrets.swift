// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Keeping secrets no longer than they are needed.
extension SessionHost {
    /// The changes as they are saved: the header fields of a session stay on disk only while it has unfinished tasks.
    /// Each opening brings them anew.
    func withoutUnneededHeaders(_ changes: [SessionChange]) -> [SessionChange] {
        changes.map { change in
            guard case .session(let key, var record) = change, !record.settings.additionalHeaders.isEmpty else {
                return change
            }
            var unfinished = Set((sessions[key]?.tasks ?? [:]).filter { $0.value.record.end == nil }.keys)
            for case .task(key, let task) in changes {
                if task.end == nil {
                    unfinished.insert(task.snapshot.identifier)
                } else {
                    unfinished.remove(task.snapshot.identifier)
                }
            }
            guard unfinished.isEmpty else { return change }
            record.settings.additionalHeaders = [:]
            return .session(key, record)
        }
    }
}

extension TaskRecord {
    /// Removes what may be secret from a task that has ended: header fields, and what addresses have beside the server and
    /// the path. The app hears of its end all the same.
    mutating func removeSecrets() {
        snapshot.request.headers = [:]
        snapshot.request.url = TransferSpecification.redacted(url: snapshot.request.url)
        snapshot.response?.removeSecrets()
        end?.response?.removeSecrets()
    }
}

extension ResponseDescription {
    fileprivate mutating func removeSecrets() { url = TransferSpecification.redacted(url: url) }
}
