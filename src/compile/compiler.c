#include "compile/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/work.h"

/* ---- Finding it ------------------------------------------------------------------------------- */

static const char *search_path(void) {
    const char *path = secure_getenv("PATH");
    return path && *path ? path : "/usr/local/bin:/usr/bin:/bin";
}

/* Takes a path, if there is a program. */
static bool take(pdp_compiler *compiler, const char *path, int length) {
    if (length < 0 || length >= PATH_MAX) {
        return false;
    }
    snprintf(compiler->path, PATH_MAX, "%.*s", length, path);
    return stat(compiler->path, &compiler->about) == 0 && S_ISREG(compiler->about.st_mode) &&
           access(compiler->path, X_OK) == 0 && realpath(compiler->path, compiler->resolved);
}

/* A name with a slash is a path; any other is looked for in the absolute folders of PATH. */
static bool find(pdp_compiler *compiler, const char *name) {
    if (strchr(name, '/')) {
        if (*name == '/') {
            return take(compiler, name, (int)strnlen(name, PATH_MAX));
        }
        char path[PATH_MAX]; /* absolute, for it will be started elsewhere */
        return realpath(name, path) && take(compiler, path, (int)strlen(path));
    }
    for (const char *part = search_path(); *part;) {
        size_t length = strcspn(part, ":");
        char path[PATH_MAX];
        int whole = *part == '/' ? snprintf(path, sizeof path, "%.*s/%s", (int)length, part, name) : -1;
        if (take(compiler, path, whole)) {
            return true;
        }
        part += length + (part[length] == ':');
    }
    return false;
}

/* Floats come out as the source says: nothing is reassociated, and a product and a sum are contracted only
 * where it is written. -O2 with loops in vectors takes half the time of -O3 and is as fast, since the kernels say
 * themselves what to unroll. -pipe starts compiler and assembler side by side. */
static bool put_arguments_together(pdp_compiler *compiler, const char *level_flags) {
    static char *const first[] = {"-std=gnu11",
                                  "-O2",
                                  "-ftree-vectorize",
                                  "-fPIC",
                                  "-shared",
                                  "-w",
                                  "-pipe",
                                  "-fno-math-errno",
                                  "-fno-trapping-math",
                                  "-ffp-contract=off",
                                  "-fwrapv"};
    static char *const last[] = {"-o", "output.so", PDP_WORK_SOURCE, "-Wl,--as-needed", "-lm"};
    size_t count = 0;
    compiler->arguments[count++] = compiler->path;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        compiler->arguments[count++] = first[i];
    }
    int length = snprintf(compiler->level_flags, sizeof compiler->level_flags, "%s", level_flags ? level_flags : "");
    if (length < 0 || length >= (int)sizeof compiler->level_flags) {
        return false;
    }
    char *state = NULL;
    size_t most = count + PDP_COMPILER_LEVEL_FLAGS;
    for (char *flag = strtok_r(compiler->level_flags, " ", &state); flag; flag = strtok_r(NULL, " ", &state)) {
        if (count == most) {
            return false;
        }
        compiler->arguments[count++] = flag;
    }
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        compiler->arguments[count++] = last[i];
    }
    compiler->arguments[count] = NULL;
    return true;
}

pdp_status pdp_compiler_find(pdp_compiler *compiler, const char *level_flags, pdp_error *error) {
    const char *wish = secure_getenv("CC");
    if (wish && *wish) {
        if (!find(compiler, wish)) {
            return pdp_error_set(error, PDP_IO, "the C compiler '%.200s', which CC names, was not found", wish);
        }
    } else if (!find(compiler, "cc") && !find(compiler, "gcc") && !find(compiler, "clang")) {
        return pdp_error_set(error, PDP_IO, "no C compiler was found: neither cc nor gcc nor clang is on PATH");
    }
    if (!put_arguments_together(compiler, level_flags)) {
        return pdp_error_set(error, PDP_BAD_INPUT, "too many compiler flags: '%.200s'", level_flags);
    }
    return PDP_OK;
}

/* ---- Running it ------------------------------------------------------------------------------- */

