/* Lists of numbers as text, in memory, in files and on standard input. */
#include "support.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_numbers(const pdp_numbers *numbers, const int64_t *expected, size_t count) {
    assert_string_equal(pdp_numbers_error(numbers), "");
    assert_int_equal(pdp_numbers_count(numbers), count);
    for (size_t i = 0; i < count; i++) {
        assert_true(pdp_numbers_data(numbers)[i] == expected[i]);
    }
}

static void assert_parses(const char *text, const int64_t *expected, size_t count) {
    pdp_numbers *numbers;
    pdp_status status = pdp_numbers_parse(&numbers, text, strlen(text));
    if (status != PDP_OK) {
        fail_msg("'%s': %s", text, pdp_numbers_error(numbers));
    }
    assert_numbers(numbers, expected, count);
    pdp_numbers_free(numbers);
}

static void assert_refused_bytes(const char *text, size_t length, const char *message) {
    pdp_numbers *numbers;
    assert_int_equal(pdp_numbers_parse(&numbers, text, length), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), message);
    pdp_numbers_free(numbers);
}

static void assert_refused(const char *text, const char *message) {
    assert_refused_bytes(text, strlen(text), message);
}

/* White space of every kind and single commas separate; both may stand together. */
static void test_separators(void **unused) {
    (void)unused;
    static const int64_t numbers[] = {1, -2, 3};
    static const char *const texts[] = {"1 -2 3",         "1,-2,3",     " 1 ,-2 , 3 ", "1\n-2\n3\n",
                                        "\t1\r\n-2\v\f3", "1,\n-2,\n3", "1 -2,3",      "1   ,   -2   3"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        assert_parses(texts[t], numbers, 3);
    }
    assert_parses("", NULL, 0);
    assert_parses(" \n\t ", NULL, 0);
    assert_parses("7", (int64_t[]){7}, 1);
    assert_parses("\xef\xbb\xbf"
                  "7 8",
                  (int64_t[]){7, 8}, 2); /* a byte order mark */
}

/* Signs and leading zeros are allowed; zero has no sign. */
static void test_signs_and_zeros(void **unused) {
    (void)unused;
    assert_parses("+5 -5 007 -007 +0 -0 00 010", (int64_t[]){5, -5, 7, -7, 0, 0, 0, 10}, 8);
    assert_parses("0000000000000000000000000000000000000000000012", (int64_t[]){12}, 1);
}

/* Both ends of int64 are taken exactly, one beyond them is refused with the number itself. */
static void test_limits(void **unused) {
    (void)unused;
    assert_parses("9223372036854775807 -9223372036854775808 +9223372036854775807",
                  (int64_t[]){INT64_MAX, INT64_MIN, INT64_MAX}, 3);
    assert_refused("1 9223372036854775808", "item 2 (line 1, column 3): '9223372036854775808' is beyond int64");
    assert_refused("-9223372036854775809", "item 1 (line 1, column 1): '-9223372036854775809' is beyond int64");
    assert_refused("99999999999999999999999999", "'99999999999999999999999999' is beyond int64");
}

/* An item too many commas promise is missing: the text says which and where. */
static void test_empty_items(void **unused) {
    (void)unused;
    assert_refused("1,,2", "item 2 (line 1, column 3): empty: a comma with no number before it");
    assert_refused("1, ,2", "item 2 (line 1, column 4): empty: a comma with no number before it");
    assert_refused(",1", "item 1 (line 1, column 1): empty: a comma with no number before it");
    assert_refused("\n ,1", "item 1 (line 2, column 2): empty: a comma with no number before it");
    assert_refused("1,2,", "item 3 (line 1, column 5): empty: a comma with no number after it");
    assert_refused("1,2,\n", "item 3 (line 2, column 1): empty: a comma with no number after it");
    assert_refused(",", "item 1 (line 1, column 1): empty");
}

