#include "core/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"

/* A token longer than this is no number of ours: int64 takes 20 characters and a float 24, leading zeros aside. */
enum { MAX_TOKEN = 64 };

static bool is_real(const pdp_numbers *numbers) {
    return (numbers->form & PDP_REALS) != 0;
}

static bool is_matrix(const pdp_numbers *numbers) {
    return (numbers->form & PDP_MATRIX) != 0;
}

pdp_status pdp_numbers_reserve(pdp_numbers *numbers, size_t capacity) {
    if (capacity <= numbers->capacity) {
        return PDP_OK;
    }
    uint64_t bytes = pdp_bytes_multiply(capacity, sizeof(pdp_number));
    /* Half of what is free: whoever reads a list also wants to do something with it. */
    pdp_number *items = bytes > pdp_memory_available() / 2 ? NULL : realloc(numbers->items, bytes);
    if (!items) {
        return pdp_error_set_no_memory(&numbers->error, bytes);
    }
    numbers->items = items;
    numbers->capacity = capacity;
    return PDP_OK;
}

static pdp_status append(pdp_numbers *numbers, pdp_number value) {
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity > 0 ? 2 * numbers->capacity : 64;
        if (pdp_numbers_reserve(numbers, capacity) != PDP_OK) {
            return numbers->error.status;
        }
    }
    numbers->items[numbers->count++] = value;
    return PDP_OK;
}

/* Where the reader of a text is. */
typedef struct text_place {
    size_t line;
    size_t column;
    bool expects_item; /* a comma went before, so an item must follow */
    size_t row;        /* of a matrix, from 1 */
    size_t row_start;  /* items before this row */
} text_place;

static pdp_status fail_at(pdp_numbers *numbers, const text_place *place, const char *token, const char *what) {
    return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "item %zu (line %zu, column %zu): %s%s%s%s",
                         numbers->count + 1, place->line, place->column, token ? "'" : "", token ? token : "",
                         token ? "' " : "", what);
}

/* An optional sign, digits with at most one point among them, an optional exponent: no hexadecimals, no "inf". */
static bool is_decimal(const char *text) {
    text += *text == '-' || *text == '+';
    size_t before = strspn(text, "0123456789");
    text += before;
    size_t after = *text == '.' ? strspn(text + 1, "0123456789") : 0;
    text += *text == '.' ? after + 1 : 0;
    if (before + after > 0 && (*text == 'e' || *text == 'E')) {
        text += 1 + (text[1] == '-' || text[1] == '+');
        size_t exponent = strspn(text, "0123456789");
        return exponent > 0 && text[exponent] == '\0';
    }
    return before + after > 0 && *text == '\0';
}

static pdp_status append_real(pdp_numbers *numbers, const text_place *start, const char *token) {
    if (!is_decimal(token)) {
        return fail_at(numbers, start, token, "is not a number");
    }
    double value = strtod(token, NULL);
    if (isinf(value)) {
        return fail_at(numbers, start, token, "is beyond float64");
    }
    return append(numbers, (pdp_number){.real = value});
}

static pdp_status append_token(pdp_numbers *numbers, const text_place *start, const char *token) {
    if (is_real(numbers)) {
        return append_real(numbers, start, token);
    }
    const char *digits = token + (*token == '-' || *token == '+');
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || digits[length] != '\0') {
        return fail_at(numbers, start, token, "is not a whole number");
    }
    errno = 0;
    long long value = strtoll(token, NULL, 10);
    if (errno == ERANGE) {
        return fail_at(numbers, start, token, "is beyond int64");
    }
    return append(numbers, (pdp_number){.whole = value});
}

/* Puts c at the end of the token. Bytes that do not print are shown as '?', since the token may end
 * up in an error text. */
static bool token_add(char *token, size_t *length, int c) {
    if (*length == MAX_TOKEN) {
        return false;
    }
    token[(*length)++] = (char)(isprint(c) ? c : '?');
    token[*length] = '\0';
    return true;
}

/* All rows of a matrix are as long as the first; empty lines are none. */
static pdp_status end_row(pdp_numbers *numbers, text_place *place) {
    const size_t length = numbers->count - place->row_start;
    if (length == 0) {
        return PDP_OK;
    }
    if (place->row > 1 && length != numbers->columns) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT,
                             "row %zu (line %zu) has %zu number%s, and must have %zu, as many as row 1", place->row,
                             place->line, length, length == 1 ? "" : "s", numbers->columns);
    }
    numbers->columns = length;
    place->row++;
    place->row_start = numbers->count;
    return PDP_OK;
}

/* A comma, or the end of a row or of the text, was met. */
static pdp_status separate(pdp_numbers *numbers, text_place *place, int c) {
    const bool ends_row = is_matrix(numbers) && (c == '\n' || c == ';' || c == EOF);
    if (c == ',') {
        if (place->expects_item || numbers->count == place->row_start) {
            return fail_at(numbers, place, NULL, "empty: a comma with no number before it");
        }
        place->expects_item = true;
    } else if (place->expects_item && (c == EOF || ends_row)) {
        return fail_at(numbers, place, NULL, "empty: a comma with no number after it");
    }
    return ends_row ? end_row(numbers, place) : PDP_OK;
}

