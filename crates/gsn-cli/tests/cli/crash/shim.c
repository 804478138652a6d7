// Stands between a program and the C library, by LD_PRELOAD, counts what it does to the files below
// GSN_SHIM_ROOT, and at one of these calls lets something happen. For tests; see shim.rs.
//
//   GSN_SHIM_LOG   every call that counts is a line of this file
//   GSN_SHIM_OF    "change": calls that change the disk; "read": calls that open or read a file
//   GSN_SHIM_AT    the call at which it happens, from 1
//   GSN_SHIM_DO    kill   the process is gone before the call
//                  torn   the same, but half of what was to be written is there
//                  full   from now on there is no space for anything new
//                  deny   from now on nothing may be changed
//                  fail   this one call is an error of the device
//                  lose   the file is emptied and removed just before the call
//                  short  every read brings a single byte, now and from now on
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char root[PATH_MAX];
static const char *happens = "";
static int log_file = -1, counts_reads;
static long chosen, calls;

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("GSN_SHIM_AT"), *of = getenv("GSN_SHIM_OF"), *what = getenv("GSN_SHIM_DO");
    const char *log = getenv("GSN_SHIM_LOG"), *below = getenv("GSN_SHIM_ROOT");
    if (!below || !realpath(below, root)) return;
    chosen = at ? atol(at) : 0;
    counts_reads = of && !strcmp(of, "read");
    happens = what ? what : "";
    if (log) log_file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
}

static int is(const char *what) { return !strcmp(happens, what); }

// The absolute name of a path, or of an open file where there is none; empty if it has no name.
static void name_of(char *name, int folder, const char *path, int file) {
    char link[64];
    name[0] = 0;
    if (path && path[0] == '/') {
        snprintf(name, PATH_MAX, "%s", path);
        return;
    }
    if (path && folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", path ? folder : file);
    ssize_t n = syscall(SYS_readlinkat, AT_FDCWD, link, name, PATH_MAX - 1);
    if (n < 0) n = 0;
    name[n] = 0;
    if (path && n > 0) snprintf(name + n, PATH_MAX - n, "/%s", path);
}

__attribute__((noreturn)) static void die(void) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) pause();
}

enum kind { READS = 1, NEEDS_SPACE = 2, WRITES = 4 };

// What becomes of a call.
enum fate { FAILS = -1, AS_EVER, HALF_THEN_DIES, HALF_OF_IT, ONE_BYTE };

static enum fate ask(const char *call, int kind, const char *name) {
    size_t n = strlen(root);
    if (!n || strncmp(name, root, n) || (name[n] && name[n] != '/')) return AS_EVER;
    if (counts_reads != ((kind & READS) != 0)) return AS_EVER;
    long now = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
    if (log_file >= 0) {
        char line[PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%s %s\n", call, name + n);
        syscall(SYS_write, log_file, line, length);
    }
    if (!chosen || now < chosen) return AS_EVER;
    if (is("full") && (kind & NEEDS_SPACE)) {
        errno = ENOSPC;
        return now == chosen && (kind & WRITES) ? HALF_OF_IT : FAILS;
    }
    if (is("deny")) {
        errno = EROFS;
        return FAILS;
    }
    if (is("short")) return ONE_BYTE;
    if (now > chosen) return AS_EVER;
    if (is("kill") || (is("torn") && !(kind & WRITES))) die();
    if (is("torn")) return HALF_THEN_DIES;
    if (is("fail")) {
        errno = EIO;
        return FAILS;
    }
    if (is("lose")) {
        syscall(SYS_truncate, name, 0);
        syscall(SYS_unlinkat, AT_FDCWD, name, 0);
    }
    return AS_EVER;
}

static enum fate of_path(const char *call, int kind, int folder, const char *path) {
    char name[PATH_MAX];
    int before = errno;
    name_of(name, folder, path, -1);
    errno = before;
    return ask(call, kind, name);
}

static enum fate of_file(const char *call, int kind, int file) {
    char name[PATH_MAX];
    int before = errno;
    name_of(name, AT_FDCWD, NULL, file);
    errno = before;
    return ask(call, kind, name);
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
    int makes = flags & (O_CREAT | O_TRUNC);
    int reads = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY);
    if (makes && of_path("create", NEEDS_SPACE, folder, path)) return -1;
    if (!makes && reads && of_path("open", READS, folder, path) == FAILS) return -1;
    return syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE(flags)                                    \
    mode_t mode = 0;                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {             \
        va_list more;                                  \
        va_start(more, flags);                         \
        mode = va_arg(more, mode_t);                   \
        va_end(more);                                  \
    }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }

ssize_t write(int file, const void *bytes, size_t n) {
    switch (of_file("write", NEEDS_SPACE | WRITES, file)) {
    case AS_EVER: return syscall(SYS_write, file, bytes, n);
    case HALF_THEN_DIES: syscall(SYS_write, file, bytes, n / 2); die();
    case HALF_OF_IT: return n > 1 ? syscall(SYS_write, file, bytes, n / 2) : -1;
    default: return -1;
    }
}

ssize_t writev(int file, const struct iovec *parts, int n) {
    switch (of_file("write", NEEDS_SPACE | WRITES, file)) {
    case AS_EVER: return syscall(SYS_writev, file, parts, n);
    case HALF_THEN_DIES: syscall(SYS_writev, file, parts, n / 2); die();
    default: return -1;
    }
}

static ssize_t write_at(int file, const void *bytes, size_t n, off_t at) {
    switch (of_file("write", NEEDS_SPACE | WRITES, file)) {
    case AS_EVER: return syscall(SYS_pwrite64, file, bytes, n, at);
    case HALF_THEN_DIES: syscall(SYS_pwrite64, file, bytes, n / 2, at); die();
    case HALF_OF_IT: return n > 1 ? syscall(SYS_pwrite64, file, bytes, n / 2, at) : -1;
    default: return -1;
    }
}
ssize_t pwrite(int file, const void *bytes, size_t n, off_t at) { return write_at(file, bytes, n, at); }
ssize_t pwrite64(int file, const void *bytes, size_t n, off_t at) { return write_at(file, bytes, n, at); }

ssize_t copy_file_range(int in, off_t *in_at, int out, off_t *out_at, size_t n, unsigned flags) {
    if (of_file("copy", NEEDS_SPACE, out)) return -1;
    return syscall(SYS_copy_file_range, in, in_at, out, out_at, n, flags);
}

static ssize_t sent(int out, int in, off_t *at, size_t n) {
    if (of_file("copy", NEEDS_SPACE, out)) return -1;
    return syscall(SYS_sendfile, out, in, at, n);
}
ssize_t sendfile(int out, int in, off_t *at, size_t n) { return sent(out, in, at, n); }
ssize_t sendfile64(int out, int in, off_t *at, size_t n) { return sent(out, in, at, n); }

int fsync(int file) { return of_file("sync", NEEDS_SPACE, file) ? -1 : syscall(SYS_fsync, file); }
int fdatasync(int file) { return of_file("sync", NEEDS_SPACE, file) ? -1 : syscall(SYS_fdatasync, file); }

int ftruncate(int file, off_t n) { return of_file("cut", 0, file) ? -1 : syscall(SYS_ftruncate, file, n); }
int ftruncate64(int file, off_t n) { return of_file("cut", 0, file) ? -1 : syscall(SYS_ftruncate, file, n); }

static int renamed(int from_in, const char *from, int to_in, const char *to, unsigned flags) {
    return of_path("rename", 0, to_in, to) ? -1 : syscall(SYS_renameat2, from_in, from, to_in, to, flags);
}
int rename(const char *from, const char *to) { return renamed(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int a, const char *from, int b, const char *to) { return renamed(a, from, b, to, 0); }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) { return renamed(a, from, b, to, flags); }

static int linked(int a, const char *from, int b, const char *to, int flags) {
    return of_path("link", NEEDS_SPACE, b, to) ? -1 : syscall(SYS_linkat, a, from, b, to, flags);
}
int link(const char *from, const char *to) { return linked(AT_FDCWD, from, AT_FDCWD, to, 0); }
int linkat(int a, const char *from, int b, const char *to, int flags) { return linked(a, from, b, to, flags); }

static int removed(int folder, const char *path, int flags) {
    return of_path("remove", 0, folder, path) ? -1 : syscall(SYS_unlinkat, folder, path, flags);
}
int unlink(const char *path) { return removed(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return removed(folder, path, flags); }
int rmdir(const char *path) { return removed(AT_FDCWD, path, AT_REMOVEDIR); }

static int made(int folder, const char *path, mode_t mode) {
    return of_path("folder", NEEDS_SPACE, folder, path) ? -1 : syscall(SYS_mkdirat, folder, path, mode);
}
int mkdir(const char *path, mode_t mode) { return made(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return made(folder, path, mode); }

ssize_t read(int file, void *bytes, size_t n) {
    enum fate fate = of_file("read", READS, file);
    return fate == FAILS ? -1 : syscall(SYS_read, file, bytes, fate == ONE_BYTE && n ? 1 : n);
}

static ssize_t read_at(int file, void *bytes, size_t n, off_t at) {
    enum fate fate = of_file("read", READS, file);
    return fate == FAILS ? -1 : syscall(SYS_pread64, file, bytes, fate == ONE_BYTE && n ? 1 : n, at);
}
ssize_t pread(int file, void *bytes, size_t n, off_t at) { return read_at(file, bytes, n, at); }
ssize_t pread64(int file, void *bytes, size_t n, off_t at) { return read_at(file, bytes, n, at); }