/* Text where a number belongs is shown with its item, line and column. */
static void test_text(void **unused) {
    (void)unused;
    assert_refused("1 2 x 4", "item 3 (line 1, column 5): 'x' is not a whole number");
    assert_refused("1\n22  333\n  4a", "item 4 (line 3, column 3): '4a' is not a whole number");
    assert_refused("1,2.5", "item 2 (line 1, column 3): '2.5' is not a whole number");
    static const char *const bad[] = {
        "1e3", "0x10", "--1", "+-1", "-", "+", "1-", "1;2", "1_000", "nan", "\xef\xbb 1", "\xef 1", "1 \xef\xbb\xbf 2"};
    for (size_t t = 0; t < sizeof bad / sizeof *bad; t++) {
        assert_refused(bad[t], "is not a whole number");
    }
    assert_refused("1\n\x01z", "item 2 (line 2, column 1): '?z' is not a whole number");
}

/* A token of 64 characters is still read, a longer one is refused without being kept. */
static void test_long_token(void **unused) {
    (void)unused;
    char text[200];
    memset(text, '0', sizeof text);
    text[63] = '5';
    text[64] = '\0';
    assert_parses(text, (int64_t[]){5}, 1);
    text[63] = '0';
    text[64] = '5';
    text[65] = '\0';
    assert_refused(text, "is too long for a number");
    memset(text, 'y', sizeof text);
    text[199] = '\0';
    assert_refused(text, "item 1 (line 1, column 1): 'yyyy");
}

/* A NUL byte is a character like another, not the end. */
static void test_nul(void **unused) {
    (void)unused;
    assert_refused_bytes("1 2\0 3", 6, "item 2 (line 1, column 3): '2?' is not a whole number");
    assert_refused_bytes("\0", 1, "item 1 (line 1, column 1): '?' is not a whole number");
    assert_refused_bytes("1 2 \0", 5, "item 3 (line 1, column 5): '?' is not a whole number");
}

/* The length counts, not what stands behind it: "12" of "123". */
static void test_length(void **unused) {
    (void)unused;
    pdp_numbers *numbers;
    assert_int_equal(pdp_numbers_parse(&numbers, "123", 2), PDP_OK);
    assert_numbers(numbers, (int64_t[]){12}, 1);
    pdp_numbers_free(numbers);
}

/* The list grows: 100,000 numbers come back as they went in. */
static void test_many(void **unused) {
    (void)unused;
    enum { COUNT = 100000 };
    char *text = malloc(COUNT * 22);
    int64_t *expected = malloc(COUNT * sizeof *expected);
    assert_non_null(text);
    assert_non_null(expected);
    uint64_t state = test_seed();
    char *end = text;
    for (size_t i = 0; i < COUNT; i++) {
        expected[i] = (int64_t)pdp_random_next(&state);
        end += sprintf(end, "%lld%c", (long long)expected[i], i % 7 == 0 ? ',' : '\n');
    }
    end[-1] = '\0';
    assert_parses(text, expected, COUNT);
    free(text);
    free(expected);
}

static char folder[] = "/tmp/pipedp-numbers-XXXXXX";
static char path[64];

static void write_file(const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The same from a file; a message names the file and the place in it. */
static void test_file(void **unused) {
    (void)unused;
    pdp_numbers *numbers;
    write_file("10 20\n30\n");
    assert_int_equal(pdp_numbers_read(&numbers, path), PDP_OK);
    assert_numbers(numbers, (int64_t[]){10, 20, 30}, 3);
    pdp_numbers_free(numbers);
    write_file("");
    assert_int_equal(pdp_numbers_read(&numbers, path), PDP_OK);
    assert_numbers(numbers, NULL, 0);
    pdp_numbers_free(numbers);
    write_file("10 20\n3O\n");
    assert_int_equal(pdp_numbers_read(&numbers, path), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), path);
    assert_in(pdp_numbers_error(numbers), "item 3 (line 2, column 1): '3O' is not a whole number");
    pdp_numbers_free(numbers);
}

/* A file that is missing, a folder, or cannot be read: refused by its name. */
static void test_no_file(void **unused) {
    (void)unused;
    pdp_numbers *numbers;
    assert_int_equal(pdp_numbers_read(&numbers, "/nowhere/at all"), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), "'/nowhere/at all' cannot be opened: No such file");
    pdp_numbers_free(numbers);
    assert_int_equal(pdp_numbers_read(&numbers, folder), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), folder);
    assert_in(pdp_numbers_error(numbers), "is a folder, not a file");
    pdp_numbers_free(numbers);
    assert_int_equal(pdp_numbers_read(&numbers, "/proc/self/mem"), PDP_BAD_INPUT); /* reading it is EIO */
    assert_in(pdp_numbers_error(numbers), "'/proc/self/mem': cannot be read");
    pdp_numbers_free(numbers);
    char name[1001]; /* a long name is cut, in a message that still ends */
    memset(name, 'n', sizeof name);
    name[1000] = '\0';
    assert_int_equal(pdp_numbers_read(&numbers, name), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), "cannot be opened: File name too long");
    pdp_numbers_free(numbers);
}

/* "-" is standard input, and stays open. */
static void test_stdin(void **unused) {
    (void)unused;
    write_file("4,5,6");
    int saved = dup(STDIN_FILENO);
    assert_non_null(freopen(path, "rb", stdin));
    pdp_numbers *numbers;
    assert_int_equal(pdp_numbers_read(&numbers, "-"), PDP_OK);
    assert_numbers(numbers, (int64_t[]){4, 5, 6}, 3);
    pdp_numbers_free(numbers);
    rewind(stdin);
    assert_int_equal(getc(stdin), '4');
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
}

static void assert_numbers_refused(pdp_status status, pdp_numbers *const *numbers, const char *message) {
    assert_int_equal(status, PDP_BAD_INPUT);
    assert_string_equal(pdp_numbers_error(*numbers), message);
    pdp_numbers_free(*numbers);
}

/* Forms that are none. */
static void test_forms(void **unused) {
    (void)unused;
    static const unsigned forms[] = {4, 99, UINT_MAX};
    for (size_t x = 0; x < sizeof forms / sizeof *forms; x++) {
        pdp_numbers *numbers;
        char message[80];
        snprintf(message, sizeof message, "form is %u, and must be 0, PDP_REALS, PDP_MATRIX or both", forms[x]);
        assert_numbers_refused(pdp_numbers_parse_as(&numbers, "1", 1, forms[x]), &numbers, message);
        assert_numbers_refused(pdp_numbers_read_as(&numbers, path, forms[x]), &numbers, message);
    }
}

/* The functions take NULL, as after a create that had no memory; and nothing to read is told as such. */
static void test_null(void **unused) {
    (void)unused;
    pdp_numbers *numbers;
    assert_numbers_refused(pdp_numbers_parse(&numbers, NULL, 1), &numbers, "text is NULL");
    assert_numbers_refused(pdp_numbers_read(&numbers, NULL), &numbers, "path is NULL");
    assert_int_equal(pdp_numbers_parse(&numbers, NULL, 0), PDP_OK);
    pdp_numbers_free(numbers);
    assert_string_equal(pdp_numbers_error(NULL), "out of memory");
    pdp_numbers_free(NULL);
}

static int set_up(void **unused) {
    (void)unused;
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/list", folder);
    return 0;
}

static int tear_down(void **unused) {
    (void)unused;
    unlink(path);
    return rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separators), cmocka_unit_test(test_signs_and_zeros),
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_empty_items),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_long_token),
        cmocka_unit_test(test_nul),        cmocka_unit_test(test_length),
        cmocka_unit_test(test_many),       cmocka_unit_test(test_file),
        cmocka_unit_test(test_no_file),    cmocka_unit_test(test_stdin),
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_null),
    };
    return cmocka_run_group_tests_name("numbers", tests, set_up, tear_down);
}
