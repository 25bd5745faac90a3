/* Source text becomes code; the cache spares the compiler, trusts nobody else, and survives what happens to it.
 * With an argument N it is one process of tests/compile_race.py: it waits for the end of its standard input, then
 * compiles a function that returns N and prints what it got, and whether that was cached. */
#include "support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compile/cache.h"
#include "compile/hash.h"
#include "compile/module.h"

enum { PATH_SIZE = 512 };

static char folder[] = "/tmp/pipedp-compile-XXXXXX"; /* all of it; each test starts with it empty */
static char caches[PATH_SIZE];                       /* folder/caches: XDG_CACHE_HOME */
static char cache[PATH_SIZE];                        /* folder/caches/pipedp */

/* ---- Folders and files ---- */

static void run_program(const char *program, const char *argument, const char *path) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(program, program, argument, path, (char *)NULL);
        _exit(127);
    }
    int state;
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_int_equal(state, 0);
}

static int make_folder(void **unused) {
    (void)unused;
    unsetenv("CC");
    unsetenv("PIPEDP_COMPILE");
    snprintf(caches, sizeof caches, "%s/caches", folder);
    snprintf(cache, sizeof cache, "%s/caches/pipedp", folder);
    return mkdtemp(folder) ? 0 : -1;
}

static int set_up(void **unused) {
    (void)unused;
    setenv("XDG_CACHE_HOME", caches, 1);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", folder, 1);
    return chdir(folder);
}

static int tear_down(void **unused) {
    (void)unused;
    unsetenv("CC");
    unsetenv("PIPEDP_COMPILE");
    (void)!chdir("/");
    chmod(caches, 0700); /* or what is in it could not be removed */
    chmod(cache, 0700);
    run_program("/bin/rm", "-rf", folder);
    return mkdir(folder, 0700);
}

static int remove_folder(void **unused) {
    (void)unused;
    return rmdir(folder);
}

/* How many files of the folder have the ending ("" for all); the last of them in `name`, if wanted. */
static size_t count_files(const char *path, const char *ending, char name[PATH_SIZE]) {
    DIR *listing = opendir(path);
    assert_non_null(listing);
    size_t count = 0;
    for (struct dirent *item = readdir(listing); item; item = readdir(listing)) {
        size_t length = strlen(item->d_name);
        size_t end = strlen(ending);
        if (item->d_name[0] != '.' && length >= end && strcmp(item->d_name + length - end, ending) == 0) {
            count++;
            if (name) {
                snprintf(name, PATH_SIZE, "%.200s/%.256s", path, item->d_name);
            }
        }
    }
    closedir(listing);
    return count;
}

static void assert_one_entry(char name[PATH_SIZE]) {
    assert_int_equal(count_files(cache, ".so", name), 1);
    assert_int_equal(count_files(cache, "", NULL), 1); /* and nothing else */
}

