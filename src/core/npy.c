/* NumPy's .npy: the magic, a version, the length of a header, the header (a Python dict), the data.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/numbers.h"

static const char magic[6] = "\x93NUMPY";

/* Headers of an array of numbers take 118 bytes; larger ones are structured types. */
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

/* What a header says of the data. */
typedef struct npy_header {
    size_t item_bytes;
    bool is_float;
    uint64_t rows; /* of a matrix; 1 of a list */
    uint64_t columns;
} npy_header;

static pdp_status parse_type(pdp_numbers *numbers, const char *text, npy_header *header) {
    const bool reals = (numbers->form & PDP_REALS) != 0;
    const bool is_double = strncmp(text, "'<f8'", 5) == 0;
    const bool is_single = strncmp(text, "'<f4'", 5) == 0;
    header->is_float = is_double || is_single;
    header->item_bytes = is_single ? 4 : 8;
    if (strncmp(text, "'<i8'", 5) == 0 || (reals && header->is_float)) {
        return PDP_OK;
    }
    int length = (int)strcspn(text, ",}");
    return pdp_error_set(&numbers->error, PDP_BAD_INPUT, ".npy: the type is %.*s, and must be %s",
                         length < 40 ? length : 40, text,
                         reals ? "'<f8' (little-endian float64), '<f4' or '<i8'" : "'<i8' (little-endian int64)");
}

/* One number of a shape, at `*at`, and what goes after it. Beyond uint64 it is ULLONG_MAX: truncated later. */
static bool take_extent(const char **at, uint64_t *extent, const char *after) {
    if (strspn(*at, "0123456789") == 0) {
        return false;
    }
    char *end;
    *extent = strtoull(*at, &end, 10);
    *at = end + strlen(after);
    return strncmp(end, after, strlen(after)) == 0;
}

/* "(7,)", or "(2, 3)" for a matrix. */
static pdp_status parse_shape(pdp_numbers *numbers, const char *text, npy_header *header) {
    const bool matrix = (numbers->form & PDP_MATRIX) != 0;
    const char *at = text + 1;
    bool is_good = *text == '(';
    if (matrix) {
        is_good = is_good && take_extent(&at, &header->rows, ",");
        at += is_good ? strspn(at, " ") : 0;
        is_good = is_good && take_extent(&at, &header->columns, ")");
    } else {
        header->rows = 1;
        is_good = is_good && take_extent(&at, &header->columns, ",)");
    }
    if (is_good) {
        return PDP_OK;
    }
    int length = (int)strcspn(text, ")");
    return pdp_error_set(&numbers->error, PDP_BAD_INPUT, ".npy: the shape is %.*s), and must have %s",
                         length < 60 ? length : 60, text,
                         matrix ? "two dimensions, like (2, 3)" : "one dimension, like (7,)");
}

static pdp_status parse_header(pdp_numbers *numbers, const char *text, npy_header *header) {
    const char *type = find_value(text, "'descr'");
    const char *shape = find_value(text, "'shape'");
    const char *order = find_value(text, "'fortran_order'");
    if (!type || !shape) {
        return fail(numbers, "the header has no 'descr' or no 'shape'");
    }
    if (parse_type(numbers, type, header) != PDP_OK || parse_shape(numbers, shape, header) != PDP_OK) {
        return numbers->error.status;
    }
    if ((numbers->form & PDP_MATRIX) != 0 && order && strncmp(order, "True", 4) == 0) { /* lists are the same in both */
        return fail(numbers, "the matrix is in Fortran order, and must be in C order, row by row");
    }
    return PDP_OK;
}

static pdp_number read_item(const pdp_numbers *numbers, const npy_header *header, const unsigned char *bytes) {
    uint64_t bits = 0;
    for (size_t b = header->item_bytes; b-- > 0;) {
        bits = bits << 8 | bytes[b];
    }
    pdp_number item = {.whole = (int64_t)bits};
    if (header->is_float && header->item_bytes == 4) {
        const uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        item.real = (double)single;
    } else if (header->is_float) {
        memcpy(&item.real, &bits, sizeof item.real);
    } else if ((numbers->form & PDP_REALS) != 0) {
        item.real = (double)(int64_t)bits;
    }
    return item;
}

