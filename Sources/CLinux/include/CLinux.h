/* What Glibc's Swift module leaves out because it needs _GNU_SOURCE. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Accepts one connection, non-blocking and close-on-exec. Returns a descriptor, or -1 with errno set. */
static inline int focusd_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* The kernel's word on who is at the other end. Returns 0, or -1 with errno set. */
static inline int focusd_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return -1;
    *pid = credentials.pid;
    *uid = credentials.uid;
    return 0;
}

/* Writes without ever raising SIGPIPE. Returns what send(2) returns. */
static inline ssize_t focusd_send(int descriptor, const void *bytes, size_t count) {
    return send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}
