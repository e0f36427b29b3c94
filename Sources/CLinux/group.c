#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sys/epoll.h>

enum { READY_AT_ONCE = 64 };

int focusd_group_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int focusd_group_watch(int group, int descriptor, uint32_t conditions) {
    struct epoll_event event = {.events = conditions, .data = {.fd = descriptor}};
    if (conditions == 0) return epoll_ctl(group, EPOLL_CTL_DEL, descriptor, &event);
    if (epoll_ctl(group, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    return errno == ENOENT ? epoll_ctl(group, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

int focusd_group_take(int group, struct focusd_ready *ready, int count) {
    struct epoll_event events[READY_AT_ONCE];
    int found = epoll_wait(group, events, count < READY_AT_ONCE ? count : READY_AT_ONCE, 0);
    for (int index = 0; index < found; index++)
        ready[index] = (struct focusd_ready){.descriptor = events[index].data.fd, .conditions = events[index].events};
    return found;
}
