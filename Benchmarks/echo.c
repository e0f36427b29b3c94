/* A question over a Unix socket, and the least that can answer it.
 *
 *   echo serve --socket PATH --bytes COUNT            answers each message that ends with a NUL with so many bytes
 *   echo ask   --socket PATH --request TEXT --count N asks one by one; prints each round trip in nanoseconds
 *   echo rate  --socket PATH --request TEXT --count N asks without waiting, reads while it writes; prints count, seconds
 *   echo size  --socket PATH --request TEXT           prints how many bytes the answer has, with its NUL
 */
#include "common.h"

enum { MAXIMUM_CLIENTS = 16 };

static int serve(const char *path, size_t count) {
    int listener = listen_socket(path);
    char *answer = malloc(count);
    static char bytes[65536];
    if (!answer) die("memory");
    memset(answer, 'x', count);
    answer[count - 1] = 0;
    struct pollfd descriptors[1 + MAXIMUM_CLIENTS] = {{.fd = listener, .events = POLLIN}};
    nfds_t used = 1;
    for (;;) {
        poll_until(descriptors, used, -1);
        for (nfds_t client = 1; client < used;) {
            if (descriptors[client].revents) {
                ssize_t received = recv(descriptors[client].fd, bytes, sizeof bytes, 0);
                if (received <= 0) {
                    close(descriptors[client].fd);
                    descriptors[client] = descriptors[--used];
                    continue;
                }
                for (ssize_t index = 0; index < received; index++)
                    if (bytes[index] == 0) send_all(descriptors[client].fd, answer, count);
            }
            client++;
        }
        if (descriptors[0].revents && used < 1 + MAXIMUM_CLIENTS) {
            int client = accept(listener, NULL, NULL);
            if (client >= 0) descriptors[used++] = (struct pollfd){.fd = client, .events = POLLIN};
        }
    }
}

static void ask(struct inbox *inbox, const char *request, int64_t count) {
    size_t length, requestBytes = strlen(request) + 1;
    int64_t *times = calloc((size_t)count, sizeof(int64_t));
    if (!times) die("memory");
    for (int64_t index = 0; index < count; index++) {
        int64_t begin = now_ns();
        send_all(inbox->descriptor, request, requestBytes);
        inbox_wait(inbox, &length);
        times[index] = now_ns() - begin;
    }
    for (int64_t index = 0; index < count; index++) printf("%lld\n", (long long)times[index]);
}

static void rate(struct inbox *inbox, const char *request, int64_t count) {
    enum { BATCH = 64 };
    size_t length, requestBytes = strlen(request) + 1, batchBytes = requestBytes * BATCH, written = 0;
    char *batch = malloc(batchBytes);
    if (!batch) die("memory");
    for (int index = 0; index < BATCH; index++) memcpy(batch + requestBytes * (size_t)index, request, requestBytes);
    count = count / BATCH * BATCH;
    size_t left = requestBytes * (size_t)count;
    struct pollfd descriptor = {.fd = inbox->descriptor};
    int64_t answered = 0, begin = now_ns();
    while (answered < count) {
        descriptor.events = left > 0 ? POLLIN | POLLOUT : POLLIN;
        poll_until(&descriptor, 1, -1);
        if (descriptor.revents & POLLOUT && left > 0) {
            ssize_t sent = send(inbox->descriptor, batch + written, batchBytes - written, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0 && errno != EAGAIN) die("send");
            if (sent > 0) {
                left -= (size_t)sent;
                written = (written + (size_t)sent) % batchBytes;
            }
        }
        if (descriptor.revents & (POLLIN | POLLHUP)) {
            if (!inbox_read(inbox)) die("the server closed the connection");
            while (inbox_take(inbox, &length)) answered++;
        }
    }
    printf("%lld %.6f\n", (long long)count, (double)(now_ns() - begin) / 1e9);
}

int main(int argc, char **argv) {
    const char *path = NULL, *request = "", *task = argc > 1 ? argv[1] : "";
    size_t bytes = 1, length;
    int64_t count = 1000;
    static const struct option options[] = {
        {"socket", required_argument, 0, 's'},  {"bytes", required_argument, 0, 'n'},
        {"request", required_argument, 0, 'q'}, {"count", required_argument, 0, 'c'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 's') path = optarg;
        else if (option == 'n') bytes = strtoul(optarg, NULL, 10);
        else if (option == 'q') request = optarg;
        else if (option == 'c') count = atoll(optarg);
        else return 2;
    }
    if (!path || bytes < 1 || count < 1) return 2;
    if (strcmp(task, "serve") == 0) return serve(path, bytes);
    struct inbox inbox = {.descriptor = connect_socket(path)};
    if (strcmp(task, "ask") == 0) {
        ask(&inbox, request, count);
    } else if (strcmp(task, "rate") == 0) {
        rate(&inbox, request, count);
    } else if (strcmp(task, "size") == 0) {
        send_all(inbox.descriptor, request, strlen(request) + 1);
        inbox_wait(&inbox, &length);
        printf("%zu\n", length + 1);
    } else {
        return 2;
    }
    return 0;
}
