// SPDX-License-Identifier: Apache-2.0

/// The rules of background sessions that depend on the service for sessions.
///
/// Each rule is a check of ``SessionConformance``. Rules that the client library alone enforces are not included (S2,
/// S3, S11, T1, T4, E7).
public enum SessionRule: String, CaseIterable, Hashable, Sendable, Identifiable, CustomStringConvertible {
    /// Sessions of two apps with the same identifier are isolated from each other.
    case s1 = "S1: sessions of two apps with one identifier see nothing of each other"
    /// A session belongs to a single process. Other processes are told its owner, and the session is free after the
    /// owner has ended.
    case s4 = "S4: a session is one process's, named to another, and free once that is gone"
    /// An invalidated session cancels its tasks and ends.
    case s5 = "S5: an invalidated session cancels its tasks and ends"
    /// Discretionary tasks wait for mains power, and other tasks do not.
    case s6 = "S6: discretionary tasks wait for mains, others do not"
    /// Without launch events, the app is not started, and its events wait.
    case s7 = "S7: without launch events the app is not started, and events wait"
    /// A task that exceeds its resource timeout ends, also across a restart.
    case s9 = "S9: a task that takes longer than its resource timeout ends, over a restart, too"
    /// The session's header fields are sent with every request. A request's own fields take precedence.
    case s10 = "S10: the session's header fields go with every request, a request's own before them"
    /// A task starts when it is resumed, and not before.
    case t2 = "T2: a task begins when it is resumed and not before"
    /// A delayed task does not start before its date. Its app is asked at that time.
    case t3 = "T3: a delayed task does not begin before its date, and its app is asked then"
    /// The app's settings of a task survive a restart, and task numbers are never reused.
    case t5 = "T5: what the app says of a task is there after a restart, and numbers are never used again"
    /// A paused task keeps its bytes and requests only the rest when it is resumed.
    case t6 = "T6: a paused task keeps its bytes, and asks for the rest when it is resumed"
    /// Redirects are followed, and credentials are not forwarded.
    case t7 = "T7: redirects are followed, and credentials are not sent on"
    /// A server's authentication challenge reaches the app, and the app's answer reaches the server.
    case t8 = "T8: a server's demand for a login reaches the app, and its answer the server"
    /// Progress increases and includes the total.
    case e1 = "E1: progress grows, and tells the total"
    /// A downloaded file exists until its event is acknowledged, and is removed after that.
    case e2 = "E2: the file is there until its event is dealt with, and gone then"
    /// A 404 response is not an error, and its body is the file.
    case e3 = "E3: a 404 is no error, and its body is the file"
    /// An unacknowledged event is reported again, in order. An acknowledged event is not.
    case e4 = "E4: an event that was not dealt with comes again, in order; one that was does not"
    /// The end of the waiting events is reported after them.
    case e5 = "E5: after what waited comes that all has been told"
    /// Unfinished tasks are listed with their byte counts after a restart.
    case e6 = "E6: tasks that are not over are listed with their counts after a restart"
    /// The server receives the bytes of an upload even if its file was deleted. The response arrives with status and
    /// body.
    case e8 = "E8: the server gets an upload's bytes, its file deleted or not, and its answer comes, status and body"
    /// Tasks continue after the app has ended, and the app can join them again.
    case l1 = "L1: tasks go on when the app is gone, and it joins them again"
    /// The app is started after all tasks of a session have ended.
    case l2 = "L2: the app is started when all tasks of a session are over"
    /// A force quit cancels the app's tasks. The end of its process does not.
    case l4 = "L4: a force quit cancels the app's tasks; the end of its process does not"
    /// Every task ends correctly and once, even if the service is killed at any point.
    case l5 = "L5: killed in the middle of everything, every task ends right, and once"
    /// Starting an app for events increases the limiter's delay. Events that reach an app in front do not.
    case r1 = "R1: a start for events makes the limiter's delay grow; events that reach an app in front do not"
    /// Twenty tasks that are submitted together cause a single start.
    case r6 = "R6: twenty tasks given at once cost one start"

    /// The identifier of the rule in the table of rules, such as `S10`.
    public var id: String { String(rawValue.prefix { $0 != ":" }) }
    /// The requirement of the rule as a sentence, without its identifier.
    public var title: String { String(rawValue.dropFirst(id.count + 2)) }
    /// The identifier and the requirement.
    public var description: String { rawValue }
}