static void write_file(const char *path, const char *text, mode_t mode) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void copy_file(const char *from, const char *to) {
    char buffer[1 << 16];
    FILE *in = fopen(from, "r");
    FILE *out = fopen(to, "w");
    assert_true(in && out);
    size_t size = fread(buffer, 1, sizeof buffer, in);
    assert_true(size > 0 && size < sizeof buffer);
    assert_int_equal(fwrite(buffer, 1, size, out), size);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* A compiler of our own: a shell script. */
static void use_script(const char *text) {
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/compiler", folder);
    write_file(path, text, 0755);
    setenv("CC", path, 1);
}

/* ---- Modules ---- */

static pdp_status open_text(pdp_module **out, const char *source, const char *flags, pdp_error *error) {
    *error = (pdp_error){PDP_OK, ""};
    pdp_status status = pdp_module_open(out, source, strlen(source), flags, error);
    assert_int_equal(status, error->status);
    assert_true((status == PDP_OK) == (*out != NULL));
    return status;
}

static long call(const pdp_module *module) {
    long (*answer)(void);
    *(void **)&answer = pdp_module_symbol(module, "answer");
    assert_non_null(answer);
    return answer();
}

/* A module whose function `answer` returns the number. */
static pdp_status open_number(pdp_module **out, long number, pdp_error *error) {
    char source[100];
    snprintf(source, sizeof source, "long answer(void) { return %ldL; }", number);
    return open_text(out, source, NULL, error);
}

static void expect(long number, bool is_cached) {
    pdp_error error;
    pdp_module *module;
    pdp_status status = open_number(&module, number, &error);
    CHECK(status == PDP_OK, "%s", error.text);
    assert_int_equal(call(module), number);
    assert_int_equal(pdp_module_was_cached(module), is_cached);
    pdp_module_close(module);
}

static void expect_failure(long number, pdp_status status, const char *text) {
    pdp_error error;
    pdp_module *module;
    assert_int_equal(open_number(&module, number, &error), status);
    assert_in(error.text, text);
}

/* ---- Tests ---- */

static void test_hash(void **unused) {
    (void)unused;
    pdp_uwide hash = pdp_hash("a", 1); /* of the published vectors */
    assert_true((uint64_t)(hash >> 64) == UINT64_C(0xd228cb696f1a8caf));
    assert_true((uint64_t)hash == UINT64_C(0x78912b704e4a8964));
}

/* The first time compiled, then not; another source and other flags are another object. The folder is made with its
 * parents, for the user alone, whatever the umask; and the entry can be trusted even if the umask is careless. */
static void test_cached(void **unused) {
    (void)unused;
    mode_t before = umask(0);
    snprintf(caches, sizeof caches, "%s/a/b/caches", folder);
    snprintf(cache, sizeof cache, "%s/a/b/caches/pipedp", folder);
    setenv("XDG_CACHE_HOME", caches, 1);
    expect(1, false);
    expect(1, true);
    expect(2, false);
    struct stat about;
    assert_int_equal(stat(cache, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0700);
    umask(before);
    pdp_error error;
    pdp_module *module;
    const char *source = "long answer(void) { return 1L; }";
    assert_int_equal(open_text(&module, source, "-march=native  -DX", &error), PDP_OK);
    assert_false(pdp_module_was_cached(module));
    assert_null(pdp_module_symbol(module, "question"));
    pdp_module_close(module);
    assert_int_equal(count_files(cache, ".so", NULL), 3);
    assert_int_equal(count_files(cache, "", NULL), 3);
    pdp_module_close(NULL);
    make_folder(NULL);
}

/* Another compiler, or the same after a change of its file, is asked again: of its time, its size, or of the file
 * alone, which was replaced. */
static void test_compiler_in_key(void **unused) {
    (void)unused;
    static const char *const texts[] = {"#!/bin/sh\nexec cc \"$@\"\n", "#!/bin/sh\nexec cc \"$@\"\n",
                                        "#!/bin/sh\nexec  cc \"$@\"\n", "#!/bin/sh\nexec \tcc \"$@\"\n"};
    static const time_t times[] = {1000000000, 1000000001, 1000000001, 1000000001};
    for (size_t t = 0; t < 4; t++) {
        if (t == 3) {
            assert_int_equal(rename("compiler", "older"), 0); /* which keeps its number */
        }
        use_script(texts[t]);
        struct timespec both[2] = {{times[t], 0}, {times[t], 0}};
        assert_int_equal(utimensat(AT_FDCWD, "compiler", both, 0), 0);
        expect(1, false);
        expect(1, true);
    }
    unsetenv("CC");
    expect(1, false);
    setenv("CC", "cc", 1);
    expect(1, true);
    setenv("CC", "", 1);
    expect(1, true);
    setenv("CC", "./compiler", 1);
    expect(1, true);
}

/* Several at once, the same one twice, and again after they were closed. */
static void test_several(void **unused) {
    (void)unused;
    enum { COUNT = 6 };
    pdp_module *modules[COUNT];
    pdp_error error;
    for (int round = 0; round < 2; round++) {
        for (int m = 0; m < COUNT; m++) {
            assert_int_equal(open_number(&modules[m], m / 2, &error), PDP_OK);
            assert_int_equal(pdp_module_was_cached(modules[m]), round > 0 || m % 2 != 0);
        }
        for (int m = 0; m < COUNT; m++) {
            assert_int_equal(call(modules[m]), m / 2);
        }
        pdp_module_close(modules[2]);
        assert_int_equal(open_number(&modules[2], 0, &error), PDP_OK);
        for (int m = 0; m < COUNT; m++) {
            assert_int_equal(call(modules[m]), m == 2 ? 0 : m / 2);
            pdp_module_close(modules[m]);
        }
    }
}

/* Somebody else's object that was loaded from a descriptor of the number we get is not taken for ours. */
static void test_foreign_name(void **unused) {
    (void)unused;
    char name[PATH_SIZE];
    expect(1, false);
    assert_one_entry(name);
    enum { COUNT = 3 };
    void *handles[16];
    for (int number = 0; number < 16; number++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/foreign%d.so", folder, number);
        copy_file(name, path);
        int descriptor = open(path, O_RDONLY | O_CLOEXEC);
        int wanted = descriptor < 32 ? fcntl(descriptor, F_DUPFD_CLOEXEC, number + 3) : -1;
        snprintf(path, sizeof path, "/proc/self/fd/%d", wanted);
        handles[number] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        close(wanted);
        close(descriptor);
        assert_non_null(handles[number]);
    }
    for (long n = 2; n < 2 + COUNT; n++) {
        expect(n, false);
        expect(n, true);
    }
    for (int number = 0; number < 16; number++) {
        dlclose(handles[number]);
    }
}

/* Floats as written: no contraction, no reassociation; and libm is there. */
static void test_floats(void **unused) {
    (void)unused;
    const char *source = "#include <math.h>\n"
                         "double product_sum(double a, double b, double c) { return a * b + c; }\n"
                         "double sum(double a, double b, double c) { return (a + b) - c; }\n"
                         "double power(double a, double b) { return pow(a, b); }\n";
    pdp_error error;
    pdp_module *module;
    pdp_status status = open_text(&module, source, "-march=native", &error);
    CHECK(status == PDP_OK, "%s", error.text);
    double (*function)(double, double, double);
    *(void **)&function = pdp_module_symbol(module, "product_sum");
    double e = 0x1p-30;
    assert_true(function(1 + e, 1 - e, -1.0) == 0.0); /* fused, it would be -2^-60 */
    *(void **)&function = pdp_module_symbol(module, "sum");
    assert_true(function(1e-20, 1.0, 1.0) == 0.0);
    double (*power)(double, double);
    *(void **)&power = pdp_module_symbol(module, "power");
    assert_true(power(2.0, 10.0) == 1024.0);
    pdp_module_close(module);
}

static void test_compile_error(void **unused) {
    (void)unused;
    pdp_error error;
    pdp_module *module;
    assert_int_equal(open_text(&module, "long answer(void) { return nowhere; }", NULL, &error), PDP_IO);
    assert_in(error.text, "' failed: source.c:");
    assert_in(error.text, "source.c:1:28: error: ");
    assert_in(error.text, "'nowhere'");
    assert_null(strchr(error.text, '\n'));
    assert_int_equal(count_files(cache, "", NULL), 0);
    assert_int_equal(
        open_text(&module, "", "-DA=1 -DA=2 -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA", &error),
        PDP_BAD_INPUT);
    assert_in(error.text, "too many compiler flags: '-DA=1 -DA=2");
    expect(1, false);
}

static void test_switched_off(void **unused) {
    (void)unused;
    setenv("PIPEDP_COMPILE", "0", 1);
    expect_failure(1, PDP_BAD_INPUT, "compiling is switched off by PIPEDP_COMPILE=0");
    setenv("PIPEDP_COMPILE", "1", 1);
    expect(1, false);
}

static void test_no_compiler(void **unused) {
    (void)unused;
    setenv("CC", "/nowhere/cc", 1);
    expect_failure(1, PDP_IO, "the C compiler '/nowhere/cc', which CC names, was not found");
    setenv("CC", "cc -O0", 1);
    expect_failure(1, PDP_IO, "'cc -O0'");
    setenv("CC", folder, 1);
    expect_failure(1, PDP_IO, "was not found");
    use_script("no program");
    expect_failure(1, PDP_IO, "failed: it cannot be started");
    unsetenv("CC");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", folder, 1);
    expect_failure(1, PDP_IO, "no C compiler was found: neither cc nor gcc nor clang is on PATH");
    setenv("PATH", path, 1);
    free(path);
}

/* A compiler that fails in its own ways: none of what it leaves is taken, and nothing stays behind. */
static void test_bad_compiler(void **unused) {
    (void)unused;
    static const char *const scripts[][2] = {
        {"#!/bin/sh\nexit 3\n", "failed: it was stopped, or said nothing"},
        {"#!/bin/sh\nexit 0\n", "failed: it was stopped, or said nothing"},
        {"#!/bin/sh\necho half > output.so\nkill -9 $$\n", "failed: it was stopped, or said nothing"},
        {"#!/bin/sh\ncc \"$@\"\necho this cannot be >&2\nexit 1\n", "failed: this cannot be"},
        {"#!/bin/sh\necho garbage > output.so\n", "the compiled code cannot be loaded: "},
        {"#!/bin/sh\necho 'long answer(void) { return 0; }' > source.c\nexec cc \"$@\"\n", "cannot be loaded: "},
    };
    for (size_t s = 0; s < sizeof scripts / sizeof *scripts; s++) {
        use_script(scripts[s][0]);
        for (int time = 0; time < 2; time++) {
            expect_failure((long)s, PDP_IO, scripts[s][1]);
            assert_int_equal(count_files(cache, "", NULL), 0);
        }
    }
}

/* The compiler sees a small world: five variables, limits, an empty standard input, and no file of ours. */
static void test_isolation(void **unused) {
    (void)unused;
    char script[2 * PATH_SIZE];
    char seen[PATH_SIZE];
    snprintf(seen, sizeof seen, "%s/seen", folder);
    snprintf(
        script, sizeof script,
        "#!/bin/sh\n{ env -u PWD -u OLDPWD -u SHLVL -u _ | cut -d= -f1 | sort | tr '\\n' ' '; ulimit -t; ulimit -v; "
        "ulimit -f; ulimit -c; wc -c; ls -l /proc/$$/fd | grep -c foreign; umask; } > %s\nexec cc \"$@\"\n",
        seen);
    use_script(script);
    setenv("PIPEDP_SECRET", "1", 1);
    char foreign[PATH_SIZE];
    snprintf(foreign, sizeof foreign, "%s/foreign", folder);
    write_file(foreign, "", 0600);
    int descriptor = open(foreign, O_RDONLY); /* on purpose without O_CLOEXEC */
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_CORE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_CORE, &(struct rlimit){before.rlim_max, before.rlim_max}), 0);
    expect(1, false);
    assert_int_equal(setrlimit(RLIMIT_CORE, &before), 0);
    close(descriptor);
    unsetenv("PIPEDP_SECRET");
    char text[300] = "";
    FILE *file = fopen(seen, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "HOME LANG LC_ALL PATH TMPDIR 60\n4194304\n131072\n0\n0\n0\n0077\n");
}

