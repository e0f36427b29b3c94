/* GLib's main loop, and what libdispatch has for those who run its main queue in a loop of their own.
   Declared and not included: GLib's headers would bring its types into a second module beside GTK's. */
#pragma once
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*focusd_work)(void *data);
typedef int (*focusd_descriptor_work)(int descriptor, unsigned condition, void *data);
typedef void (*focusd_release)(void *data);
typedef struct _GSource GSource;

unsigned g_idle_add_full(int priority, focusd_work work, void *data, focusd_release release);
unsigned g_timeout_add_full(int priority, unsigned milliseconds, focusd_work work, void *data, focusd_release release);
unsigned g_unix_fd_add(int descriptor, unsigned condition, focusd_descriptor_work work, void *data);
int g_source_remove(unsigned source);
unsigned g_source_get_id(GSource *source);
GSource *g_main_current_source(void);

/* Foundation's run loop is built on these two; they are exported, and declared in no header. */
int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *unused);

/* Linux gives the main thread the number of its process. */
static inline int focusd_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }
