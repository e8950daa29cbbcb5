// SPDX-License-Identifier: Apache-2.0
// GIO, with functions in place of the macros that Swift cannot import.
#ifndef CGIO_SHIM_H
#define CGIO_SHIM_H

#include <gio/gio.h>
#include <glib-unix.h>

static inline const GVariantType *cgio_variant_type_string(void) { return G_VARIANT_TYPE_STRING; }
static inline const GVariantType *cgio_variant_type_properties_reply(void) { return G_VARIANT_TYPE("(a{sv})"); }
static inline const GVariantType *cgio_variant_type_handle_reply(void) { return G_VARIANT_TYPE("(h)"); }
static inline const GVariantType *cgio_variant_type_value_reply(void) { return G_VARIANT_TYPE("(v)"); }

static inline gboolean cgio_is_bus_connection(gpointer object) { return G_IS_DBUS_CONNECTION(object); }

#endif
