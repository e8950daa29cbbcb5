// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The channel that new background sessions of this process use.
package enum SessionChannels {
    private static let chosen = Mutex<(any SessionChannel)?>(nil)

    /// Sets the channel for sessions that are created from now on. `nil` restores the default, the daemon's channel.
    package static func use(_ channel: (any SessionChannel)?) { chosen.withLock { $0 = channel } }

    /// The chosen channel, or `nil` if none has been chosen yet.
    static var chosenChannel: (any SessionChannel)? { chosen.withLock { $0 } }

    /// Returns the chosen channel. If none was chosen, chooses the daemon's channel from now on.
    static func current() -> any SessionChannel {
        chosen.withLock { chosen in
            let channel = chosen ?? DaemonChannel.shared
            chosen = channel
            return channel
        }
    }
}
