/* .npy files: what is written byte by byte, and what is refused when read. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"

/* A .npy in memory, as tight as it is long, so that ASan sees a byte too far. */
typedef struct bytes {
    unsigned char *data;
    size_t length;
} bytes;

static bytes make_npy(unsigned version, const char *header, size_t header_length, const int64_t *data, size_t count) {
    size_t field = version == 1 ? 2 : 4;
    bytes b = {malloc(8 + field + header_length + 8 * count), 8 + field + header_length + 8 * count};
    assert_non_null(b.data);
    memcpy(b.data, "\x93NUMPY", 6);
    b.data[6] = (unsigned char)version;
    b.data[7] = 0;
    for (size_t i = 0; i < field; i++) {
        b.data[8 + i] = (unsigned char)(header_length >> (8 * i));
    }
    memcpy(b.data + 8 + field, header, header_length);
    for (size_t i = 0; i < 8 * count; i++) {
        b.data[8 + field + header_length + i] = (unsigned char)((uint64_t)data[i / 8] >> (i % 8 * 8));
    }
    return b;
}

static const int64_t three[] = {1, INT64_MIN, INT64_MAX};
#define GOOD_HEADER "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n"

static bytes make_with_header(const char *header) {
    return make_npy(1, header, strlen(header), three, 3);
}

static pdp_status parse(bytes b, size_t length, pdp_numbers **numbers) {
    return pdp_numbers_parse(numbers, (const char *)b.data, length);
}

static void assert_refused(bytes b, const char *message) {
    pdp_numbers *numbers;
    assert_int_equal(parse(b, b.length, &numbers), PDP_BAD_INPUT);
    assert_in(pdp_numbers_error(numbers), message);
    pdp_numbers_free(numbers);
    free(b.data);
}

static void assert_three(bytes b) {
    pdp_numbers *numbers;
    pdp_status status = parse(b, b.length, &numbers);
    if (status != PDP_OK) {
        fail_msg("%s", pdp_numbers_error(numbers));
    }
    assert_int_equal(pdp_numbers_count(numbers), 3);
    assert_memory_equal(pdp_numbers_data(numbers), three, sizeof three);
    pdp_numbers_free(numbers);
    free(b.data);
}

/* Versions 1 to 3, either order of the keys, either memory order: for one dimension all the same. */
static void test_good(void **unused) {
    (void)unused;
    for (unsigned version = 1; version <= 3; version++) {
        assert_three(make_npy(version, GOOD_HEADER, strlen(GOOD_HEADER), three, 3));
    }
    assert_three(make_with_header("{'shape': (3,), 'fortran_order': True, 'descr': '<i8'}"));
    assert_three(make_with_header("{'descr':'<i8','fortran_order':False,'shape':(3,)}"));
}

/* Another type or byte order is refused, and named. */
static void test_type(void **unused) {
    (void)unused;
    static const char *const types[] = {"'<f8'", "'<i4'", "'>i8'", "'|b1'", "'<u8'", "'<i80'", "[('a'"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': (3,), }\n", types[t]);
        char message[64];
        snprintf(message, sizeof message, "the type is %s, and must be", types[t]); /* and nothing behind it */
        assert_refused(make_with_header(header), message);
    }
}

/* Another shape than one dimension is refused, and named. */
static void test_shape(void **unused) {
    (void)unused;
    static const char *const shapes[] = {"()",  "(3, 1)", "(1, 3)", "(3)", "(-3,)", "3",      "(3,",
                                         "[3]", "(,)",    "(3,1,)", "",    "(x,)",  "(3.0,)", "(3 ,)"};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '<i8', 'fortran_order': False, 'shape': %s", shapes[s]);
        assert_refused(make_with_header(header), "and must have one dimension");
    }
    assert_refused(make_with_header("{'descr': '<i8', 'shape': (2, 3), }"), "the shape is (2, 3), and must");
}

