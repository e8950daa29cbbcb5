// SPDX-License-Identifier: Apache-2.0

/// The methods, signals and properties of the manager object, as D-Bus introspection data.
enum ManagerInterface {
    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Manager1: hands transfers over, lists and steers them.

            An app reaches its own transfers; transferctl, installed beside the daemon, acts as the person and reaches all.
            A program in a sandbox (Flatpak, Snap, or any other root or mount namespace) passes descriptors, never paths,
            and does not say how it is started. Times are RFC 3339. Errors are named org.transferd.Error.…:
            InvalidArgument, NoSuchTransfer, NoSuchApp, TransferEnded, TooManyTransfers, LimitExceeded, MessageTooLarge,
            AccessDenied, BadIdentifier, SessionInUse, NoSuchSession, StoreFailed, ShuttingDown.

            Limits of an app: 10 000 open transfers, suspended tasks included (open-per-app), 100 sessions, 14 MiB of
            addresses, header fields and notes together, 64 connections that watch, 20 GB of files of its background sessions
            (files-per-app). Of a connection: 1000 calls of 32 MiB that are not answered yet. Of a call: 16 MiB, URLs of 32
            KiB, 64 KiB of header fields, 16 KiB for a note, 4 KiB for a path, a user and a password each, 255 bytes for a
            file's name and a session's. A connection that leaves 1024 messages unread is told nothing until it reads again,
            and is then told how things stand.

            Each transfer is also an object org.transferd.Transfer1 at /org/transferd/transfer/NUMBER, each session with
            transfers an object org.transferd.Session1 below /org/transferd/session.
          -->
          <interface name="org.transferd.Manager1">
            <!--
              Hands transfers over, all or none; they are durably stored when the numbers come back, in the same order.