/* The folder itself must be ours alone. The text names it. */
static void test_folder_refused(void **unused) {
    (void)unused;
    char text[2 * PATH_SIZE];
    expect(1, false);
    static const mode_t modes[] = {0777, 0720, 0702};
    for (size_t m = 0; m < 3; m++) {
        assert_int_equal(chmod(cache, modes[m]), 0);
        snprintf(text, sizeof text, "the cache folder '%s' can be written by others: its mode is %03o", cache,
                 (unsigned)modes[m]);
        expect_failure(1, PDP_IO, text);
        expect_failure(2, PDP_IO, text);
    }
    assert_int_equal(chmod(cache, 0755), 0);
    expect(1, true);
    if (geteuid() == 0) {
        assert_int_equal(chown(cache, 65534, 0), 0);
        snprintf(text, sizeof text, "the cache folder '%s' belongs to user 65534, not to user 0", cache);
        expect_failure(1, PDP_IO, text);
        assert_int_equal(chown(cache, 0, 0), 0);
    }
    char elsewhere[PATH_SIZE];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(rename(cache, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, cache), 0);
    snprintf(text, sizeof text, "the cache folder '%s' is a symbolic link, which is not followed", cache);
    expect_failure(1, PDP_IO, text);
    unlink(cache);
    write_file(cache, "", 0600);
    expect_failure(1, PDP_IO, "is not a folder");
    unlink(cache);
    assert_int_equal(rename(elsewhere, cache), 0);
    expect(1, true);
}