static pdp_status read_text(pdp_numbers *numbers, FILE *stream) {
    text_place place = {1, 1, false, 1, 0};
    text_place start = place;
    char token[MAX_TOKEN + 1] = "";
    size_t length = 0;
    for (int c = 0; c != EOF;) {
        c = getc_unlocked(stream);
        bool ends = c == EOF || c == ',' || isspace(c) || (c == ';' && is_matrix(numbers));
        if (!ends) {
            if (length == 0) {
                start = place;
            }
            if (!token_add(token, &length, c)) {
                return fail_at(numbers, &start, token, "... is too long for a number");
            }
        } else if (length > 0) {
            if (append_token(numbers, &start, token) != PDP_OK) {
                return numbers->error.status;
            }
            length = 0;
            place.expects_item = false;
        }
        if (ends && separate(numbers, &place, c) != PDP_OK) {
            return numbers->error.status;
        }
        place.column = c == '\n' ? 1 : place.column + 1;
        place.line += c == '\n';
    }
    return PDP_OK;
}

static pdp_status read_localised(pdp_numbers *numbers, FILE *stream) {
    locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* a point is a point everywhere */
    locale_t before = uselocale(locale);
    pdp_status status = read_text(numbers, stream);
    uselocale(before);
    if (locale != (locale_t)0) {
        freelocale(locale);
    }
    return status;
}

/* Rows of no length would be no matrix at all. */
static pdp_status check_matrix(pdp_numbers *numbers) {
    return is_matrix(numbers) && numbers->count == 0
               ? pdp_error_set(&numbers->error, PDP_BAD_INPUT, "there is no number, and a matrix has at least one")
               : PDP_OK;
}

pdp_status pdp_numbers_read_stream(pdp_numbers *numbers, FILE *stream) {
    int first = getc(stream);
    if (first == 0xEF) { /* a byte order mark, as some editors put in front; anything else is no text of ours */
        int second = getc(stream);
        int third = getc(stream);
        if (second != 0xBB || third != 0xBF) {
            return fail_at(numbers, &(text_place){1, 1, false, 1, 0}, "?",
                           is_real(numbers) ? "is not a number" : "is not a whole number");
        }
    } else if (first != EOF) {
        ungetc(first, stream);
    }
    pdp_status status = first == PDP_NPY_FIRST_BYTE ? pdp_npy_read(numbers, stream) : read_localised(numbers, stream);
    if (status == PDP_OK && ferror(stream)) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "cannot be read: %s", strerror(errno));
    }
    return status == PDP_OK ? check_matrix(numbers) : status;
}

/* `source` is what they are to come from. */
static pdp_status create(pdp_numbers **out, unsigned form, const char *what, const char *source) {
    static const unsigned known = PDP_REALS | PDP_MATRIX;
    pdp_numbers *numbers = *out = calloc(1, sizeof *numbers);
    if (!numbers) {
        return PDP_NO_MEMORY;
    }
    numbers->form = form;
    if ((form & ~known) != 0) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "form is %u, and must be 0, PDP_REALS, PDP_MATRIX or both",
                             form);
    }
    return source ? PDP_OK : pdp_error_set(&numbers->error, PDP_BAD_INPUT, "%s is NULL", what);
}

pdp_status pdp_numbers_parse_as(pdp_numbers **out, const char *text, size_t length, unsigned form) {
    pdp_status status = create(out, form, "text", length > 0 ? text : "");
    pdp_numbers *numbers = *out;
    if (status != PDP_OK) {
        return status;
    }
    if (length == 0) { /* fmemopen refuses it, and it is an empty list */
        return check_matrix(numbers);
    }
    FILE *stream = fmemopen((void *)text, length, "r");
    if (!stream) {
        return pdp_error_set_no_memory(&numbers->error, length);
    }
    status = pdp_numbers_read_stream(numbers, stream);
    fclose(stream);
    return status;
}

pdp_status pdp_numbers_parse(pdp_numbers **out, const char *text, size_t length) {
    return pdp_numbers_parse_as(out, text, length, 0);
}

pdp_status pdp_numbers_read(pdp_numbers **out, const char *path) {
    return pdp_numbers_read_as(out, path, 0);
}

pdp_status pdp_numbers_read_as(pdp_numbers **out, const char *path, unsigned form) {
    pdp_status status = create(out, form, "path", path);
    pdp_numbers *numbers = *out;
    if (status != PDP_OK) {
        return status;
    }
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rbe");
    if (!stream) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "'%.200s' cannot be opened: %s", path, strerror(errno));
    }
    struct stat about;
    if (fstat(fileno(stream), &about) == 0 && S_ISDIR(about.st_mode)) {
        status = pdp_error_set(&numbers->error, PDP_BAD_INPUT, "'%.200s' is a folder, not a file", path);
    } else {
        status = pdp_numbers_read_stream(numbers, stream);
        if (status != PDP_OK) { /* say which file; the reader knew only the place in it */
            char text[sizeof numbers->error.text];
            memcpy(text, numbers->error.text, sizeof text);
            pdp_error_set(&numbers->error, status, "'%.100s': %.200s", path, text);
        }
    }
    if (!is_stdin) {
        fclose(stream);
    }
    return status;
}

const int64_t *pdp_numbers_data(const pdp_numbers *numbers) {
    return numbers && numbers->items && !is_real(numbers) ? &numbers->items->whole : NULL;
}

const double *pdp_numbers_reals(const pdp_numbers *numbers) {
    return numbers && numbers->items && is_real(numbers) ? &numbers->items->real : NULL;
}

size_t pdp_numbers_count(const pdp_numbers *numbers) {
    return numbers ? numbers->count : 0;
}

size_t pdp_numbers_columns(const pdp_numbers *numbers) {
    return numbers ? numbers->columns : 0;
}

const char *pdp_numbers_error(const pdp_numbers *numbers) {
    return numbers ? numbers->error.text : "out of memory";
}

void pdp_numbers_free(pdp_numbers *numbers) {
    if (numbers) {
        free(numbers->items);
        free(numbers);
    }
}
