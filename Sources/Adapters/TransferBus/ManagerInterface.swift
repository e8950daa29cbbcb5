// SPDX-License-Identifier: Apache-2.0

/// What the manager offers on the bus, as D-Bus introspection has it.
enum ManagerInterface {
    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Manager1: hands transfers over, lists and steers them.

            An app reaches its own transfers; the command line acts as the person and reaches all. Times are RFC 3339.
            Errors are named org.transferd.Error.…: InvalidArgument, NoSuchTransfer, TransferEnded, TooManyTransfers,
            MessageTooLarge, AccessDenied, StoreFailed, ShuttingDown.
          -->
          <interface name="org.transferd.Manager1">
            <!--
              Hands transfers over, all or none; they are durably stored when the numbers come back, in the same order.

              Keys of a transfer: url (s, needed); for downloads directory (s, an absolute path; a folder of the daemon's
              where there is none), name (s), collision (s: rename, overwrite, fail), checksum (s: sha256:HEX), remote-time
              (b), connections (x); for uploads upload-file (s, an absolute path), method (s: PUT, POST), content-type (s),
              resumable (b). For both: headers (a(ss)), user, password (s), idle-timeout (x, seconds), rate-limit (x, bytes
              a second), kind (s: userInitiated, normal, discretionary), priority (x, 0 to 1000), attempts (x),
              expected-bytes (x), session (s), power (s: any, ac), battery-above (x, percent, beside ac), link-kinds (as),
              metered (s: allowed, unmetered), not-before, deadline (s), windows (a(xx): seconds of the local week from
              Monday 00:00), connections-allowed, connections-denied (as), roaming (b). Any other key is refused.
            -->
            <method name="Submit">
              <arg name="transfers" type="aa{sv}" direction="in"/>
              <arg name="ids" type="ax" direction="out"/>
            </method>
            <!--
              The transfers that the caller may reach, those that are not over first. Keys of the filter: session (s), app
              (s), ended (x: how many of those that are over, newest first, default 0), explained (b: whether each that
              waits says why, as sentence).

              Keys of a transfer: id (x), url (s, without secrets), name (s), app (s), session (s), upload (b), kind (s),
              priority (x), state (s: waiting, running, paused, finished, failed, cancelled), bytes, total, rate (x),
              attempt (x), submitted (s), sentence (s), path (s), status (x), error-code, error (s).
            -->
            <method name="List">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="aa{sv}" direction="out"/>
            </method>
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
            <!-- From now on Changed comes to the caller, until Unwatch or the caller's end. -->
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
            <!-- Where the queue is kept. -->
            <property name="StateDirectory" type="s" access="read"/>
          </interface>
        </node>
        """

    /// The types of the properties.
    static let properties = [
        "Version": "s", "ProcessID": "x", "Policy": "s", "Held": "a{sv}", "StateDirectory": "s",
    ]
}