/* What may have happened to an entry; each function gets its name. */
static void link_entry(const char *name) {
    char elsewhere[PATH_SIZE];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(rename(name, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, name), 0);
}

static void open_entry_to_all(const char *name) {
    assert_int_equal(chmod(name, 0602), 0);
}

static void open_entry_to_group(const char *name) {
    assert_int_equal(chmod(name, 0660), 0);
}

static void give_entry_away(const char *name) {
    if (geteuid() == 0) {
        assert_int_equal(chown(name, 65534, 0), 0);
    } else {
        unlink(name);
    }
}

static void truncate_entry(const char *name) {
    struct stat about;
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(truncate(name, about.st_size / 2), 0);
}

static void shorten_entry(const char *name) {
    struct stat about;
    assert_int_equal(stat(name, &about), 0);
    assert_int_equal(truncate(name, about.st_size - 1), 0);
}

static void empty_entry(const char *name) {
    assert_int_equal(truncate(name, 0), 0);
}

static void damage_entry(const char *name) {
    FILE *file = fopen(name, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 1000, SEEK_SET), 0);
    int byte = getc(file);
    assert_int_equal(fseek(file, 1000, SEEK_SET), 0);
    putc(byte ^ 1, file);
    assert_int_equal(fclose(file), 0);
}