pdp_status pdp_npy_read(pdp_numbers *numbers, FILE *stream) {
    char text[MAX_HEADER + 1];
    npy_header header = {.item_bytes = 8};
    if (read_header(numbers, stream, text) != PDP_OK || parse_header(numbers, text, &header) != PDP_OK) {
        return numbers->error.status;
    }
    const uint64_t claimed = pdp_bytes_multiply(header.rows, header.columns);
    const size_t bytes = header.item_bytes;
    /* Memory grows with the data that is really there, never with what the header claims. */
    unsigned char chunk[8192];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, stream)) > 0) {
        size_t whole = got / bytes;
        if (whole > claimed - numbers->count || (got % bytes != 0 && numbers->count + whole == claimed)) {
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
            numbers->items[numbers->count++] = read_item(numbers, &header, chunk + bytes * item);
        }
    }
    if (numbers->count != claimed) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                             ".npy: truncated: the header claims %" PRIu64 " elements, the file has %zu", claimed,
                             numbers->count);
    }
    numbers->columns = (numbers->form & PDP_MATRIX) != 0 ? (size_t)header.columns : 0;
    return PDP_OK;
}

/* Whatever number the caller has made one of. */
static bool is_type(pdp_npy_type type) {
    return type == PDP_NPY_I8 || type == PDP_NPY_F8 || type == PDP_NPY_F4;
}

pdp_status pdp_npy_begin(FILE *stream, pdp_npy_type type, size_t rows, size_t columns) {
    /* Magic, version, length and header together fill 128 bytes, the header blank-padded before its
     * newline, so that the data is aligned. */
    enum { PREFIX = 10, TOTAL = 128 };
    static const char *const names[] = {[PDP_NPY_I8] = "<i8", [PDP_NPY_F8] = "<f8", [PDP_NPY_F4] = "<f4"};
    if (!is_type(type)) {
        return PDP_BAD_INPUT;
    }
    char shape[64];
    if (rows > 0) {
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    } else {
        snprintf(shape, sizeof shape, "(%zu,)", columns);
    }
    char header[TOTAL + 1];
    int used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", names[type], shape);
    memset(header + used, ' ', TOTAL - (size_t)used);
    header[TOTAL - PREFIX - 1] = '\n';
    unsigned char start[PREFIX] = {0, 0, 0, 0, 0, 0, 1, 0, TOTAL - PREFIX, 0};
    memcpy(start, magic, sizeof magic);
    return fwrite(start, 1, PREFIX, stream) == PREFIX &&
                   fwrite(header, 1, TOTAL - PREFIX, stream) == (size_t)(TOTAL - PREFIX)
               ? PDP_OK
               : PDP_IO;
}

pdp_status pdp_npy_append(FILE *stream, pdp_npy_type type, const void *items, size_t count) {
    const size_t bytes = type == PDP_NPY_F4 ? 4 : 8;
    if (!is_type(type)) {
        return PDP_BAD_INPUT;
    }
    for (size_t begin = 0; begin < count;) {
        unsigned char chunk[8192];
        size_t part = count - begin < sizeof chunk / bytes ? count - begin : sizeof chunk / bytes;
        for (size_t item = 0; item < part; item++) {
            uint64_t bits = 0;
            if (type == PDP_NPY_F4) {
                float single = (float)((const double *)items)[begin + item];
                uint32_t half;
                memcpy(&half, &single, sizeof single);
                bits = half;
            } else {
                memcpy(&bits, (const unsigned char *)items + 8 * (begin + item), 8);
            }
            for (size_t b = 0; b < bytes; b++) {
                chunk[bytes * item + b] = (unsigned char)(bits >> (8 * b));
            }
        }
        if (fwrite(chunk, bytes, part, stream) != part) {
            return PDP_IO;
        }
        begin += part;
    }
    return PDP_OK;
}

pdp_status pdp_npy_write(FILE *stream, const int64_t *data, size_t rows, size_t columns) {
    pdp_status status = pdp_npy_begin(stream, PDP_NPY_I8, rows, columns);
    return status == PDP_OK ? pdp_npy_append(stream, PDP_NPY_I8, data, (rows > 0 ? rows : 1) * columns) : status;
}
