/* GLib's main loop and Unix sources. */
#pragma once
#include <glib.h>
#include <glib-unix.h>