static void replace_by_pipe(const char *name) {
    unlink(name);
    assert_int_equal(mkfifo(name, 0600), 0);
}

/* As after a collision of keys: a sound entry of another source under this name. */
static void replace_by_other(const char *name) {
    char other[PATH_SIZE];
    snprintf(other, sizeof other, "%s/own", folder);
    assert_int_equal(rename(name, other), 0);
    expect(7, false);
    char found[PATH_SIZE];
    assert_one_entry(found);
    assert_int_equal(rename(found, name), 0);
}

/* An entry that could be anybody's, or is not whole, or is of another source, is not loaded but made again. */
static void test_entry_refused(void **unused) {
    (void)unused;
    static void (*const spoil[])(const char *) = {
        link_entry,    open_entry_to_all, open_entry_to_group, give_entry_away, truncate_entry,
        shorten_entry, empty_entry,       damage_entry,        replace_by_pipe, replace_by_other,
    };
    expect(1, false);
    for (size_t s = 0; s < sizeof spoil / sizeof *spoil; s++) {
        char name[PATH_SIZE];
        assert_one_entry(name);
        spoil[s](name);
        expect(1, false);
        expect(1, true);
        char again[PATH_SIZE];
        assert_one_entry(again);
        assert_string_equal(name, again);
        struct stat about;
        assert_int_equal(lstat(name, &about), 0);
        assert_true(S_ISREG(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & 0777) == 0600);
    }
}

/* A name that cannot be replaced: the cache is of no use for this one, and that is all. */
static void test_entry_blocked(void **unused) {
    (void)unused;
    char name[PATH_SIZE];
    expect(1, false);
    assert_one_entry(name);
    unlink(name);
    assert_int_equal(mkdir(name, 0700), 0);
    expect(1, false);
    expect(1, false);
    assert_one_entry(name);
}

