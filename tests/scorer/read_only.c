/* Makes what lies under $READ_ONLY_UNDER answer EROFS to everything that writes, while the file $READ_ONLY_WHILE is
   there: what a file system does that the kernel has set to read-only after an error. No mount can be taken away from
   under files that are open for writing and given back, so this stands between the process and its C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int barred(const char *path) {
    const char *under = getenv("READ_ONLY_UNDER"), *flag = getenv("READ_ONLY_WHILE");
    return under && flag && path && strncmp(path, under, strlen(under)) == 0 && access(flag, F_OK) == 0;
}

static int barred_file(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return barred(path);
}

#define REFUSE(condition) do { int kept = errno; if (condition) { errno = EROFS; return -1; } errno = kept; } while (0)
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; va_start(rest, flags); mode_t mode = va_arg(rest, mode_t); va_end(rest); \
        REFUSE((flags & (O_WRONLY | O_RDWR | O_CREAT)) && barred(path)); \
        NEXT(name); return next(path, flags, mode); }

OPEN(open)
OPEN(open64)
ssize_t write(int file, const void *data, size_t size) { REFUSE(barred_file(file)); NEXT(write); return next(file, data, size); }
ssize_t pwrite(int file, const void *data, size_t size, off_t at) { REFUSE(barred_file(file)); NEXT(pwrite); return next(file, data, size, at); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) { REFUSE(barred_file(file)); NEXT(pwrite64); return next(file, data, size, at); }
int ftruncate(int file, off_t size) { REFUSE(barred_file(file)); NEXT(ftruncate); return next(file, size); }
int ftruncate64(int file, off64_t size) { REFUSE(barred_file(file)); NEXT(ftruncate64); return next(file, size); }
int unlink(const char *path) { REFUSE(barred(path)); NEXT(unlink); return next(path); }
int rename(const char *from, const char *to) { REFUSE(barred(from) || barred(to)); NEXT(rename); return next(from, to); }
int mkdir(const char *path, mode_t mode) { REFUSE(barred(path)); NEXT(mkdir); return next(path, mode); }
