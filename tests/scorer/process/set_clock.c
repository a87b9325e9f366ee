/* A machine whose wall clock is ahead by as many seconds as the file $CLOCK_AHEAD says; other clocks stay. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec *shown) {
    int answer = syscall(SYS_clock_gettime, which, shown);
    if (which == CLOCK_REALTIME) {
        char text[32] = {0};
        int file = open(getenv("CLOCK_AHEAD"), O_RDONLY);
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0) shown->tv_sec += atol(text);
            close(file);
        }
    }
    return answer;
}
