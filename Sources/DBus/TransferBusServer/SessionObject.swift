// SPDX-License-Identifier: Apache-2.0

/// The session object's interface on the bus.
enum SessionObject {
    /// The introspection document.
    static let xml = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <!--
            org.transferd.Session1 at /org/transferd/session/APP__IDENTIFIER: a session of an app. In APP and
            IDENTIFIER, ASCII letters and digits stand for themselves. Any other byte of the UTF-8 text is written as an
            underscore and two hexadecimal digits: the session main of org.example is org_2eexample__main.

            An app can access its own sessions. The user (transferctl beside the daemon; app name person) can access all
            sessions. A session is listed while it has unfinished transfers. Its app can read it at any time. Watch of the
            manager reports the changes of its transfers; the properties below send no signal.

            Post, Tasks, Body, Explain, Acknowledge, Close, and Event are for the process that has opened the session as a background
            session with OpenSession of the manager.

            Keys of a task: task (x, the number within the session, at least 1; at most 10,000 numbers may be skipped),
            upload-file (s, an absolute path; missing for a download), for a new task upload-fd (h, the file, open for
            reading; required for a sandboxed program), request (a{sv}: url (s), method (s), headers (a{sv} of s),
            timeout (d, seconds), cellular (b), in orders also body (ay)), note (s), priority (d, 0 to 1), earliest-begin (x, nanoseconds since
            1970 in UTC), expects-to-send, expects-to-receive (x, bytes; -1 if unknown), suspended, ended (b), received,
            sent, total (x, bytes), response (a{sv}: url (s), status (x), headers (a{sv} of s)), continues (s, the token
            of a canceled task whose bytes the new task continues), name (a{sv}: id (s, 1 to 1000 bytes), fingerprint
            (s, a digest of the request)) for a download that the app finds again by a name, conditions (a{sv}:
            discretionary (b), and the constraints of a transfer) for the conditions of the task alone.
          -->
          <interface name="org.transferd.Session1">
            <!--
              The session's transfers, as List of the manager returns them. The filter has the same keys except session
              and app.
            -->
            <method name="List">
              <arg name="filter" type="a{sv}" direction="in"/>
              <arg name="transfers" type="aa{sv}" direction="out"/>
            </method>
            <!-- Stops all transfers of the session until they are resumed. Keeps their bytes. -->
            <method name="PauseAll"/>
            <!-- Continues all transfers of the session. -->
            <method name="ResumeAll"/>
            <!-- Cancels all transfers of the session and removes their partial files. -->
            <method name="CancelAll"/>
            <!--
              Executes an order for a task. Returns after the order is saved. Posting the same order twice has no
              further effect.

              Keys: order (s) and its arguments. submit: snapshot (a{sv}, a task with a new number). change: snapshot,
              of which note, priority, earliest-begin, and the expected sizes are used. suspend, resume, cancel: task
              (x). cancel-keeping: task, token (s, with which a new task continues the bytes). begin, the reply to
              will-begin: task, reply (s: as-before: the task begins with its request; with: it begins with another
              request; cancel: it is canceled; unasked: the app makes no decision, and is not asked again for tasks of
              this session), request (a{sv}, for "with"). answer, the reply to challenged: task, reply (s: credential;
              token; none: no login, so the server's refusal is the response; cancel: the task ends), user, password (s,
              for "credential"), token (s, for "token").
            -->
            <method name="Post"><arg name="order" type="a{sv}" direction="in"/></method>
            <!-- Returns the file of an event, open for reading. Available until the event is acknowledged. -->
            <method name="Open">
              <arg name="number" type="x" direction="in"/>
              <arg name="file" type="h" direction="out"/>
            </method>
            <!-- Returns the unfinished tasks, by number. -->
            <method name="Tasks"><arg name="tasks" type="aa{sv}" direction="out"/></method>
            <!-- Returns the body of an unfinished task's request. Tasks and events do not contain bodies. -->
            <method name="Body">
              <arg name="task" type="x" direction="in"/>
              <arg name="body" type="ay" direction="out"/>
            </method>
            <!--
              Returns the reasons why an unfinished task waits, as Explain of the manager. Empty if the task does not
              wait.
            -->
            <method name="Explain">
              <arg name="task" type="x" direction="in"/>
              <arg name="explanation" type="a{sv}" direction="out"/>
            </method>
            <!-- Acknowledges an event and the earlier events of its task. Acknowledged events are not sent again. -->
            <method name="Acknowledge"><arg name="number" type="x" direction="in"/></method>
            <!-- Closes the session for the caller. Its tasks continue. -->
            <method name="Close"/>
            <!--
              An event of the session, sent in order to the process that has the session open. An event with a number is
              sent again to the next process until it is acknowledged.

              Keys: event (s), number (x), task (x), and those of the event. received, sent: bytes, total (x; total is
              missing if unknown). continued: bytes (x, the offset), total. responded: response (a{sv}). downloaded:
              path (s, the finished file, which exists until the event is acknowledged). body: body (ay, of the response
              to an upload). completed: error-code (x, of Foundation's URLError) and error (s), both missing if the
              server responded. will-begin: request (a{sv}). challenged: challenge (a{sv}: scheme (s), realm (s), host
              (s), port (x), secure (b), refusals (x)). called (no keys): the session has events for the app, which runs
              in the background; the event takes the place of a start of the app. finished-events (no keys): all
              unacknowledged events have been sent. invalidated: refusal (a{sv}: code, message (s), owner (x)), missing
              if the app ended the session.
            -->
            <signal name="Event"><arg name="event" type="a{sv}"/></signal>
            <!-- The identifier that the app gave the session. -->
            <property name="Identifier" type="s" access="read"/>
            <!-- The name of the app. -->
            <property name="App" type="s" access="read"/>
            <!-- The IDs of the unfinished transfers. -->
            <property name="Transfers" type="ax" access="read"/>
            <!-- running, waiting, or paused; idle if the session has no unfinished transfers. -->
            <property name="State" type="s" access="read"/>
          </interface>
        </node>
        """
}
