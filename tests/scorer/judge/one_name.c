/* Makes the name $ONE_NAME stand for this machine while the file $ONE_NAME_WHILE is there, and fail to resolve while it
   is not, as names do while the name service is away. No name service can be stopped under a test, so this stands
   between the process and its C library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    __typeof__(&getaddrinfo) next = (__typeof__(&getaddrinfo))dlsym(RTLD_NEXT, "getaddrinfo");
    const char *one = getenv("ONE_NAME"), *flag = getenv("ONE_NAME_WHILE");
    if (!one || !flag || !name || strcmp(name, one) != 0) return next(name, service, hints, found);
    if (access(flag, F_OK) != 0) return EAI_AGAIN;
    return next("127.0.0.1", service, hints, found);
}