/* XDG_CACHE_HOME must be absolute; else it is as if unset. */
static void test_relative_cache(void **unused) {
    (void)unused;
    static const char *const names[] = {"caches", "", NULL};
    for (size_t n = 0; n < 3; n++) {
        if (names[n]) {
            setenv("XDG_CACHE_HOME", names[n], 1);
        } else {
            unsetenv("XDG_CACHE_HOME");
        }
        expect(1, n > 0);
    }
    assert_int_equal(access(caches, F_OK), -1);
    char home[PATH_SIZE];
    snprintf(home, sizeof home, "%s/.cache/pipedp", folder);
    assert_int_equal(count_files(home, ".so", NULL), 1);
}

/* No home: compiled every time, and nothing stays in the temporary folder. */
static void test_no_home(void **unused) {
    (void)unused;
    unsetenv("XDG_CACHE_HOME");
    static const char *const homes[] = {NULL, "", "relative", "/dev/null"};
    for (size_t h = 0; h < 4; h++) {
        if (homes[h]) {
            setenv("HOME", homes[h], 1);
        } else {
            unsetenv("HOME");
        }
        expect(1, false);
        assert_int_equal(count_files(folder, "", NULL), 0);
    }
    char nowhere[PATH_SIZE];
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", folder);
    setenv("TMPDIR", nowhere, 1);
    expect_failure(1, PDP_IO, "no temporary folder to compile in: No such file or directory");
}

enum { CANNOT_CHANGE_USER = 77 };

/* 0 when the number comes out, cached or not as expected. */
static int try_number(long number, bool is_cached) {
    pdp_error error;
    pdp_module *module;
    if (open_number(&module, number, &error) != PDP_OK) {
        return 1;
    }
    return call(module) == number && pdp_module_was_cached(module) == is_cached ? 0 : 2;
}

/* Folders that cannot be written: compiled every time, elsewhere; but what is there already is used. In a child
 * process that is not root. */
static void test_read_only(void **unused) {
    (void)unused;
    assert_int_equal(chmod(folder, 0777), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) {
            _exit(CANNOT_CHANGE_USER);
        }
        int result = mkdir(caches, 0500) == 0 ? try_number(1, false) : 3;
        chmod(caches, 0700);
        result = result == 0 ? try_number(1, false) : 10 + result;
        chmod(cache, 0500);
        result = result == 0 ? try_number(1, true) : 20 + result;
        result = result == 0 ? try_number(2, false) : 30 + result;
        result = result == 0 ? try_number(2, false) : 40 + result;
        _exit(result);
    }
    int state;
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFEXITED(state));
    if (WEXITSTATUS(state) == CANNOT_CHANGE_USER) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(state), 0);
    assert_int_equal(count_files(folder, "", NULL), 1); /* no temporary folder */
}

/* Waits until the script that stands for the compiler has written its number into its folder. */
static pid_t wait_for_script(char work[PATH_SIZE]) {
    for (int attempt = 0; attempt < 2000; attempt++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        if (access(cache, F_OK) == 0 && count_files(cache, "", work) == 1) {
            char name[PATH_SIZE + 16];
            snprintf(name, sizeof name, "%s/pid", work);
            FILE *file = fopen(name, "r");
            char text[32] = "";
            char *line = file ? fgets(text, sizeof text, file) : NULL;
            if (file) {
                fclose(file);
            }
            if (line && strchr(line, '\n')) {
                return (pid_t)strtol(text, NULL, 10);
            }
        }
    }
    fail_msg("the compiler was not started");
    return 0;
}

/* A compilation that is killed, and its caller with it: the cache stays usable, and what was left goes when it is old
 * enough to be nobody's. */
