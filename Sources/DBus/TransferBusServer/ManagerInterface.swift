// SPDX-License-Identifier: Apache-2.0

/// The methods, signals and properties of the manager object, as D-Bus introspection data.
enum ManagerInterface {
    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Manager1: submits, lists, and controls transfers.

            An app can access its own transfers. The user (transferctl beside the daemon; app name person) can access
            all transfers. A sandboxed program (Flatpak, Snap, or another mount namespace) passes descriptors, never
            paths, and cannot specify a launch command. Dates are RFC 3339, such as 2026-11-24T02:00:00Z. Errors are
            org.transferd.Error.…: InvalidArgument, NoSuchTransfer, NoSuchApp, TransferEnded, TooManyTransfers,
            LimitExceeded, MessageTooLarge, AccessDenied, BadIdentifier, SessionInUse, NoSuchSession, StoreFailed,
            ShuttingDown.

            Limits of an app: 10,000 unfinished transfers by default, including suspended tasks (open-per-app); 100
            sessions; 14 MiB for addresses, header fields, and notes together; 64 watching connections; 20 GB by default
            for files of its background sessions (files-per-app). Limits of a connection: 1,000 unanswered calls with 32
            MiB. Limits of a call: 16 MiB; 32 KiB for a URL; 64 KiB for header fields; 16 KiB for a note; 4 KiB for a
            path, a user name, and a password each; 255 bytes for a file name and a session identifier. A connection
            that leaves 1,024 messages unread receives none until it reads again; then it receives the current state.
            Each session with transfers is an object org.transferd.Session1 below /org/transferd/session.
          -->
          <interface name="org.transferd.Manager1">
            <!--
              Submits transfers, either all or none. Returns their IDs in the same order, after they are saved.

              Keys of a transfer: url (s, required). For downloads: directory (s, an absolute path; default: a folder
              of the daemon), name (s), collision (s: rename, overwrite, fail; overwrite replaces a file with the
              given name or with the name from the URL, and a file with a name from the server is renamed), checksum
              (s: sha256:HEX), remote-time (b: whether the file gets the server's modification time), allow-html (b:
              whether a web page is accepted although the file is known to be something else), connections (x, 1 to 16:
              the maximum number of connections for a large file; default 1), mirrors (as: up to 32 other URLs of the
              same file, tried in order after url; they receive no login, no cookies, and only the header fields
              User-Agent and Accept, unless they have the origin of url). For uploads: upload-file (s, an absolute
              path), method (s: PUT, POST), content-type (s), resumable (b: whether an interrupted upload may be
              resumed). For both: headers (a(ss)), cookies (as: lines of a cookie file in Netscape's format, for
              the URL's own server; not with a header field Cookie), user, password (s), idle-timeout (x, 1 to 86,400
              seconds), rate-limit (x, bytes per second), kind (s: userInitiated, normal, discretionary), priority (x,
              0 to 1,000), attempts (x, 1 to 1,000,001: the number of failed attempts without progress after which the
              transfer fails), expected-bytes (x, bytes), session (s), power (s: any, ac), battery-above (x, 0 to 100
              percent; with power ac, a charge above this level also suffices), link-kinds (as: ethernet, wifi,
              cellular, bluetooth, usb-tether), metered (s: allowed, unmetered), patience (s: relaxed, balanced,
              prompt), price-below (d, the price of energy below which the transfer may run; an unknown price is not
              below any limit), custom (as: NAME=VALUE, or NAME=VALUE/VALUE..., of the user's own conditions; not for sandboxed programs), not-before, deadline (s, dates), windows (a(xx): seconds of the local week from Monday
              00:00), connections-allowed, connections-denied (as, names of connections), roaming (b: whether the
              transfer may roam), policy (s: NAME[:key=value]…, for kind discretionary: the policy of this transfer;
              not for sandboxed programs), on-complete (as: the absolute path of a program and its arguments, started
              without a shell after the transfer has finished or failed; the environment has TRANSFER_ID,
              TRANSFER_URL, TRANSFER_PATH, TRANSFER_STATUS, TRANSFER_RESULT; only for the user). Other keys are
              refused.

              upload-file and directory can be replaced with descriptors: upload-fd (h, a regular file open for reading)
              and directory-fd (h, a folder). The daemon determines their paths and checks that each path leads to the
              same file or folder. It keeps only the paths, which stay valid across restarts; no descriptor outlives the
              call. The daemon refuses a descriptor that was opened with O_PATH, a file that is not open for reading,
              and a folder on a mount that the caller may only read. A transfer therefore has no right that its owner
              lacks.

              A sandboxed program must pass descriptors. The daemon keeps the file to upload until the transfer ends. A
              folder must be the same folder, without symbolic links on its path, when the download finishes. If a
              sandboxed program passes no folder, the file is stored in a folder of the daemon: Open returns the file,
              and Discard removes it.

