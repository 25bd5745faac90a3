/* Files appear whole or not at all, and an older file survives every failure. */
#include "support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/pipedp-file-XXXXXX";
static char path[256];  /* folder/result */
static char other[256]; /* folder/other */

static int set_up(void **unused) {
    (void)unused;
    snprintf(path, sizeof path, "%s/result", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    return 0;
}

static int make_folder(void **unused) {
    (void)unused;
    return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int remove_folder(void **unused) {
    (void)unused;
    return rmdir(folder);
}

/* After each test the folder must hold nothing but these two. */
static int tear_down(void **unused) {
    (void)unused;
    unlink(path);
    unlink(other);
    return 0;
}

static size_t count_entries(void) {
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    size_t count = 0;
    for (struct dirent *entry = readdir(listing); entry; entry = readdir(listing)) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    closedir(listing);
    return count;
}

static void write_plainly(const char *name, const char *text) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_content(const char *name, const char *text) {
    char content[64] = "";
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t length = fread(content, 1, sizeof content - 1, file);
    content[length] = '\0';
    fclose(file);
    assert_string_equal(content, text);
}

static pdp_file *open_with(const char *name, const char *text) {
    pdp_file *file;
    pdp_status status = pdp_file_create(&file, name);
    if (status != PDP_OK) {
        fail_msg("%s", pdp_file_error(file));
    }
    assert_non_null(pdp_file_stream(file));
    fputs(text, pdp_file_stream(file));
    return file;
}

static void assert_not_created(const char *name, const char *message) {
    pdp_file *file;
    assert_int_equal(pdp_file_create(&file, name), PDP_IO);
    assert_in(pdp_file_error(file), name);
    assert_in(pdp_file_error(file), message);
    pdp_file_free(file);
}

/* A new file is under no name of its own before the commit, and whole after it. */
static void test_new(void **unused) {
    (void)unused;
    pdp_file *file = open_with(path, "whole");
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    assert_string_equal(pdp_file_error(file), "");
    assert_content(path, "whole");
    assert_int_equal(count_entries(), 1);
    pdp_file_free(file);
    assert_content(path, "whole");
    struct stat about;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0666 & ~mask);
}

/* An older file is there until the commit, then the new one is. */
static void test_replaces(void **unused) {
    (void)unused;
    write_plainly(path, "old");
    pdp_file *file = open_with(path, "new");
    fflush(pdp_file_stream(file));
    assert_content(path, "old");
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    pdp_file_free(file);
    assert_content(path, "new");
    assert_int_equal(count_entries(), 1);
}

/* Without a commit nothing is left behind, and the older file is as it was. */
static void test_discard(void **unused) {
    (void)unused;
    pdp_file_free(open_with(path, "never"));
    assert_int_equal(count_entries(), 0);
    write_plainly(path, "old");
    pdp_file_free(open_with(path, "never"));
    assert_content(path, "old");
    assert_int_equal(count_entries(), 1);
}

/* A name that is taken by somebody's leftover is not used. */
static void test_leftover(void **unused) {
    (void)unused;
    char leftover[300];
    snprintf(leftover, sizeof leftover, "%s/.pipedp-%ld-0.tmp", folder, (long)getpid());
    write_plainly(leftover, "not ours");
    pdp_file *first = open_with(path, "one");
    pdp_file *second = open_with(path, "two"); /* and two at a time do not meet */
    assert_int_equal(pdp_file_commit(second), PDP_OK);
    assert_content(path, "two");
    assert_int_equal(pdp_file_commit(first), PDP_OK);
    assert_content(path, "one");
    pdp_file_free(first);
    pdp_file_free(second);
    assert_content(leftover, "not ours");
    assert_int_equal(count_entries(), 2);
    unlink(leftover);
}

/* What cannot be written is refused at once, by its name. */
static void test_refused(void **unused) {
    (void)unused;
    assert_not_created("/nowhere/result", "No such file or directory");
    assert_not_created("/proc/result", "cannot be written");
    assert_not_created(folder, "Is a directory");
    char below[300];
    write_plainly(path, "a file");
    snprintf(below, sizeof below, "%s/below", path);
    assert_not_created(below, "Not a directory");
    assert_content(path, "a file");
    assert_int_equal(count_entries(), 1);
    snprintf(below, sizeof below, "%s/new/", folder);
    assert_not_created(below, "No such file or directory");
}

/* An empty name is no name. A link to nowhere is not replaced. A failed object refuses the commit too. */
static void test_empty_name(void **unused) {
    (void)unused;
    assert_not_created("", "'' cannot be written: No such file or directory");
    char link[300];
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink("nowhere", link), 0);
    assert_not_created(link, "No such file or directory");
    assert_int_equal(count_entries(), 1);
    unlink(link);
    pdp_file *file;
    assert_int_equal(pdp_file_create(&file, ""), PDP_IO);
    assert_int_equal(pdp_file_commit(file), PDP_IO);
    pdp_file_free(file);
}

/* The longest name a folder takes is fine, though the temporary file needs a name as well. */
static void test_long_name(void **unused) {
    (void)unused;
    char name[600];
    snprintf(name, sizeof name, "%s/%0255d", folder, 0);
    pdp_file *file = open_with(name, "whole");
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    pdp_file_free(file);
    assert_content(name, "whole");
    unlink(name);
}

