// SPDX-License-Identifier: Apache-2.0

extension ManagerInterface {
    /// The methods for sessions and apps, as a part of the introspection document.
    static let sessionMembers = """
            <!--
              Opens a session of the caller's app, and creates the session if it does not exist. The session then
              belongs to the caller until the caller closes the session or disconnects. The session's object sends
              events with the signal Event. Unacknowledged events are sent before the reply.

              Keys of the settings: identifier (s, required, 1 to 255 bytes), discretionary, sends-launch-events (b),
              request-timeout, resource-timeout (d, seconds), cellular, expensive, constrained (b), headers (a{sv} of
              s), connections-per-host (x), shared-container (s), insecure-redirect (b), answers-bearer (b: whether the
              app supplies tokens to servers that require one). Missing keys have the defaults of Apple's background
              sessions.

              Keys of the options: the launch command, bus-name (s) or command (as, beginning with an absolute path),
              with which the app is started if the session needs the app and it is not running. A sandboxed program
              specifies neither, and is started by its own id. An app that owns an activatable bus name can omit both. A
              program that is started by a command finds the session's identifier in the variable
              BACKGROUND_TRANSFER_SESSION. Other keys: front (b, whether the user is working with the program; default:
              true, but false for a program that was started for its sessions), back (b, whether the caller comes back:
              the caller had the session open before the daemon restarted, so the call says nothing about the user),
              containers (as, the shared containers for whose sessions the app is started).

              A session with a shared container belongs to the app that is registered for the container, if there is
              one. That app is started with the session's identifier, and path names that app's object. The program of
              the container that has the session open controls it.

              Keys of the state: path (s, the session's object), front (b, whether the daemon considers the program to
              be in the foreground), next-task (x, the number of the next new task), tasks (aa{sv}, as in Tasks of the
              session, including ended tasks with unacknowledged events), warning (s, a message for the app's
              developer), files-folder (s, where the app keeps the files of named tasks; missing for a sandboxed
              program).

              Errors: BadIdentifier; SessionInUse if another process has the session open. The message then ends with
              its process ID: (process NUMBER).
            -->
            <method name="OpenSession">
              <arg name="settings" type="a{sv}" direction="in"/>
              <arg name="options" type="a{sv}" direction="in"/>
              <arg name="state" type="a{sv}" direction="out"/>
            </method>
            <!--
              Reports whether the user is working with the caller's app. Transfers that an app starts in the background
              are discretionary. An app counts as being in the foreground until it reports otherwise or is started for
              its sessions. The desktop's report about windows takes precedence over the app's.
            -->
            <method name="SetInFront"><arg name="front" type="b" direction="in"/></method>
            <!--
              Returns the sessions with unfinished transfers, and the sessions that apps have open or that have
              unacknowledged events. Keys: path (s, the object), app, identifier, state (s: running, waiting, paused,
              idle), open, running, waiting, paused (x), bytes (x), total (x, missing if unknown), tasks (x, unfinished
              tasks of a background session), waiting-events (x, unacknowledged events), owner (x, the process that has
              the session open).
            -->
            <method name="Sessions"><arg name="sessions" type="aa{sv}" direction="out"/></method>
            <!--
              Returns the apps with unfinished transfers, with background sessions, or with a relaunch delay. Keys: app
              (s), open, running, waiting, paused (x), sessions (as), delay (x, seconds); tasks (x, unfinished tasks of
              its sessions, including suspended tasks); source-files, source-bytes (x: kept files of uploads),
              finished-files, finished-bytes (x: downloads of its sessions that the app has not moved away),
              partial-bytes (x: of unfinished downloads), counted-bytes, bytes-limit (x: the bytes that count toward
              files-per-app, and that limit). For apps with background sessions also: connected, front (b),
              waiting-events (x), launches, failures (x, the app's starts and failed starts since the daemon's start),
              missing, crashed, silent (x: failed starts because the program was missing, ended immediately, or did not
              accept the call), last-launch (s), last-outcome (s: started, missing, crashed, silent), last-error (s, the
              error of the last start), bus-name (s) or command (as, the launch command), registered-by (s, the
              executable that specified the launch command).
            -->
            <method name="Apps"><arg name="apps" type="aa{sv}" direction="out"/></method>
            <!--
              Force quits an app: cancels all its transfers and sessions, and does not start the app again until
              something else has started it. Returns the number of canceled transfers. Only for the user.
            -->
            <method name="QuitApp">
              <arg name="app" type="s" direction="in"/>
              <arg name="cancelled" type="x" direction="out"/>
            </method>
        """
}