/* Below this line, up to the parent's part, only what may be called after a fork among threads. */

static void lower_limit(unsigned resource, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0) {
        limit.rlim_cur = limit.rlim_cur < most ? limit.rlim_cur : most;
        limit.rlim_max = limit.rlim_max < most ? limit.rlim_max : most;
        setrlimit(resource, &limit);
    }
}

static _Noreturn void become_compiler(const pdp_compiler *compiler, char *const *environment) {
    lower_limit(RLIMIT_CPU, 60);
    lower_limit(RLIMIT_AS, (rlim_t)4 << 30);
    lower_limit(RLIMIT_FSIZE, (rlim_t)64 << 20);
    lower_limit(RLIMIT_CORE, 0);
    alarm(PDP_WORK_SECONDS);
    execve(compiler->path, compiler->arguments, environment);
    static const char text[] = "it cannot be started\n";
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(127);
}

/* Into the folder; nothing to read, words into a file, nothing else open. */
static bool isolate(int folder) {
    struct sigaction plain = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &plain, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    umask(077);
    if (fchdir(folder) != 0) {
        return false;
    }
    int nothing = open("/dev/null", O_RDONLY);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) {
        return false;
    }
    int words = open("messages", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    if (words < 0 || dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0) {
        return false;
    }
    syscall(SYS_close_range, 3u, ~0u, 0u); /* kernels before 5.9 leave the caller's files open */
    return true;
}

/* Between the caller and the compiler stands a process that waits for it and, if it succeeded, gives the
 * object its name. So the outcome does not depend on the caller's hearing of it: a caller that ignores
 * SIGCHLD, or waits for any child in another thread, never gets the exit status to us. */
static _Noreturn void supervise(const pdp_compiler *compiler, int folder, char *const *environment) {
    if (!isolate(folder)) {
        _exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        become_compiler(compiler, environment);
    }
    int state = -1;
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    _exit(child > 0 && state == 0 && rename("output.so", PDP_WORK_OBJECT) == 0 ? 0 : 1);
}

/* The parent's part. */

/* The first words of the compiler, on one line. */
static pdp_status describe_failure(const pdp_compiler *compiler, int folder, pdp_error *error) {
    pdp_blob words = {NULL, 0};
    char first[200] = "it was stopped, or said nothing";
    if (pdp_blob_read(&words, folder, "messages") && words.size > 0) {
        snprintf(first, sizeof first, "%s", words.data);
    }
    free(words.data);
    for (char *c = first; *c; c++) {
        if ((unsigned char)*c < ' ') {
            *c = ' ';
        }
    }
    return pdp_error_set(error, PDP_IO, "the C compiler '%.80s' failed: %s", compiler->path, first);
}

static pid_t start(const pdp_compiler *compiler, int folder, char *const *environment) {
    /* No handler of the caller's runs in the child, which has its memory but not its threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        supervise(compiler, folder, environment);
    }
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return child;
}

static char *make_setting(const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + 2;
    char *setting = malloc(size);
    if (setting) {
        snprintf(setting, size, "%s=%s", name, value);
    }
    return setting;
}

pdp_status pdp_compiler_run(const pdp_compiler *compiler, int folder, pdp_blob *object, pdp_error *error) {
    const char *home = secure_getenv("HOME");
    char *path_setting = make_setting("PATH", search_path());
    char *home_setting = make_setting("HOME", home ? home : "/");
    if (!path_setting || !home_setting) {
        free(path_setting);
        free(home_setting);
        return pdp_error_set_no_memory(error, PATH_MAX);
    }
    char *environment[] = {path_setting, home_setting, "TMPDIR=.", "LANG=C", "LC_ALL=C", NULL};
    pid_t child = start(compiler, folder, environment);
    int code = errno;
    free(path_setting);
    free(home_setting);
    if (child < 0) {
        return pdp_error_set(error, PDP_IO, "no process for the C compiler: %s", strerror(code));
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return pdp_blob_read(object, folder, PDP_WORK_OBJECT) ? PDP_OK : describe_failure(compiler, folder, error);
}