              The kind userInitiated is for the user and for apps in the foreground.
            -->
            <method name="Submit">
              <arg name="transfers" type="aa{sv}" direction="in"/>
              <arg name="ids" type="ax" direction="out"/>
            </method>
            <!--
              Returns the transfers that the caller may access, unfinished transfers first. Keys of the filter: session
              (s), app (s), ended (x: the number of ended transfers, newest first; default 0), explained (b: whether
              waiting transfers include their wait reason as sentence), explained-limit (x: the same, for the first
              waiting transfers up to this number).

              Keys of a transfer: id (x), url (s, without secrets), name (s), app (s), session (s), upload (b), kind
              (s), priority (x), state (s: waiting, running, paused, finished, failed, cancelled), bytes, total (x,
              bytes), rate (x, bytes per second), attempt (x), submitted (s, a date), deadline (s, a date),
              deadline-state (s: atRisk, missed; absent while nothing endangers the deadline), sentence (s), path (s),
              status (x), error-code, error (s).
            -->
            <method name="List">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="aa{sv}" direction="out"/>
            </method>
            <!--
              Returns the result of List as JSON in UTF-8: an array of objects with the same keys. Takes a fraction of the
              time for thousands of transfers.
            -->
            <method name="ListJSON">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="ay" direction="out"/>
            </method>
            <!-- Opens a finished download for reading. -->
            <method name="Open">
              <arg name="id" type="x" direction="in"/>
              <arg name="file" type="h" direction="out"/>
            </method>
            <!--
              Removes a finished download from the daemon's folder, which stores the files of sandboxed programs that
              passed no folder. Until then, the file counts toward files-per-app. A file that is not discarded is
              removed after 30 days.
            -->
            <method name="Discard"><arg name="id" type="x" direction="in"/></method>
            <!--
              Returns a transfer with the keys of List; if it has not ended, also directory (s), constraints (a{sv}), and,
              if set, policy (s) and on-complete (as).
            -->
            <method name="Show">
              <arg name="id" type="x" direction="in"/>
              <arg name="transfer" type="a{sv}" direction="out"/>
            </method>
            <!--
              Returns the reasons that a transfer waits. Keys: sentence (s), reasons (aa{sv}: code, sentence, since,
              source, confidence, and the data of the reason), waited (aa{sv}: code (s), seconds (x)), until (s, the
              date of the next check at the latest), expectedChance (s, the date from which past weeks make good
              conditions likely), deadline (s, a date), latestStart (s, the date at which the transfer starts in spite
              of the conditions, to meet its deadline), deadlineState (s: atRisk, missed). The reasons are empty if the transfer does not wait.
            -->
            <method name="Explain">
              <arg name="id" type="x" direction="in"/>
              <arg name="explanation" type="a{sv}" direction="out"/>
            </method>
            <!-- Stops transfers until they are resumed. Keeps their bytes. -->
            <method name="Pause"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Continues paused transfers. Ends the wait after a failure. -->
            <method name="Resume"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Cancels transfers and removes their partial files. -->
            <method name="Cancel"><arg name="ids" type="ax" direction="in"/></method>
            <!--
              Makes transfers user-initiated. They then wait only for their own constraints, not for the policy. Also
              resumes paused transfers. Refused for apps in the background.
            -->
            <method name="StartNow"><arg name="ids" type="ax" direction="in"/></method>
            <!--
              Submits failed and canceled transfers again, either all or none. Returns the IDs of the new transfers in the
              same order. Refused for tasks of sessions, and for requests with a query, header fields, a body, or a login,
              because the daemon does not keep them after the end. Received bytes are kept if the server has the same file.
            -->
            <method name="Retry">
              <arg name="ids" type="ax" direction="in"/>
              <arg name="new" type="ax" direction="out"/>
            </method>
            <!-- Submits a failed or canceled download again, as Retry, with another URL, whose query may be new. -->
            <method name="RetryFrom">
              <arg name="id" type="x" direction="in"/>
              <arg name="url" type="s" direction="in"/>
              <arg name="new" type="x" direction="out"/>
            </method>
            <!--
              Removes ended transfers from List, either all or none. Their files and their history stay. Refused for tasks
              of sessions.
            -->
            <method name="Remove"><arg name="ids" type="ax" direction="in"/></method>
            <!--
              Changes a transfer. Keys: kind, priority, the constraints of Submit, remove (as: the constraints to
              remove first: power, link-kinds, metered, not-before, deadline, windows, patience), and url (s: the new URL
              of a download outside sessions; not for sandboxed programs).
            -->
            <method name="Change">
              <arg name="id" type="x" direction="in"/>
              <arg name="changes" type="a{sv}" direction="in"/>
            </method>
            <!--
              Stops all transfers, and starts none until the hold is released or the time has passed (0: no end). Only
              for the user.
            -->
            <method name="Hold">
              <arg name="seconds" type="t" direction="in"/>
              <arg name="reason" type="s" direction="in"/>
            </method>
            <!-- Releases the hold. Only for the user. -->
            <method name="Release"/>
            <!--
              Registers a command that the caller runs under conditions, or replaces its status; a connection has one
              command, until it closes. Returns the number of the command. The caller receives CommandStartRequested, and the
              changes of the property Held. Only for the user; at most 100 commands. Keys: name (s, the first word of the
              command, at most 255 bytes), state (s: waiting, running, frozen, stopping), deadline (s, the date of the
              latest start), explanation (a{sv}, as in Explain).
            -->
            <method name="RegisterCommand">
              <arg name="command" type="a{sv}" direction="in"/>
              <arg name="id" type="x" direction="out"/>
            </method>
            <!-- Returns the registered commands: the keys of RegisterCommand, and id (x). Only for the user. -->
            <method name="Commands"><arg name="commands" type="aa{sv}" direction="out"/></method>
            <!--
              Requests the start of a command without its policy or, if unconditional is true, in spite of all its
              conditions. Only for the user.
            -->
            <method name="StartCommand">
              <arg name="id" type="x" direction="in"/>
              <arg name="unconditional" type="b" direction="in"/>
            </method>
            <!-- The user requests the start of the receiver's command. -->
            <signal name="CommandStartRequested">
              <arg name="unconditional" type="b"/>
            </signal>
            <!--
              Returns the apps whose background work is delayed because the apps were started repeatedly. Keys: app (s),
              delay (x, seconds, counted from the last start), relaunches (x, the number of starts that count), last (s,
              the date of the last start), until (s, the end of the delay's period; missing if the period has ended),
              cause (s: period, heldTask, relaunch: the reason that the delay continues), waiting (aa{sv}: release (s),
              count (x)), begun (x: unfinished tasks that were delayed and may begin now).
            -->
            <method name="Limiters"><arg name="limiters" type="aa{sv}" direction="out"/></method>
            <!--
              Returns the budgets of metered bytes that config.toml defines. Keys: scope (s: connection, app), name (s),
              limit, used (x: bytes per billing period, and in the current period), state (s: below: less than 80 % is
              used; near: 80 % or more is used; over: the budget is used up), renewed (s, the date of the renewal). A
              sandboxed program receives only its own budget.
            -->
            <method name="Budgets"><arg name="budgets" type="aa{sv}" direction="out"/></method>
        \(ManagerInterface.sessionMembers)
        \(ManagerInterface.historyMembers)
            <!--
              Trusts the programs of a systemd unit like programs outside sandboxes, although their sandbox is
              unidentified, or revokes the trust. Only for the user.
            -->
            <method name="TrustSandbox">
              <arg name="unit" type="s" direction="in"/>
              <arg name="trusted" type="b" direction="in"/>
            </method>
            <!--
              Returns counters and timings since the daemon's start in the text format of Prometheus. They cover all
              apps, and are therefore only for programs outside sandboxes.
            -->
            <method name="Metrics"><arg name="text" type="s" direction="out"/></method>
            <!--
              Sends Changed and the changes of the properties Conditions and Held to the caller, until Unwatch is called
              or the caller disconnects.
            -->
            <method name="Watch"/>
            <!-- Stops sending what Watch requested. -->
            <method name="Unwatch"/>
            <!--
              A transfer of the caller has changed. Sent at most four times per second for each transfer, and always at
              its end. Keys as in List.
            -->
            <signal name="Changed">
              <arg name="transfer" type="a{sv}"/>
            </signal>
            <!-- The daemon's version: the number of the release. -->
            <property name="Version" type="s" access="read"/>
            <!-- The first digits of the commit that the daemon was built from; empty if the commit is unknown. -->
            <property name="Commit" type="s" access="read"/>
            <!-- The daemon's process ID. -->
            <property name="ProcessID" type="x" access="read"/>
            <!-- The policy for discretionary transfers, with its parameters. -->
            <property name="Policy" type="s" access="read"/>
            <!--
              The user's hold on all transfers: reason (s), since (s, a date), and until (s, a date; missing if the hold
              has no end); empty if there is no hold.
            -->
            <property name="Held" type="a{sv}" access="read"/>
            <!--
              The conditions of the machine: power, battery, powerProfile, sleep, network, linkKind, metered, roaming,
              and, only for the user, connection and interface. Each is an a{sv} of value (s), source (s), since (s),
              confidence (s: reported, guessed, assumed). Battery has level (x, percent), charging, and warning (s)
              instead of a value. If the user has configured a source of prices, the user also gets price, with now (d),
              until (s, a date), lowest (d, the lowest known price from now on), lowest-from, and known-until (s, dates;
              missing values are unknown), custom, an a{sv} of the user's own conditions by name, and, only from Get and
              GetAll, stay-awake (whether the daemon keeps the machine awake), if that is enabled. Empty before the first snapshot. Changes are sent to watchers.
            -->
            <property name="Conditions" type="a{sv}" access="read"/>
            <!-- The folder of the queue; empty for sandboxed programs. -->
            <property name="StateDirectory" type="s" access="read"/>
            <!--
              The loss at the daemon's start because of a damaged queue: reason (s), file (s, the path of the damaged
              queue), backup (s, the date of the backup that replaced it; missing if the queue started empty).
            -->
            <property name="StateLost" type="a{sv}" access="read"/>
          </interface>
        </node>
        """
}