/* Versions and headers that are none. */
static void test_start(void **unused) {
    (void)unused;
    assert_refused(make_npy(0, GOOD_HEADER, strlen(GOOD_HEADER), three, 3), "version 0.0 is not known");
    assert_refused(make_npy(4, GOOD_HEADER, strlen(GOOD_HEADER), three, 3), "version 4.0 is not known");
    bytes b = make_with_header(GOOD_HEADER);
    b.data[3] = 'x';
    assert_refused(b, "the magic is not");
    assert_refused(make_with_header("{'fortran_order': False, 'shape': (3,), }"), "no 'descr' or no 'shape'");
    assert_refused(make_with_header("{'descr': '<i8', 'fortran_order': False}"), "no 'descr' or no 'shape'");
    assert_refused(make_with_header("{'descr' '<i8', 'shape': (3,)}"), "no 'descr' or no 'shape'");
    assert_refused(make_with_header(""), "no 'descr' or no 'shape'");
}

/* Headers up to 4096 bytes are read; longer ones, up to a claim of 4 GB, are refused unread. */
static void test_long_header(void **unused) {
    (void)unused;
    char header[4098];
    memset(header, ' ', sizeof header);
    memcpy(header, GOOD_HEADER, strlen(GOOD_HEADER) - 1);
    assert_three(make_npy(1, header, 4096, three, 3));
    assert_three(make_npy(2, header, 4096, three, 3));
    assert_refused(make_npy(1, header, 4097, three, 3), "a header of 4097 bytes is too long");
    bytes b = make_npy(2, header, 100, three, 3);
    memset(b.data + 8, 0xff, 4);
    assert_refused(b, "a header of 4294967295 bytes is too long");
}

/* Every prefix of a valid file fails (the empty one aside, which is an empty list of text). */
static void test_truncated(void **unused) {
    (void)unused;
    bytes whole = make_with_header(GOOD_HEADER);
    for (size_t length = 1; length < whole.length; length++) {
        bytes part = {malloc(length), length};
        assert_non_null(part.data);
        memcpy(part.data, whole.data, length);
        assert_refused(part, ".npy: ");
    }
    free(whole.data);
}

/* Extra bytes fail: one, seven, a whole element, and past the reader's chunk of 8192 bytes. */
static void test_extra(void **unused) {
    (void)unused;
    const int64_t many[2000] = {0};
    for (size_t extra = 1; extra <= 17; extra++) {
        bytes b = make_npy(1, GOOD_HEADER, strlen(GOOD_HEADER), many, 6);
        b.length -= 24 - extra;
        assert_refused(b, "there are bytes beyond the 3 elements");
    }
    const char *header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1024,), }\n";
    bytes b = make_npy(1, header, strlen(header), many, 1025);
    b.length -= 7;
    assert_refused(b, "there are bytes beyond the 1024 elements");
    assert_refused(make_npy(1, header, strlen(header), many, 1999), "there are bytes beyond the 1024 elements");
    assert_refused(make_npy(1, header, strlen(header), many, 1023), "claims 1024 elements, the file has 1023");
    const char *none = "{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }\n";
    b = make_npy(1, none, strlen(none), many, 1);
    b.length -= 7;
    assert_refused(b, "there are bytes beyond the 0 elements");
}

/* A header that claims 10^12 elements, or more than 64 bits count, reserves nothing for them. */
static void test_claim(void **unused) {
    (void)unused;
    static const char *const claims[] = {"1000000000000", "18446744073709551615", "99999999999999999999999"};
    for (size_t c = 0; c < 3; c++) {
        char header[128];
        snprintf(header, sizeof header, "{'descr': '<i8', 'fortran_order': False, 'shape': (%s,), }\n", claims[c]);
        bytes b = make_with_header(header);
        pdp_numbers *numbers;
        assert_int_equal(parse(b, b.length, &numbers), PDP_BAD_INPUT);
        assert_in(pdp_numbers_error(numbers), "truncated: the header claims 1");
        assert_true(numbers->capacity <= 1024);
        pdp_numbers_free(numbers);
        free(b.data);
    }
}

/* Any byte of a valid file changed in any way: taken or refused, but never a crash, and when taken
 * there are three elements. */
