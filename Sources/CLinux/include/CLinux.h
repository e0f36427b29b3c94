/* What Glibc's Swift module leaves out because it needs _GNU_SOURCE, or is variadic. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Accepts one connection, non-blocking and close-on-exec. Returns a descriptor, or -1 with errno set. */
int focusd_accept(int listener);

/* The kernel's word on who is at the other end. Returns 0, or -1 with errno set. */
int focusd_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid);

/* Writes without waiting and without ever raising SIGPIPE. Returns what send(2) returns. */
long focusd_send(int descriptor, const void *bytes, size_t count);

/* A descriptor, close-on-exec, that is readable while one of those put into it is ready; or -1 with errno set. Few
   descriptors are looked at then, however many are watched. */
int focusd_group_create(void);

/* Watches a descriptor in a group for these conditions of poll(2) and no others; none: not at all. Returns 0, or -1 with
   errno set. */
int focusd_group_watch(int group, int descriptor, uint32_t conditions);

struct focusd_ready {
    int32_t descriptor;
    uint32_t conditions;
};

/* Who is ready now, each at most once; in the next call come the others. Never waits. Returns how many, or -1. */
int focusd_group_take(int group, struct focusd_ready *ready, int count);

/* Blocks these signals in the calling thread, and in those it starts later, and makes them readable instead. Returns a
   descriptor, non-blocking and close-on-exec, or -1 with errno set. */
int focusd_signal_descriptor(const int *signals, size_t count);

/* The next signal from such a descriptor; 0 where none waits. */
int focusd_read_signal(int descriptor);

/* A Unix socket for datagrams, non-blocking and close-on-exec. Returns a descriptor, or -1 with errno set. */
int focusd_datagram_socket(void);

/* Sends one datagram to a Unix socket at a path, or at an abstract address where it begins with '@'. Never waits. Returns
   0, or -1 with errno set. */
int focusd_send_datagram(int sender, const char *path, const void *bytes, size_t count);

/* Makes a descriptor non-blocking and close-on-exec. Returns 0, or -1 with errno set. */
int focusd_adopt_descriptor(int descriptor);

/* Gives free memory back to the system. */
void focusd_give_memory_back(void);
/* Large pieces go back to the system as soon as they are free. By itself glibc keeps the more, the larger they once were. */
void focusd_keep_little_memory(void);
