// SPDX-License-Identifier: Apache-2.0
package import SessionLogic
package import TransferModel

/// What is asked about sessions.
extension SessionHost {
    /// The tasks that are not over, in the order of their numbers.
    package func tasks(of key: SessionKey) -> [TaskSnapshot] { machine.tasks(of: key) }

    /// The finished file of an event that waits to be acknowledged; nil where there is none.
    package func file(ofEvent event: EventNumber, in key: SessionKey) -> String? {
        machine.file(ofEvent: event, in: key)
    }

    /// Whether a process has a session open.
    package func hasOpen(_ key: SessionKey, _ client: String) -> Bool { machine.user(of: key)?.name == client }

    /// Whether a person works with an app: by the desktop's word, else by its own. One that has said nothing, and was not
    /// started for its sessions, is in front (rule S6).
    package func isInFront(_ app: String) -> Bool { machine.isInFront(app) }

    /// What the tasks of an app take.
    package func usage(of app: String) -> TaskUsage { machine.usage(of: app) }

    /// The number of an app's tasks that are no transfers of the engine's: suspended before they began, or ended and not
    /// acknowledged.
    package func tasksWithoutTransfers(of app: String) -> Int { machine.tasksWithoutTransfers(of: app) }

    /// What is known of the apps that have sessions, by their names.
    package func appStatuses() -> [AppStatus] { machine.appStatuses() }

    /// The sessions there are, with how many of their tasks are not over and how many events wait.
    package func sessionSummaries() -> [(key: SessionKey, tasks: Int, waitingEvents: Int, owner: Int32?)] {
        machine.summaries()
    }
}
