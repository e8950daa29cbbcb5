-- SPDX-License-Identifier: Apache-2.0
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE class (
    number INTEGER NOT NULL PRIMARY KEY,
    traits TEXT NOT NULL UNIQUE CHECK (json_valid(traits))
) STRICT;
INSERT INTO "class" VALUES(1,'{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":0}}');
INSERT INTO "class" VALUES(2,'{"app":"org.example.App","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}},"window":{"windows":[{"end":3600,"start":0}]}},"host":"https://example.org:443","isLoopback":true,"kind":"userInitiated","priority":1000,"submitted":{"nanosecondsSinceEpoch":0}}');
CREATE TABLE condition (
    number INTEGER NOT NULL PRIMARY KEY,
    time INTEGER NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('begun', 'changed', 'ended')),
    power TEXT NOT NULL,
    level INTEGER CHECK (level BETWEEN 0 AND 100),
    network TEXT NOT NULL,
    link TEXT NOT NULL,
    metered TEXT NOT NULL,
    is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1))
) STRICT;
CREATE TABLE ended (
    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
    time INTEGER NOT NULL,
    ending TEXT NOT NULL CHECK (json_valid(ending)),
    class INTEGER NOT NULL,
    submitted INTEGER NOT NULL,
    deadline INTEGER,
    not_before INTEGER,
    expected INTEGER,
    sending INTEGER,
    expires INTEGER
) STRICT;
INSERT INTO "ended" VALUES(10,1795675061000000000,'{"completed":{"_0":{"file":{"bytes":0,"modified":1,"path":"/tmp/é","validator":{"entityTag":"\"e\""}},"status":200,"wasAlreadyComplete":true}}}',1,10000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "ended" VALUES(11,1795675061000000000,'{"completed":{"_0":{"status":404,"wasAlreadyComplete":false}}}',1,11000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "ended" VALUES(12,1795675061000000000,'{"failed":{"_0":{"cause":{"status":{"_0":410}},"message":"gone","retryAfterSeconds":3}}}',1,12000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "ended" VALUES(13,1795675061000000000,'{"failed":{"_0":{"cause":{"certificate":{}},"message":"not valid"}}}',1,13000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "ended" VALUES(14,1795675061000000000,'{"cancelled":{}}',1,14000000000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE event (
    number INTEGER NOT NULL PRIMARY KEY,
    task INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 5),
    value TEXT CHECK (value IS NULL OR json_valid(value))
) STRICT;
CREATE TABLE identifier (
    row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
    last INTEGER NOT NULL CHECK (last >= 0)
) STRICT;
INSERT INTO "identifier" VALUES(1,0);
CREATE TABLE learned (
    row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
    value TEXT NOT NULL CHECK (json_valid(value))
) STRICT;
INSERT INTO "learned" VALUES(1,'{"budgets":{"apps":{"org.example.App":{"billingDay":5,"current":{"firstDay":20762,"used":1},"limit":1000000}},"connections":{"a \"café\"''s":{"billingDay":5,"current":{"firstDay":20762,"used":1},"limit":1000000}}},"history":{"apps":{"apps":{"org.example.App":{"runs":[{"end":{"nanosecondsSinceEpoch":1795399200000000000},"start":{"nanosecondsSinceEpoch":1795392000000000000}}]}}},"conditions":{"withoutAC":7200000000000,"withoutUnmetered":7200000000000},"contacts":{"contacts":[],"current":{"gap":7200000000000,"length":0}},"spending":{"bytes":0,"day":-9223372036854775808,"month":-9223372036854775808,"percent":0},"week":{"current":{"good":0,"hour":498793,"observed":3600000000000},"samples":{"0":[{"good":0,"week":2969}]}}},"limiters":{"org.example.App":{"boot":"boot","bootNanoseconds":1,"cohorts":[{"relaunch":1,"unfinished":1,"untilRelease":60000000000}],"expectsRelaunch":false,"lastNumber":1,"relaunches":1,"sinceRelaunch":0,"wall":{"nanosecondsSinceEpoch":1795392000000000000}}},"typicalRate":1}');
CREATE TABLE migration (
    number INTEGER NOT NULL PRIMARY KEY,
    identifier TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "migration" VALUES(1,'1 transfers');
INSERT INTO "migration" VALUES(2,'2 holds and what was learned');
INSERT INTO "migration" VALUES(3,'3 history');
INSERT INTO "migration" VALUES(4,'4 a queue of columns, and events');
INSERT INTO "migration" VALUES(5,'5 sessions');
CREATE TABLE moment (
    number INTEGER NOT NULL PRIMARY KEY,
    task INTEGER NOT NULL CHECK (task > 0),
    time INTEGER NOT NULL,
    kind TEXT NOT NULL,
    note TEXT
) STRICT;
CREATE TABLE progress (
    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
    resume TEXT CHECK (resume IS NULL OR json_valid(resume)),
    retry TEXT CHECK (retry IS NULL OR json_valid(retry)),
    is_suspended INTEGER NOT NULL CHECK (is_suspended IN (0, 1))
, hold TEXT CHECK (hold IS NULL OR json_valid(hold)), relaunch_hold TEXT
    CHECK (relaunch_hold IS NULL OR json_valid(relaunch_hold))) STRICT;
INSERT INTO "progress" VALUES(2,'{"bootID":"boot","fileNumber":18446744073709551615,"offset":8388608,"path":"/tmp/.part","validator":{"entityTag":"W/\"a\\\"b''\u0000\"","lastModified":"Sat, 21 Nov 2026 02:36:44 GMT"}}','{"attempts":3,"cause":{"status":{"_0":503}},"until":{"nanosecondsSinceEpoch":1795228700000000000}}',1,'{"holder":"a \"person\"","why":"later\n''; --"}','{"relaunch":9223372036854775807}');
CREATE TABLE queue (
    task INTEGER NOT NULL PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
    class INTEGER NOT NULL,
    submitted INTEGER NOT NULL,
    deadline INTEGER,
    not_before INTEGER,
    expected INTEGER,
    sending INTEGER,
    expires INTEGER
) STRICT;
INSERT INTO "queue" VALUES(1,1,1000000000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "queue" VALUES(2,2,1795228604123456789,9223372036854775807,-9223372036854775808,0,NULL,NULL);
INSERT INTO "queue" VALUES(3,1,3000000000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE session (
    app TEXT NOT NULL,
    identifier TEXT NOT NULL,
    record TEXT NOT NULL CHECK (json_valid(record)),
    PRIMARY KEY (app, identifier)
) STRICT, WITHOUT ROWID;
CREATE TABLE session_task (
    app TEXT NOT NULL,
    identifier TEXT NOT NULL,
    number INTEGER NOT NULL CHECK (number > 0),
    record TEXT NOT NULL CHECK (json_valid(record)),
    PRIMARY KEY (app, identifier, number),
    FOREIGN KEY (app, identifier) REFERENCES session (app, identifier) ON DELETE CASCADE
) STRICT;
CREATE TABLE task (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id > 0),
    key TEXT CHECK (key <> ''),
    specification TEXT NOT NULL CHECK (json_valid(specification)),
    url TEXT, directory TEXT, name TEXT, collision TEXT) STRICT;
INSERT INTO "task" VALUES(1,NULL,'{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":1000000000}},"url":"http://127.0.0.1:8080/file-1","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(2,'key','{"allowsInsecureRedirect":true,"checksum":{"algorithm":"sha512","hexDigest":"abcdef"},"completedBefore":{"bytes":1099511627776,"modified":-1,"path":"/tmp/x","validator":{"entityTag":"W/\"a\\\"b''\u0000\"","lastModified":"Sat, 21 Nov 2026 02:36:44 GMT"}},"destination":{"collision":"overwrite","directory":"/tmp/a folder/''\"","name":"name\n.bin"},"headers":[{"name":"Authorization","value":"Bearer S3CR3T-5f0c1d"},{"name":"X-Odd","value":"tab\tquote\"back\\slash null\u0000 é 🚚 ''; DROP TABLE task; --"}],"idleTimeoutSeconds":7,"keepsErrorBody":true,"maximumBytes":9223372036854775807,"traits":{"app":"org.example.App","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"deadline":{"date":{"nanosecondsSinceEpoch":9223372036854775807}},"linkKinds":{"any":{}},"metered":"unstated","notBefore":{"date":{"nanosecondsSinceEpoch":-9223372036854775808}},"power":{"any":{}},"window":{"windows":[{"end":3600,"start":0}]}},"expectedBytesToReceive":0,"host":"https://example.org:443","isLoopback":true,"kind":"userInitiated","priority":1000,"submitted":{"nanosecondsSinceEpoch":1795228604123456789}},"url":"https://user:S3CR3T-5f0c1d@example.org/päth?token=S3CR3T-5f0c1d#x","usesRemoteTime":true}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(3,'k','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":3000000000}},"url":"http://127.0.0.1:8080/file-3","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(10,'ended-0','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":10000000000}},"url":"http://127.0.0.1:8080/file-10","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(11,'ended-1','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":11000000000}},"url":"http://127.0.0.1:8080/file-11","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(12,'ended-2','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":12000000000}},"url":"http://127.0.0.1:8080/file-12","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(13,'ended-3','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":13000000000}},"url":"http://127.0.0.1:8080/file-13","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
INSERT INTO "task" VALUES(14,'ended-4','{"allowsInsecureRedirect":false,"destination":{"collision":"rename","directory":"/tmp"},"headers":[],"idleTimeoutSeconds":60,"keepsErrorBody":false,"traits":{"app":"","constraints":{"connection":{"allowsRoaming":true,"denied":[]},"linkKinds":{"any":{}},"metered":"unstated","power":{"any":{}}},"host":"http://127.0.0.1:8080","isLoopback":false,"kind":"discretionary","priority":500,"submitted":{"nanosecondsSinceEpoch":14000000000}},"url":"http://127.0.0.1:8080/file-14","usesRemoteTime":false}',NULL,NULL,NULL,NULL);
CREATE INDEX task_key ON task (key, id) WHERE key IS NOT NULL;
CREATE INDEX moment_task ON moment (task);
CREATE INDEX moment_time ON moment (time);
CREATE INDEX event_task ON event (task);
COMMIT;
