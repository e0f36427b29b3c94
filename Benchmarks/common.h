/* What the benchmark's programs share: the clock, Unix sockets, the bus, and messages that end with a NUL. */
#ifndef FOCUSD_BENCHMARKS_COMMON_H
#define FOCUSD_BENCHMARKS_COMMON_H

#define _GNU_SOURCE
#include <dbus/dbus.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Buttons begin at this number; before them are the frame and the panel. */
#define FIRST_BUTTON 3
#define ACCESSIBLE_PREFIX "/org/a11y/atspi/accessible/"
#define ROOT_PATH ACCESSIBLE_PREFIX "root"

static inline _Noreturn void die(const char *what) {
    fprintf(stderr, "%s: %s\n", what, errno ? strerror(errno) : "failed");
    exit(1);
}

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Microseconds of processor time that this process has had. */
static inline int64_t processor_us(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * INT64_C(1000000) + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

/* Waits for descriptors, at most until a moment of now_ns(); a negative one is for ever. */
static inline int poll_until(struct pollfd *descriptors, nfds_t count, int64_t until) {
    struct timespec left, *timeout = NULL;
    if (until >= 0) {
        int64_t ns = until - now_ns();
        if (ns < 0) ns = 0;
        left.tv_sec = ns / 1000000000;
        left.tv_nsec = ns % 1000000000;
        timeout = &left;
    }
    int ready = ppoll(descriptors, count, timeout, NULL);
    if (ready < 0 && errno != EINTR) die("ppoll");
    return ready < 0 ? 0 : ready;
}

static inline struct sockaddr_un socket_address(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        die(path);
    }
    strcpy(address.sun_path, path);
    return address;
}

static inline int connect_socket(const char *path) {
    struct sockaddr_un address = socket_address(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0) die(path);
    return descriptor;
}

static inline int listen_socket(const char *path) {
    struct sockaddr_un address = socket_address(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(path);
    if (descriptor < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(descriptor, 16) != 0)
        die(path);
    return descriptor;
}

static inline void send_all(int descriptor, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(descriptor, at, count, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            die("send");
        }
        at += sent;
        count -= (size_t)sent;
    }
}

/* Opens a bus of its own, by address, and introduces itself. */
static inline DBusConnection *connect_bus(const char *address) {
    DBusError error;
    dbus_error_init(&error);
    DBusConnection *bus = dbus_connection_open_private(address, &error);
    if (!bus || !dbus_bus_register(bus, &error)) {
        fprintf(stderr, "%s: %s\n", address, error.message ? error.message : "no bus");
        exit(1);
    }
    return bus;
}

static inline int bus_descriptor(DBusConnection *bus) {
    int descriptor = -1;
    if (!dbus_connection_get_unix_fd(bus, &descriptor)) die("the bus has no descriptor");
    return descriptor;
}

/* Bytes of one connection, taken out message by message. */
struct inbox {
    int descriptor;
    char *bytes;
    size_t begin, end, capacity, scanned;
};

/* Reads once, waiting where nothing is there. False at the end. */
static inline bool inbox_read(struct inbox *inbox) {
    if (inbox->begin == inbox->end) inbox->begin = inbox->end = inbox->scanned = 0;
    if (inbox->capacity - inbox->end < 65536) {
        if (inbox->begin > 0) {
            memmove(inbox->bytes, inbox->bytes + inbox->begin, inbox->end - inbox->begin);
            inbox->end -= inbox->begin;
            inbox->scanned -= inbox->begin;
            inbox->begin = 0;
        }
        if (inbox->capacity - inbox->end < 65536) {
            inbox->capacity = inbox->end + 262144;
            inbox->bytes = realloc(inbox->bytes, inbox->capacity);
            if (!inbox->bytes) die("memory");
        }
    }
    ssize_t count = recv(inbox->descriptor, inbox->bytes + inbox->end, inbox->capacity - inbox->end, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) return false;
    inbox->end += (size_t)count;
    return true;
}

/* The next whole message without its NUL, or NULL; its length is put in `length`. Valid until the next read. */
static inline char *inbox_take(struct inbox *inbox, size_t *length) {
    if (inbox->scanned >= inbox->end) return NULL;
    char *nul = memchr(inbox->bytes + inbox->scanned, 0, inbox->end - inbox->scanned);
    if (!nul) {
        inbox->scanned = inbox->end;
        return NULL;
    }
    char *message = inbox->bytes + inbox->begin;
    *length = (size_t)(nul - message);
    inbox->begin = inbox->scanned = (size_t)(nul + 1 - inbox->bytes);
    return message;
}

/* Waits for the next whole message; a server that stays mute for so long has failed. */
enum { PATIENCE_SECONDS = 10 };
static inline char *inbox_wait(struct inbox *inbox, size_t *length) {
    char *message;
    struct pollfd descriptor = {.fd = inbox->descriptor, .events = POLLIN};
    int64_t giveUp = now_ns() + PATIENCE_SECONDS * INT64_C(1000000000);
    while (!(message = inbox_take(inbox, length))) {
        if (!poll_until(&descriptor, 1, giveUp)) {
            if (now_ns() < giveUp) continue;
            errno = ETIMEDOUT;
            die("the server says nothing");
        }
        if (!inbox_read(inbox)) {
            errno = ECONNRESET;
            die("the server closed the connection");
        }
    }
    return message;
}

#endif