static void test_killed(void **unused) {
    (void)unused;
    for (int is_caller_too = 0; is_caller_too < 2; is_caller_too++) {
        use_script("#!/bin/sh\necho half > output.so\necho $$ > pid\nexec sleep 60\n");
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            pdp_error error;
            pdp_module *module;
            _exit(open_number(&module, 1, &error) == PDP_IO ? 0 : 1);
        }
        char work[PATH_SIZE] = "";
        pid_t script = wait_for_script(work);
        if (is_caller_too) {
            assert_int_equal(kill(child, SIGKILL), 0);
        }
        assert_int_equal(kill(script, SIGKILL), 0);
        int state;
        assert_int_equal(waitpid(child, &state, 0), child);
        assert_true(is_caller_too ? WIFSIGNALED(state) : WIFEXITED(state) && WEXITSTATUS(state) == 0);
        unsetenv("CC");
        expect(1, false);
        expect(1, true);
        assert_int_equal(count_files(cache, ".so", NULL), 1);
        assert_int_equal(count_files(cache, "", NULL), is_caller_too ? 2 : 1);
        if (is_caller_too) {
            struct timespec times[2] = {{time(NULL) - PDP_WORK_STALE_SECONDS - 1, 0}};
            times[1] = times[0];
            assert_int_equal(utimensat(AT_FDCWD, work, times, 0), 0);
            expect(2, false);
            assert_int_equal(count_files(cache, "", NULL), 2);
            assert_int_equal(count_files(cache, ".so", NULL), 2);
        }
        tear_down(NULL);
    }
}

static void wait_for_any(int number) {
    (void)number;
    int code = errno;
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    errno = code;
}

