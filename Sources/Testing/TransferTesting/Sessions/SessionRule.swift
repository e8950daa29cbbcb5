// SPDX-License-Identifier: Apache-2.0

/// The rules of background sessions that depend on who carries them out.
///
/// Each is a case of ``SessionConformance``. What the client library alone keeps (S2, S3, S11, T1, T4, E7) is not here.
public enum SessionRule: String, CaseIterable, Hashable, Sendable, Identifiable, CustomStringConvertible {
    /// Sessions of two apps with one identifier see nothing of each other.
    case s1 = "S1: sessions of two apps with one identifier see nothing of each other"
    /// A session is one process's, named to another, and free once that is gone.
    case s4 = "S4: a session is one process's, named to another, and free once that is gone"
    /// An invalidated session cancels its tasks and ends.
    case s5 = "S5: an invalidated session cancels its tasks and ends"
    /// Discretionary tasks wait for mains, others do not.
    case s6 = "S6: discretionary tasks wait for mains, others do not"
    /// Without launch events the app is not started, and events wait.
    case s7 = "S7: without launch events the app is not started, and events wait"
    /// A task that takes longer than its resource timeout ends, over a restart, too.
    case s9 = "S9: a task that takes longer than its resource timeout ends, over a restart, too"
    /// The session's header fields go with every request, a request's own before them.
    case s10 = "S10: the session's header fields go with every request, a request's own before them"
    /// A task begins when it is resumed and not before.
    case t2 = "T2: a task begins when it is resumed and not before"
    /// A delayed task does not begin before its date, and its app is asked then.
    case t3 = "T3: a delayed task does not begin before its date, and its app is asked then"
    /// What the app says of a task is there after a restart, and numbers are never used again.
    case t5 = "T5: what the app says of a task is there after a restart, and numbers are never used again"
    /// A paused task keeps its bytes, and asks for the rest when it is resumed.
    case t6 = "T6: a paused task keeps its bytes, and asks for the rest when it is resumed"
    /// Redirects are followed, and credentials are not sent on.
    case t7 = "T7: redirects are followed, and credentials are not sent on"
    /// A server's demand for a login reaches the app, and its answer the server.
    case t8 = "T8: a server's demand for a login reaches the app, and its answer the server"
    /// Progress grows, and tells the total.
    case e1 = "E1: progress grows, and tells the total"
    /// The file is there until its event is dealt with, and gone then.
    case e2 = "E2: the file is there until its event is dealt with, and gone then"
    /// A 404 is no error, and its body is the file.
    case e3 = "E3: a 404 is no error, and its body is the file"
    /// An event that was not dealt with comes again, in order; one that was does not.
    case e4 = "E4: an event that was not dealt with comes again, in order; one that was does not"
    /// After what waited comes that all has been told.
    case e5 = "E5: after what waited comes that all has been told"
    /// Tasks that are not over are listed with their counts after a restart.
    case e6 = "E6: tasks that are not over are listed with their counts after a restart"
    /// The server gets an upload's bytes, its file deleted or not, and its answer comes, status and body.
    case e8 = "E8: the server gets an upload's bytes, its file deleted or not, and its answer comes, status and body"
    /// Tasks go on when the app is gone, and it joins them again.
    case l1 = "L1: tasks go on when the app is gone, and it joins them again"
    /// The app is started when all tasks of a session are over.
    case l2 = "L2: the app is started when all tasks of a session are over"
    /// A force quit cancels the app's tasks; the end of its process does not.
    case l4 = "L4: a force quit cancels the app's tasks; the end of its process does not"
    /// Killed in the middle of everything, every task ends right, and once.
    case l5 = "L5: killed in the middle of everything, every task ends right, and once"
    /// A start for events makes the limiter's delay grow; events that reach an app in front do not.
    case r1 = "R1: a start for events makes the limiter's delay grow; events that reach an app in front do not"
    /// Twenty tasks given at once cost one start.
    case r6 = "R6: twenty tasks given at once cost one start"

    /// By what the rules' table calls it, as `S10`.
    public var id: String { String(rawValue.prefix { $0 != ":" }) }
    /// What has to hold, in one sentence without its id.
    public var title: String { String(rawValue.dropFirst(id.count + 2)) }
    /// Id and sentence.
    public var description: String { rawValue }
}
