// SPDX-License-Identifier: Apache-2.0
// libupower-glib. A getter reads the properties: g_object_get is variadic, and Swift does not import variadic
// functions.
#ifndef CUPOWER_SHIM_H
#define CUPOWER_SHIM_H

#include "../CGIO/shim.h"
#include <libupower-glib/upower.h>

typedef struct {
    guint kind;
    guint state;
    guint warning_level;
    gdouble percentage;
    gboolean is_present;
} cupower_device_state;

static inline cupower_device_state cupower_read_device(UpDevice *device) {
    cupower_device_state state = {0};
    g_object_get(device, "kind", &state.kind, "state", &state.state, "warning-level", &state.warning_level,
                 "percentage", &state.percentage, "is-present", &state.is_present, NULL);
    return state;
}

#endif
