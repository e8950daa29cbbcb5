# SPDX-License-Identifier: Apache-2.0
# Converts a recording of UPower, or of the ExtraSensory study, to a trace for transferlab:
#
#     awk -v net=wifi -f trace.awk /var/lib/upower/history-charge-BAT.dat >laptop.csv
#     awk -f trace.awk UUID.features_labels.csv >phone.csv
#
# A line of UPower has a time, a percentage, and a state. The network is that of -v net. Of two lines with the same
# time, the later one counts.
#
# A row of the study (Vaizman, Ellis, Lanckriet, IEEE Pervasive Computing 16(4), 2017) is a minute of a phone. Plugged
# in, charging, or full is AC power. Not reachable over Wi-Fi is assumed to be a mobile network.
#
# A reading lasts until the next one if that follows within 150 s, or within 12 h with the same power and network.
# Otherwise it lasts 60 s, and the rest of the gap is unknown.
BEGIN {
    FS = "[\t,]"; OFS = ","; CONVFMT = OFMT = "%.15g"
    split("charging ac fully-charged ac pending-charge ac discharging battery pending-discharge battery " \
        "empty battery unknown unknown", words, " ")
    for (i = 1; i in words; i += 2) states[words[i]] = words[i + 1]
    print "t_start,t_end,power,net,level"
}

function fail(text) {
    print FILENAME ":" FNR ": " text >"/dev/stderr"
    failed = 1
    exit 2
}

# Adds a period to the trace, or extends the last one.
function add(from, to, power, network, level) {
    if (from >= to) return
    if (from == until && power == p && network == n) { until = to; return }
    if (until > since) print since, until, p, n, l
    since = from; until = to; p = power; n = network; l = level
}

function reading(time, power, network, level) {
    if (count++) {
        gap = time - last
        if (gap < 0) fail("the time is before that of the previous line")
        if (gap <= 150 || (gap <= 43200 && power == lastPower && network == lastNetwork)) {
            add(last, time, lastPower, lastNetwork, lastLevel)
        } else {
            add(last, last + 60, lastPower, lastNetwork, lastLevel)
            add(last + 60, time, "unknown", "unknown", "")
        }
    }
    last = time; lastPower = power; lastNetwork = network; lastLevel = level
}

# Whether a column of the study is set. An unmeasured value is nan or empty.
function isSet(name) {
    if (!(name in column)) fail("the file has no column " name)
    return $column[name] ~ /^1/
}

FNR == 1 && $1 == "timestamp" {
    for (i = 1; i <= NF; i++) { sub("^discrete:", "", $i); column[$i] = i }
    next
}

$1 !~ /^[0-9]+([.][0-9]+)?$/ { fail("expected Unix seconds, found '" $1 "'") }

"timestamp" in column {
    onAC = isSet("battery_plugged:is_ac") + isSet("battery_plugged:is_usb") + isSet("battery_plugged:is_wireless") \
        + isSet("battery_state:is_charging") + isSet("battery_state:is_full")
    onBattery = isSet("battery_state:is_unplugged") + isSet("battery_state:is_discharging")
    isMobile = isSet("wifi_status:is_reachable_via_wwan") + isSet("wifi_status:is_not_reachable")
    charge = $column["lf_measurements:battery_level"]
    # An iPhone reports -1 if the level is unknown.
    network = isSet("wifi_status:is_reachable_via_wifi") ? "wifi" : isMobile ? "cell" : "unknown"
    reading($1, onAC ? "ac" : onBattery ? "battery" : "unknown", network, charge ~ /^[0-9]/ ? charge : "")
    next
}

{
    if (NF != 3 || !($3 in states)) fail("expected a time, a percentage, and a state of UPower")
    if (net == "") fail("name the network to assume, such as -v net=wifi")
    reading($1, states[$3], net, states[$3] == "unknown" ? "" : $2 / 100)
}

END {
    if (failed) exit 2
    if (count) add(last, last + 60, lastPower, lastNetwork, lastLevel)
    if (until > since) print since, until, p, n, l
}
