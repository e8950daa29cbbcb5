// SPDX-License-Identifier: Apache-2.0

/// The rules of background sessions that depend on the service for sessions.
///
/// Each rule is a check of ``SessionConformance``. Rules that the client library alone enforces are not included (S2,
/// S3, S11, T4, E7).
public enum SessionRule: String, CaseIterable, Hashable, Sendable, Identifiable, CustomStringConvertible {
    /// Sessions of two apps with the same identifier are isolated from each other.
    case s1 = "S1: sessions of two apps with the same identifier are isolated"
    /// A session belongs to a single process. Other processes receive the owner's process ID, and the session is
    /// available after the owner has ended.
    case s4 = "S4: one process at a time uses a session; others get its process ID until it ends"
    /// An invalidated session cancels its tasks and ends.
    case s5 = "S5: an invalidated session cancels its tasks and ends"
    /// Discretionary tasks wait for AC power, and other tasks do not.
    case s6 = "S6: discretionary tasks wait for AC power, others do not"
    /// Without launch events, the app is not started, and its events wait.
    case s7 = "S7: without launch events the app is not started, and events wait"
    /// A task that exceeds its resource timeout ends, also across a restart.
    case s9 = "S9: a task that exceeds its resource timeout ends, even across a restart"
    /// The session's header fields are sent with every request. A request's own fields take precedence.
    case s10 = "S10: every request has the session's header fields; its own fields take precedence"
    /// A download may use POST with a body, and an upload may use PATCH.
    case t1 = "T1: a download may use POST with a body, and an upload may use PATCH"
    /// A task starts when it is resumed, and not before.
    case t2 = "T2: a task begins when it is resumed, and not before"
    /// A delayed task does not start before its date. Its app receives a request on that date.
    case t3 = "T3: a delayed task does not begin before its date, and its app is asked then"
    /// The app's settings of a task survive a restart, and task numbers are never reused.
    case t5 = "T5: the app's settings of a task survive a restart, and numbers are never reused"
    /// A paused task keeps its bytes and requests only the rest when it is resumed.
    case t6 = "T6: a paused task keeps its bytes, and requests the rest when it is resumed"
    /// Redirects are followed, and credentials are not forwarded.
    case t7 = "T7: redirects are followed, and credentials are not forwarded"
    /// A server's authentication challenge reaches the app, and the app's reply reaches the server.
    case t8 = "T8: a server's authentication challenge reaches the app, and the app's reply the server"
    /// A request without a reply is repeated immediately. A process that opens the session receives the request, or the
    /// app is started. No request is lost if the app or the service ends at any time.
    case t9 = "T9: a request that its app leaves without a reply is repeated immediately, whichever process is killed"
    /// If the user starts a delayed task, its app receives the request immediately.
    case t10 = "T10: if the user wants a delayed task now, its app is asked immediately, before the task's date"
    /// Progress increases and includes the total.
    case e1 = "E1: progress increases, and includes the total"
    /// A downloaded file exists until its event is acknowledged, and is removed after that.
    case e2 = "E2: a downloaded file exists until its event is acknowledged, and is removed then"
    /// A 404 response is not an error, and its body is the file.
    case e3 = "E3: a 404 response is not an error, and its body is the file"
    /// An unacknowledged event is reported again, in order. An acknowledged event is not.
    case e4 = "E4: unacknowledged events are reported again, in order; acknowledged events are not"
    /// The end of the waiting events is reported after them.
    case e5 = "E5: the end of the waiting events is reported after them"
    /// Unfinished tasks are listed with their byte counts after a restart.
    case e6 = "E6: unfinished tasks are listed with their byte counts after a restart"
    /// The server receives the bytes of an upload even if its file was deleted. The response arrives with status and
    /// body.
    case e8 = "E8: an upload arrives even if its file was deleted, and the app receives status and body"
    /// Tasks continue after the app has ended, and the app can join them again.
    case l1 = "L1: tasks continue after the app has ended, and the app can join them again"
    /// The app is started after all tasks of a session have ended.
    case l2 = "L2: the app is started when all tasks of a session have ended"
    /// A force quit cancels the app's tasks. The end of its process does not.
    case l4 = "L4: a force quit cancels the app's tasks; the end of its process does not"
    /// Every task ends correctly and once, even if the service is killed at any point.
    case l5 = "L5: every task ends correctly and once, even if the service is killed at any point"
    /// The handler of a started app is called before the session's events. The app runs until it has handled the
    /// events, even if it calls its completion handler immediately.
    case l6 = "L6: a started app is called before its events, and lives until it has handled them"
    /// Starting an app for events increases the limiter's delay. Events that reach an app in the foreground do not.
    case r1 = "R1: starting an app for events increases the limiter's delay; events in front do not"
    /// Twenty tasks that are submitted together cause a single start.
    case r6 = "R6: twenty tasks that are submitted together cause one start"
    /// An app that ends before it has handled a task or replied to a request is not started again within a minute.
    case r7 = "R7: an app that ends without handling anything is started again after a minute, and not sooner"
    /// An app that awaits a file by its name joins the transfer of an earlier process with that name and request.
    case a1 = "A1: a call with the same name and request joins the transfer, also in a new process"
    /// A name whose transfer has finished returns its file immediately, until the name is removed.
    case a2 = "A2: a finished name returns its file at once, also in a new process, until it is removed"
    /// A name that belongs to one request refuses another request. The name of a failed transfer is free.
    case a3 = "A3: another request under a used name is refused; the name of a failed transfer is free"
    /// Canceling the task that awaits a file leaves the transfer alone.
    case a4 = "A4: canceling the awaiting task leaves the transfer alone"
    /// If the app requests it, canceling the task that awaits a file cancels the transfer.
    case a5 = "A5: canceling the awaiting task cancels the transfer if the app requests it"
    /// A set of files has one progress, the sum of all, and all files.
    case a6 = "A6: a set of names has one progress and all files"
    /// A process that dies between moving a file and acknowledging its event loses nothing and repeats nothing.
    case a7 = "A7: a kill between a file's move and its acknowledgement loses nothing and repeats nothing"
    /// The conditions of a name reach the scheduler and survive a restart, and the app can ask why a transfer waits.
    case a8 = "A8: the conditions of a name reach the scheduler, survive a restart, and explain its waits"

    /// The identifier of the rule in the table of rules, such as `S10`.
    public var id: String { String(rawValue.prefix { $0 != ":" }) }
    /// The requirement of the rule as a sentence, without its identifier.
    public var title: String { String(rawValue.dropFirst(id.count + 2)) }
    /// The identifier and the requirement.
    public var description: String { rawValue }
}
