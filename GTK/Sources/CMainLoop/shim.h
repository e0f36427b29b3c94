/* GLib's main loop, and what libdispatch has for those who run its main queue in a loop of their own. */
#pragma once
#include <glib.h>
#include <glib-unix.h>

/* Foundation's run loop is built on these two; they are exported, and declared in no header. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *unused);
