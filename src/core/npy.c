/* NumPy's .npy: the magic, a version, the length of a header, the header (a Python dict), the data.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/numbers.h"

static const char magic[6] = "\x93NUMPY";

/* Headers of a one-dimensional array of numbers take 118 bytes; larger ones are structured types. */
enum { MAX_HEADER = 4096 };

static pdp_status fail(pdp_numbers *numbers, const char *what) {
    return pdp_error_set(&numbers->error, PDP_BAD_INPUT, ".npy: %s", what);
}

/* Reads the header's text into `header`, with a NUL at its end. */
static pdp_status read_header(pdp_numbers *numbers, FILE *stream, char header[MAX_HEADER + 1]) {
    unsigned char start[8];
    if (fread(start, 1, sizeof start, stream) != sizeof start) {
        return fail(numbers, "truncated before the end of the magic");
    }
    if (memcmp(start, magic, sizeof magic) != 0) {
        return fail(numbers, "the magic is not \\x93NUMPY");
    }
    unsigned version = start[6];
    if (version < 1 || version > 3) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, ".npy: version %u.%u is not known", version, start[7]);
    }
    unsigned char field[4] = {0};
    size_t field_size = version == 1 ? 2 : 4;
    if (fread(field, 1, field_size, stream) != field_size) {
        return fail(numbers, "truncated in the header's length");
    }
    uint32_t length = field[0] | (uint32_t)field[1] << 8 | (uint32_t)field[2] << 16 | (uint32_t)field[3] << 24;
    if (length > MAX_HEADER) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, ".npy: a header of %" PRIu32 " bytes is too long", length);
    }
    if (fread(header, 1, length, stream) != length) {
        return fail(numbers, "truncated in the header");
    }
    header[length] = '\0';
    return PDP_OK;
}

/* The text after `'key':` and blanks, or NULL. */
static const char *find_value(const char *header, const char *key) {
    const char *at = strstr(header, key);
    if (!at) {
        return NULL;
    }
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':') {
        return NULL;
    }
    return at + strspn(at, " ");
}

/* The element count of a header we can take: '<i8', one dimension. (For one dimension C and Fortran
 * order are the same.) */
static pdp_status parse_header(pdp_numbers *numbers, const char *header, uint64_t *count) {
    const char *type = find_value(header, "'descr'");
    const char *shape = find_value(header, "'shape'");
    if (!type || !shape) {
        return fail(numbers, "the header has no 'descr' or no 'shape'");
    }
    if (strncmp(type, "'<i8'", 5) != 0) {
        int length = (int)strcspn(type, ",}");
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                             ".npy: the type is %.*s, and must be '<i8' (little-endian int64)",
                             length < 40 ? length : 40, type);
    }
    int length = (int)strcspn(shape, ")");
    int shown = length < 60 ? length : 60;
    char *end = NULL;
    bool is_tuple = *shape == '(' && strspn(shape + 1, "0123456789") > 0 && shape[length] == ')';
    *count = is_tuple ? strtoull(shape + 1, &end, 10) : 0; /* beyond uint64: ULLONG_MAX, truncated later */
    if (!is_tuple || (strncmp(end, ",)", 2) != 0)) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                             ".npy: the shape is %.*s), and must have one dimension, like (7,)", shown, shape);
    }
    return PDP_OK;
}

static int64_t little_endian(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int b = 7; b >= 0; b--) {
        value = value << 8 | bytes[b];
    }
    return (int64_t)value;
}

pdp_status pdp_npy_read(pdp_numbers *numbers, FILE *stream) {
    char header[MAX_HEADER + 1];
    uint64_t claimed = 0;
    if (read_header(numbers, stream, header) != PDP_OK || parse_header(numbers, header, &claimed) != PDP_OK) {
        return numbers->error.status;
    }
    /* Memory grows with the data that is really there, never with what the header claims. */
    unsigned char chunk[8192];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, stream)) > 0) {
        size_t whole = got / 8;
        if (whole > claimed - numbers->count || (got % 8 != 0 && numbers->count + whole == claimed)) {
            return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                                 ".npy: there are bytes beyond the %" PRIu64 " elements of the header", claimed);
        }
        size_t need = numbers->count + whole;
        if (need > numbers->capacity) {
            size_t capacity = 2 * numbers->capacity > need ? 2 * numbers->capacity : need;
            if (pdp_numbers_reserve(numbers, capacity) != PDP_OK) {
                return numbers->error.status;
            }
        }
        for (size_t item = 0; item < whole; item++) {
            numbers->data[numbers->count++] = little_endian(chunk + 8 * item);
        }
    }
    if (numbers->count != claimed) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                             ".npy: truncated: the header claims %" PRIu64 " elements, the file has %zu", claimed,
                             numbers->count);
    }
    return PDP_OK;
}

pdp_status pdp_npy_write(FILE *stream, const int64_t *data, size_t rows, size_t columns) {
    /* Magic, version, length and header together fill 128 bytes, the header blank-padded before its
     * newline, so that the data is aligned. */
    enum { PREFIX = 10, TOTAL = 128 };
    char shape[64];
    if (rows > 0) {
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    } else {
        snprintf(shape, sizeof shape, "(%zu,)", columns);
    }
    char header[TOTAL + 1];
    int used = snprintf(header, sizeof header, "{'descr': '<i8', 'fortran_order': False, 'shape': %s, }", shape);
    memset(header + used, ' ', TOTAL - (size_t)used);
    header[TOTAL - PREFIX - 1] = '\n';
    unsigned char start[PREFIX] = {0, 0, 0, 0, 0, 0, 1, 0, TOTAL - PREFIX, 0};
    memcpy(start, magic, sizeof magic);
    if (fwrite(start, 1, PREFIX, stream) != PREFIX ||
        fwrite(header, 1, TOTAL - PREFIX, stream) != (size_t)(TOTAL - PREFIX)) {
        return PDP_IO;
    }
    size_t total = (rows > 0 ? rows : 1) * columns;
    for (size_t begin = 0; begin < total;) {
        unsigned char chunk[8192];
        size_t items = total - begin < sizeof chunk / 8 ? total - begin : sizeof chunk / 8;
        for (size_t item = 0; item < items; item++) {
            uint64_t value = (uint64_t)data[begin + item];
            for (size_t b = 0; b < 8; b++) {
                chunk[8 * item + b] = (unsigned char)(value >> (8 * b));
            }
        }
        if (fwrite(chunk, 8, items, stream) != items) {
            return PDP_IO;
        }
        begin += items;
    }
    return PDP_OK;
}