static void test_damage(void **unused) {
    (void)unused;
    bytes whole = make_with_header(GOOD_HEADER);
    for (size_t at = 1; at < whole.length; at++) { /* with another first byte it would be text */
        unsigned char before = whole.data[at];
        for (unsigned value = 0; value < 256; value++) {
            whole.data[at] = (unsigned char)value;
            pdp_numbers *numbers;
            pdp_status status = parse(whole, whole.length, &numbers);
            assert_true(status == PDP_OK || status == PDP_BAD_INPUT);
            assert_true(status == PDP_OK ? pdp_numbers_count(numbers) == 3 : *pdp_numbers_error(numbers) != '\0');
            pdp_numbers_free(numbers);
        }
        whole.data[at] = before;
    }
    free(whole.data);
}

/* What is written is read back, for sizes around the chunk of 1024 elements. */
static void test_round_trip(void **unused) {
    (void)unused;
    static const size_t counts[] = {0, 1, 2, 1023, 1024, 1025, 5000};
    uint64_t state = test_seed();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        int64_t *data = malloc((counts[c] + 1) * sizeof *data);
        assert_non_null(data);
        for (size_t i = 0; i < counts[c]; i++) {
            data[i] = (int64_t)pdp_random_next(&state);
        }
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        assert_non_null(stream);
        assert_int_equal(pdp_npy_write(stream, data, 0, counts[c]), PDP_OK);
        assert_int_equal(fclose(stream), 0);
        pdp_numbers *numbers;
        assert_int_equal(pdp_numbers_parse(&numbers, text, length), PDP_OK);
        assert_int_equal(pdp_numbers_count(numbers), counts[c]);
        assert_true(counts[c] == 0 || memcmp(pdp_numbers_data(numbers), data, 8 * counts[c]) == 0);
        pdp_numbers_free(numbers);
        free(text);
        free(data);
    }
}

/* A 2-by-3 table is written byte for byte as NumPy writes it: 128 bytes, then the rows. */
static void test_two_dimensions(void **unused) {
    (void)unused;
    const int64_t data[6] = {1, 2, 3, -1, INT64_MIN, 0x0102030405060708};
    unsigned char expected[128 + 48];
    memset(expected, ' ', 128);
    memcpy(expected, "\x93NUMPY\x01\x00\x76\x00", 10);
    const char *header = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }";
    memcpy(expected + 10, header, strlen(header));
    expected[127] = '\n';
    memcpy(expected + 128, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 24);
    memcpy(expected + 152, "\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\x80\x08\x07\x06\x05\x04\x03\x02\x01", 24);
    unsigned char written[sizeof expected + 2]; /* fmemopen adds a NUL */
    FILE *stream = fmemopen(written, sizeof written, "wb");
    assert_non_null(stream);
    assert_int_equal(pdp_npy_write(stream, data, 2, 3), PDP_OK);
    assert_int_equal(ftell(stream), sizeof expected);
    fclose(stream);
    assert_memory_equal(written, expected, sizeof expected);
    assert_in((const char *)expected + 10, "(2, 3)");
}

/* A stream that takes nothing: PDP_IO, in the header or in the data. */
static void test_write_error(void **unused) {
    (void)unused;
    const int64_t data[2000] = {0};
    for (int unbuffered = 0; unbuffered < 2; unbuffered++) {
        FILE *full = fopen("/dev/full", "wb");
        assert_non_null(full);
        if (unbuffered) {
            setvbuf(full, NULL, _IONBF, 0);
        }
        assert_int_equal(pdp_npy_write(full, data, 0, 2000), PDP_IO);
        fclose(full);
    }
}

/* A type that is none is refused before a byte is written. */
static void test_write_type(void **unused) {
    (void)unused;
    static const int types[] = {3, 9, -1};
    const int64_t data[1] = {0};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char *text;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        assert_non_null(stream);
        assert_int_equal(pdp_npy_begin(stream, (pdp_npy_type)types[t], 0, 1), PDP_BAD_INPUT);
        assert_int_equal(pdp_npy_append(stream, (pdp_npy_type)types[t], data, 1), PDP_BAD_INPUT);
        assert_int_equal(fclose(stream), 0);
        assert_int_equal(length, 0);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),       cmocka_unit_test(test_type),           cmocka_unit_test(test_shape),
        cmocka_unit_test(test_start),      cmocka_unit_test(test_long_header),    cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_extra),      cmocka_unit_test(test_claim),          cmocka_unit_test(test_damage),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_two_dimensions), cmocka_unit_test(test_write_error),
        cmocka_unit_test(test_write_type),
    };
    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
