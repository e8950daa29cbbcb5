// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Which way the background sessions of this process go.
package enum SessionChannels {
    private static let chosen = Mutex<(any SessionChannel)?>(nil)

    /// Has the sessions that are made from now on go this way.
    package static func use(_ channel: (any SessionChannel)?) { chosen.withLock { $0 = channel } }

    /// The way that was chosen, where one was.
    static var chosenOrNone: (any SessionChannel)? { chosen.withLock { $0 } }

    /// The way that was chosen; the daemon's, from now on, where none was.
    static func current() -> any SessionChannel {
        chosen.withLock { chosen in
            let channel = chosen ?? DaemonChannel.shared
            chosen = channel
            return channel
        }
    }
}