/* Callers who ignore the end of their children, or take it from us, get the same. */
static void test_child_signals(void **unused) {
    (void)unused;
    struct sigaction before;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction take = {.sa_handler = wait_for_any};
    for (int is_taken = 0; is_taken < 2; is_taken++) {
        assert_int_equal(sigaction(SIGCHLD, is_taken ? &take : &ignore, &before), 0);
        expect(1 + is_taken, false);
        expect(1 + is_taken, true);
        pdp_error error;
        pdp_module *module;
        assert_int_equal(open_text(&module, "long answer(void) { return nowhere; }", NULL, &error), PDP_IO);
        assert_in(error.text, "'nowhere'");
        struct sigaction now;
        assert_int_equal(sigaction(SIGCHLD, &before, &now), 0);
        assert_true(now.sa_handler == (is_taken ? wait_for_any : SIG_IGN));
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
}

/* Fills the cache with entries of a size, the i-th used i seconds after a time long ago. */
static void fill_cache(size_t count, off_t size) {
    for (size_t i = 0; i < count; i++) {
        char name[2 * PATH_SIZE];
        snprintf(name, sizeof name, "%s/%032zu.so", cache, i);
        int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        struct timespec times[2] = {{1000000000 + (time_t)i, 0}, {1000000000 + (time_t)i, 0}};
        assert_true(file >= 0 && ftruncate(file, size) == 0 && futimens(file, times) == 0);
        close(file);
    }
}

static bool is_kept(size_t i) {
    char name[2 * PATH_SIZE];
    snprintf(name, sizeof name, "%s/%032zu.so", cache, i);
    return access(name, F_OK) == 0;
}

/* Too many: the entries used longest ago go, and no other file. */
static void test_too_many(void **unused) {
    (void)unused;
    char name[PATH_SIZE];
    expect(1, false);
    assert_one_entry(name);
    char stranger[PATH_SIZE + 16];
    snprintf(stranger, sizeof stranger, "%s/notes", cache);
    write_file(stranger, "", 0600);
    struct timespec old[2] = {{999999999, 0}, {999999999, 0}};
    assert_int_equal(utimensat(AT_FDCWD, stranger, old, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, name, old, 0), 0);
    expect(1, true); /* used: it is not the oldest any longer */
    fill_cache(PDP_CACHE_ENTRIES, 10);
    expect(2, false);
    assert_int_equal(count_files(cache, ".so", NULL), PDP_CACHE_ENTRIES);
    assert_true(!is_kept(0) && !is_kept(1) && is_kept(2));
    expect(1, true);
    assert_int_equal(access(stranger, F_OK), 0);
}

/* Too large, of five entries of a quarter of what is kept: with two small ones three fit. */
static void test_too_large(void **unused) {
    (void)unused;
    expect(1, false);
    fill_cache(5, (off_t)PDP_CACHE_MEGABYTES << 18);
    expect(2, false);
    assert_true(!is_kept(0) && !is_kept(1) && is_kept(2) && is_kept(3) && is_kept(4));
    expect(1, true);
    expect(2, true);
}

static void *open_in_thread(void *argument) {
    long number = *(const long *)argument;
    for (int time = 0; time < 3; time++) {
        pdp_error error;
        pdp_module *module;
        if (open_number(&module, number, &error) != PDP_OK || call(module) != number) {
            return argument;
        }
        pdp_module_close(module);
    }
    return NULL;
}

/* Threads, two of which want the same. */
static void test_threads(void **unused) {
    (void)unused;
    enum { COUNT = 6 };
    pthread_t threads[COUNT];
    long numbers[COUNT];
    for (int t = 0; t < COUNT; t++) {
        numbers[t] = t / 2;
        assert_int_equal(pthread_create(&threads[t], NULL, open_in_thread, &numbers[t]), 0);
    }
    for (int t = 0; t < COUNT; t++) {
        void *failed;
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(count_files(cache, "", NULL), COUNT / 2);
}

/* Code of users of the library. */
static void test_code(void **unused) {
    (void)unused;
    pdp_code *code;
    assert_int_equal(pdp_code_compile(&code, "int seven(void) { return 7; }", ""), PDP_OK);
    int (*seven)(void) = (int (*)(void))pdp_code_find(code, "seven");
    assert_true(seven && seven() == 7);
    assert_null(pdp_code_find(code, "eight"));
    pdp_code_free(code);
    for (int has_source = 0; has_source < 2; has_source++) {
        assert_int_equal(pdp_code_compile(&code, has_source ? "" : NULL, has_source ? NULL : ""), PDP_BAD_INPUT);
        assert_string_equal(pdp_code_error(code), has_source ? "flags is NULL" : "source is NULL");
        assert_null(pdp_code_find(code, "seven"));
        pdp_code_free(code);
    }
}

/* One process of the race. */
static int race(long number) {
    while (getchar() != EOF) {
    }
    pdp_error error;
    pdp_module *module;
    if (open_number(&module, number, &error) != PDP_OK) {
        puts(error.text);
        return 1;
    }
    printf("%ld %s\n", call(module), pdp_module_was_cached(module) ? "cached" : "compiled");
    pdp_module_close(module);
    return 0;
}

#define COMPILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(int count, char **arguments) {
    if (count > 1) {
        return race(strtol(arguments[1], NULL, 10));
    }
    const struct CMUnitTest tests[] = {
        COMPILE_TEST(test_hash),          COMPILE_TEST(test_cached),        COMPILE_TEST(test_compiler_in_key),
        COMPILE_TEST(test_several),       COMPILE_TEST(test_foreign_name),  COMPILE_TEST(test_floats),
        COMPILE_TEST(test_compile_error), COMPILE_TEST(test_switched_off),  COMPILE_TEST(test_no_compiler),
        COMPILE_TEST(test_bad_compiler),  COMPILE_TEST(test_isolation),     COMPILE_TEST(test_folder_refused),
        COMPILE_TEST(test_entry_refused), COMPILE_TEST(test_entry_blocked), COMPILE_TEST(test_relative_cache),
        COMPILE_TEST(test_no_home),       COMPILE_TEST(test_read_only),     COMPILE_TEST(test_killed),
        COMPILE_TEST(test_child_signals), COMPILE_TEST(test_too_many),      COMPILE_TEST(test_too_large),
        COMPILE_TEST(test_threads),       COMPILE_TEST(test_code),
    };
    return cmocka_run_group_tests_name("compile", tests, make_folder, remove_folder);
}