              Keys of a transfer: url (s, needed); for downloads directory (s, an absolute path; a folder of the daemon's
              where there is none), name (s), collision (s: rename, overwrite, fail; overwrite replaces a file of the given
              name or of the URL's, and a file that only the server names is renamed), checksum (s: sha256:HEX), remote-time
              (b), connections (x); for uploads upload-file (s, an absolute path), method (s: PUT, POST), content-type (s),
              resumable (b). For both: headers (a(ss)), user, password (s), idle-timeout (x, seconds), rate-limit (x, bytes
              a second), kind (s: userInitiated, normal, discretionary), priority (x, 0 to 1000), attempts (x),
              expected-bytes (x), session (s), power (s: any, ac), battery-above (x, percent, beside ac), link-kinds (as),
              metered (s: allowed, unmetered), not-before, deadline (s), windows (a(xx): seconds of the local week from
              Monday 00:00), connections-allowed, connections-denied (as), roaming (b). Any other key is refused.

              Instead of upload-file and directory descriptors may be passed: upload-fd (h, a regular file open for reading)
              and directory-fd (h, a folder). The daemon finds their paths, checks that those lead to the same file or
              folder, and keeps the paths only: they hold across restarts, and no descriptor outlives the call. One that was
              opened with O_PATH, a file that is not open for reading and a folder of a mount that the caller may only read
              are refused: the transfer gets no right that its owner has not.

              A program in a sandbox has to pass descriptors: the file to upload is kept by the daemon until its transfer
              ends, and a folder must be the same one, without links on the way, when the file arrives. Where it names no
              folder, the file lies in a folder of the daemon's, Open hands it out, and Discard removes it.

              The kind userInitiated is for the person and for apps in front.
            -->
            <method name="Submit">
              <arg name="transfers" type="aa{sv}" direction="in"/>
              <arg name="ids" type="ax" direction="out"/>
            </method>
            <!--
              The transfers that the caller may reach, those that are not over first. Keys of the filter: session (s), app
              (s), ended (x: how many of those that are over, newest first, default 0), explained (b: whether each that
              waits says why, as sentence), most-explained (x: the same where no more than so many fit).

              Keys of a transfer: id (x), url (s, without secrets), name (s), app (s), session (s), upload (b), kind (s),
              priority (x), state (s: waiting, running, paused, finished, failed, cancelled), bytes, total, rate (x),
              attempt (x), submitted (s), sentence (s), path (s), status (x), error-code, error (s).
            -->
            <method name="List">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="aa{sv}" direction="out"/>
            </method>
            <!--
              What List answers, for thousands of transfers: a column for each key, with a row for each transfer, in the order
              of List.

              Columns of numbers, -1 where a value is not known: id, upload (1: it is one), priority, bytes, total, rate,
              attempt, submitted (milliseconds since 1970), status. Columns of texts, each the distinct texts and for each row
              the place of its own among them from 0, -1 where there is none: url, name, app, session, kind, state, sentence,
              path, error-code, error.
            -->
            <method name="Table">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="numbers" type="a{sax}" direction="out"/>
              <arg name="texts" type="a{s(asax)}" direction="out"/>
            </method>
            <!-- A finished download, open for reading. -->
            <method name="Open">
              <arg name="id" type="x" direction="in"/>
              <arg name="file" type="h" direction="out"/>
            </method>
            <!--
              Removes a finished download from the folder of the daemon's, where files of sandboxed programs lie that passed no
              folder; they count towards files-per-app until then. What nobody discards is removed after 30 days.
            -->
            <method name="Discard"><arg name="id" type="x" direction="in"/></method>
            <!-- One transfer, with the keys of List, and with directory, constraints and what it asks for. -->
            <method name="Show">
              <arg name="id" type="x" direction="in"/>
              <arg name="transfer" type="a{sv}" direction="out"/>
            </method>
            <!--
              Why a transfer waits. Keys: sentence (s), reasons (aa{sv}: code, sentence, since, source, sureness and the
              reason's own data), remedies (as: what alone would start it), waited (aa{sv}: code, seconds), until,
              expectedChance (s). Empty reasons: nothing holds it.
            -->
            <method name="Explain">
              <arg name="id" type="x" direction="in"/>
              <arg name="explanation" type="a{sv}" direction="out"/>
            </method>
            <!-- Stops transfers, keeping their bytes, until they are resumed. -->
            <method name="Pause"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Lets paused transfers go on; ends the wait after a failure. -->
            <method name="Resume"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Ends transfers and removes what there is of them. -->
            <method name="Cancel"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Makes transfers user-initiated: they wait for no policy, only for what they ask for themselves. -->
            <method name="StartNow"><arg name="ids" type="ax" direction="in"/></method>
            <!-- Changes what a transfer asks for. Keys: kind, priority, and those of the constraints of Submit. -->
            <method name="Change">
              <arg name="id" type="x" direction="in"/>
              <arg name="changes" type="a{sv}" direction="in"/>
            </method>
            <!-- Stops all transfers and starts none until the hold is released or the seconds are over (0: no end). -->
            <method name="Hold">
              <arg name="seconds" type="t" direction="in"/>
              <arg name="reason" type="s" direction="in"/>
            </method>
            <!-- Takes the hold back. -->
            <method name="Release"/>
            <!--
              Apps that wait longer because their transfers had them started again and again. Keys: app (s), delay (x,
              seconds, counted from the last start), relaunches (x), last, until (s; until is missing once the delay's
              period is over), cause (s: period, heldTask, relaunch: what keeps the delay), waiting (aa{sv}: release (s),
              count (x)), begun (x: held once, may begin by now, not over).
            -->
            <method name="Limiters"><arg name="limiters" type="aa{sv}" direction="out"/></method>
            <!--
              The budgets of metered bytes that config.toml sets. Keys: scope (s: connection, app), name (s), limit, used (x:
              bytes from one billing day to the next, and since the last one), state (s: below 80 %, near, over), renewed (s).
              A program in a sandbox is told of its own only.
            -->
            <method name="Budgets"><arg name="budgets" type="aa{sv}" direction="out"/></method>
            <!--
              Joins the caller to its app's session of that identifier, which is made where there is none. From then on the
              session is the caller's alone, until it closes it or goes away, and the session's object tells it what happens
              by the signal Event: what waited comes first, before this answer.

              Keys of the settings: identifier (s, needed, 1 to 255 bytes), discretionary, sends-launch-events (b),
              request-timeout, resource-timeout (d, seconds), cellular, expensive, constrained (b), headers (a{sv} of s),
              connections-per-host (x), shared-container (s), insecure-redirect (b), answers-bearer (b: the app is
              asked for a token where a server wants one). Those that are missing are as Apple's background sessions have
              them.

              Keys of the options say how the app is started when it does not run and the session needs it: bus-name (s) or
              command (as, an absolute path first). A program in a sandbox gives neither: it is started by its own id. An app that owns a name which the bus can start need not say. Programs
              started by a command find the session's identifier in the variable BACKGROUND_TRANSFER_SESSION. Others: front
              (b, whether a person works with the program; true where it is missing, but for one that was started for its
              sessions), back (b, the caller had the session before the daemon went: that it opens it again tells nothing of
              its person), containers (as, the shared containers whose sessions the app is started for).

              A session with a shared container is that of the app which is registered for the container, where there is
              one: it is started with the session's identifier, and its object is the one that the path names. Whoever of
              the container's programs has it open steers it.

              Keys of the state: path (s, the session's object), front (b, whether the daemon thinks that a person works with
              the program), next-task (x, the number of the next new task), tasks
              (aa{sv}, as Tasks of the session, and those that are over whose events have not been acknowledged), warning
              (s, what the app should know).

              Errors: BadIdentifier; SessionInUse where another process has it, whose id ends the message: (process NUMBER).
            -->
            <method name="OpenSession">
              <arg name="settings" type="a{sv}" direction="in"/>
              <arg name="options" type="a{sv}" direction="in"/>
              <arg name="state" type="a{sv}" direction="out"/>
            </method>
            <!--
              Whether a person works with the caller's app just now: what it starts otherwise is discretionary. An app is in
              front until it says otherwise, or was started for its sessions; what the desktop tells of its windows counts for
              more than that it is not.
            -->
            <method name="SetInFront"><arg name="front" type="b" direction="in"/></method>
            <!--
              Sessions with transfers that are not over, or that apps have open or left events in. Keys: path (s, the
              object), app, identifier, state (s: running, waiting, paused, idle), open, running, waiting, paused (x), bytes
              (x), total (x, missing where it is not known), tasks (x, of a background session: not over), waiting-events
              (x, not acknowledged yet), owner (x, the process that has it open).
            -->
            <method name="Sessions"><arg name="sessions" type="aa{sv}" direction="out"/></method>
            <!--
              Apps with transfers that are not over, with background sessions or with a relaunch delay. Keys: app (s), open,
              running, waiting, paused (x), sessions (as), delay (x, seconds); tasks (x, of its sessions, not over, suspended
              ones included); source-files, source-bytes (x: kept files of uploads), finished-files, finished-bytes (x:
              downloads of its sessions that it has not taken), partial-bytes (x: of downloads that are not over),
              counted-bytes, bytes-limit (x: what counts towards files-per-app, and that). Of those with background
              sessions, too: connected, front (b), waiting-events (x), launches, failures (x, since the daemon's start:
              starts, and those that came to
              nothing), missing, crashed, silent (x: of those, how many had no program, ended at once, did not take the
              call), last-launch (s), last-outcome (s: started, missing, crashed, silent), last-words (s), bus-name (s) or
              command (as): how it is started, registered-by (s, the executable of the program that said so).
            -->
            <method name="Apps"><arg name="apps" type="aa{sv}" direction="out"/></method>
            <!--
              The force quit: cancels all that an app has, and starts it no more until somebody else has. For the person
              only.
            -->
            <method name="QuitApp">
              <arg name="app" type="s" direction="in"/>
              <arg name="cancelled" type="x" direction="out"/>
            </method>
            <!--
              What was recorded since a date (RFC 3339), the first page of it. Keys: transfers (aa{sv}: id, name, url, app,
              session, kind, priority, host, upload, deadline, status, bytes, path, moments (aa{sv}: time, event: submitted,
              started, paused, retried, finished, failed, cancelled, note; of the last 1,000)); for the person conditions,
              too, which come after all transfers (aa{sv}: start, end, power, level, network, linkKind, metered, asleep);
              next (s, what HistoryFrom takes; missing on the last page).
            -->
            <method name="History">
              <arg name="since" type="s" direction="in"/>
              <arg name="past" type="a{sv}" direction="out"/>
            </method>
            <!-- The page of History that begins at a place: next of the page before. A page may be empty and not the last. -->
            <method name="HistoryFrom">
              <arg name="since" type="s" direction="in"/>
              <arg name="place" type="s" direction="in"/>
              <arg name="past" type="a{sv}" direction="out"/>
            </method>
            <!-- What happened to one transfer: with the keys of those of History. -->
            <method name="Log">
              <arg name="id" type="x" direction="in"/>
              <arg name="transfer" type="a{sv}" direction="out"/>
            </method>
            <!--
              Admits the programs of a systemd unit although they run in a sandbox for which nobody vouches, or does so no
              longer. For the person only.
            -->
            <method name="TrustSandbox">
              <arg name="unit" type="s" direction="in"/>
              <arg name="trusted" type="b" direction="in"/>
            </method>
            <!--
              Counts and times since the daemon's start, in Prometheus' text format. They tell of all apps: not for programs
              in sandboxes.
            -->
            <method name="Metrics"><arg name="text" type="s" direction="out"/></method>
            <!--
              From now on Changed and changes of the properties Conditions and Held come to the caller, until Unwatch or the
              caller's end.
            -->
            <method name="Watch"/>
            <!-- Ends what Watch began. -->
            <method name="Unwatch"/>
            <!-- A transfer of the caller's has changed; at most four times a second for each, its end always. As in List. -->
            <signal name="Changed">
              <arg name="transfer" type="a{sv}"/>
            </signal>
            <!-- The daemon's version. -->
            <property name="Version" type="s" access="read"/>
            <!-- Its process id. -->
            <property name="ProcessID" type="x" access="read"/>
            <!-- The policy that decides about discretionary work, with its parameters. -->
            <property name="Policy" type="s" access="read"/>
            <!-- The hold on everything: reason (s), since (s) and until (s); empty where there is none. -->
            <property name="Held" type="a{sv}" access="read"/>
            <!--
              What the machine is like: power, battery, powerProfile, sleep, network, linkKind, metered, roaming and, for the
              person only, connection and interface; each an a{sv} of value (s), source (s), since (s), sureness (s:
              reported, guessed, assumed), battery with level (x), charging and warning (s) in place of a value. Empty
              before the first look. Changes are told to those who watch.
            -->
            <property name="Conditions" type="a{sv}" access="read"/>
            <!-- The folder of the queue; empty for programs in sandboxes. -->
            <property name="StateDirectory" type="s" access="read"/>
            <!--
              What was lost where the queue was found to be damaged at the daemon's start: reason (s), file (s, where the
              damaged one lies now), backup (s, when the one that took its place was made; missing where the queue began
              empty). Empty where nothing was.
            -->
            <property name="StateLost" type="a{sv}" access="read"/>
          </interface>
        </node>
        """
}