/* A symbolic link stays one, and the file it leads to is replaced. */
static void test_link(void **unused) {
    (void)unused;
    write_plainly(other, "old");
    assert_int_equal(symlink("other", path), 0);
    pdp_file *file = open_with(path, "new");
    assert_content(other, "old");
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    pdp_file_free(file);
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_content(other, "new");
    assert_int_equal(count_entries(), 2);
}

/* The new file has the permissions of the old one. */
static void test_permissions(void **unused) {
    (void)unused;
    static const mode_t modes[] = {0600, 0640, 0755};
    for (size_t m = 0; m < 3; m++) {
        write_plainly(path, "old");
        assert_int_equal(chmod(path, modes[m]), 0);
        pdp_file *file = open_with(path, "new");
        assert_int_equal(pdp_file_commit(file), PDP_OK);
        pdp_file_free(file);
        struct stat about;
        assert_int_equal(stat(path, &about), 0);
        assert_int_equal(about.st_mode & 07777, modes[m]);
        unlink(path);
    }
}

enum { CANNOT_CHANGE_USER = 77 };

/* 0 when a file that may not be written, in a folder that may, is refused and survives. */
static int replace_read_only(void) {
    pdp_file *file;
    pdp_status status = pdp_file_create(&file, path);
    bool is_refused = status == PDP_IO && strstr(pdp_file_error(file), "Permission denied");
    pdp_file_free(file);
    return is_refused ? 0 : 1;
}

/* A file without write permission is refused, though a rename could replace it; and so is a new file in
 * a folder without it. In a child process that is not root. */
static void test_read_only(void **unused) {
    (void)unused;
    for (int is_new = 0; is_new < 2; is_new++) {
        if (!is_new) {
            write_plainly(path, "old");
            assert_int_equal(chmod(path, 0444), 0);
        }
        assert_int_equal(chmod(folder, is_new ? 0555 : 0777), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(geteuid() == 0 && setuid(65534) != 0 ? CANNOT_CHANGE_USER : replace_read_only());
        }
        int state;
        assert_int_equal(waitpid(child, &state, 0), child);
        assert_int_equal(chmod(folder, 0755), 0);
        assert_true(WIFEXITED(state));
        if (WEXITSTATUS(state) == CANNOT_CHANGE_USER) {
            skip();
        }
        assert_int_equal(WEXITSTATUS(state), 0);
        assert_int_equal(count_entries(), is_new ? 0 : 1);
        unlink(path);
    }
}

/* A disk that is full shows at the commit: PDP_IO. */
static void test_full(void **unused) {
    (void)unused;
    pdp_file *file = open_with("/dev/full", "text");
    assert_int_equal(pdp_file_commit(file), PDP_IO);
    assert_in(pdp_file_error(file), "'/dev/full' cannot be written: No space left on device");
    pdp_file_free(file);
    file = open_with("/dev/full", "");
    setvbuf(pdp_file_stream(file), NULL, _IONBF, 0);
    fputs("at once", pdp_file_stream(file)); /* the failure is long past at the commit */
    fputs("", pdp_file_stream(file));
    assert_int_equal(pdp_file_commit(file), PDP_IO);
    pdp_file_free(file);
}

/* A commit that fails in the file system: the older file survives, the new one is gone. */
static void test_failed_commit(void **unused) {
    (void)unused;
    write_plainly(path, "old");
    pdp_file *file = open_with(path, "new");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0); /* a file cannot be renamed over a folder */
    assert_int_equal(pdp_file_commit(file), PDP_IO);
    assert_in(pdp_file_error(file), "Is a directory");
    pdp_file_free(file);
    assert_int_equal(count_entries(), 1);
    assert_int_equal(rmdir(path), 0);
    write_plainly(path, "old");
    file = open_with(path, "new");
    int closed = open("/dev/full", O_WRONLY); /* the descriptor turns into one that takes nothing */
    assert_true(closed >= 0 && dup2(closed, fileno(pdp_file_stream(file))) >= 0);
    close(closed);
    assert_int_equal(pdp_file_commit(file), PDP_IO);
    pdp_file_free(file);
    assert_content(path, "old");
    assert_int_equal(count_entries(), 1);
}

/* Devices and pipes are written directly and not replaced. */
static void test_devices(void **unused) {
    (void)unused;
    pdp_file *file = open_with("/dev/null", "text");
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    pdp_file_free(file);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    file = open_with(path, "through");
    assert_int_equal(pdp_file_commit(file), PDP_OK);
    pdp_file_free(file);
    char text[16] = "";
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
    assert_int_equal(count_entries(), 1);
    assert_string_equal(pdp_file_error(NULL), "out of memory");
    pdp_file_free(NULL);
    assert_int_equal(pdp_file_create(&file, NULL), PDP_BAD_INPUT);
    assert_string_equal(pdp_file_error(file), "path is NULL");
    pdp_file_free(file);
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        FILE_TEST(test_new),       FILE_TEST(test_replaces),  FILE_TEST(test_discard),
        FILE_TEST(test_leftover),  FILE_TEST(test_refused),   FILE_TEST(test_empty_name),
        FILE_TEST(test_long_name), FILE_TEST(test_link),      FILE_TEST(test_permissions),
        FILE_TEST(test_full),      FILE_TEST(test_read_only), FILE_TEST(test_failed_commit),
        FILE_TEST(test_devices),
    };
    return cmocka_run_group_tests_name("file", tests, make_folder, remove_folder);
}
