#include "core/numbers.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"

/* A token longer than this is no number of ours: int64 takes 20 characters, leading zeros aside. */
enum { MAX_TOKEN = 64 };

pdp_status pdp_numbers_reserve(pdp_numbers *numbers, size_t capacity) {
    if (capacity <= numbers->capacity) {
        return PDP_OK;
    }
    uint64_t bytes = pdp_bytes_multiply(capacity, sizeof *numbers->data);
    /* Half of what is free: whoever reads a list also wants to do something with it. */
    int64_t *data = bytes > pdp_memory_available() / 2 ? NULL : realloc(numbers->data, bytes);
    if (!data) {
        return pdp_error_set_no_memory(&numbers->error, bytes);
    }
    numbers->data = data;
    numbers->capacity = capacity;
    return PDP_OK;
}

static pdp_status append(pdp_numbers *numbers, int64_t value) {
    if (numbers->count == numbers->capacity) {
        size_t capacity = numbers->capacity > 0 ? 2 * numbers->capacity : 64;
        if (pdp_numbers_reserve(numbers, capacity) != PDP_OK) {
            return numbers->error.status;
        }
    }
    numbers->data[numbers->count++] = value;
    return PDP_OK;
}

/* Where the reader of a text is. */
typedef struct text_place {
    size_t line;
    size_t column;
    bool expects_item; /* a comma went before, so an item must follow */
} text_place;

static pdp_status fail_at(pdp_numbers *numbers, const text_place *place, const char *token, const char *what) {
    return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "item %zu (line %zu, column %zu): %s%s%s%s",
                         numbers->count + 1, place->line, place->column, token ? "'" : "", token ? token : "",
                         token ? "' " : "", what);
}

static pdp_status append_token(pdp_numbers *numbers, const text_place *start, const char *token) {
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
    return append(numbers, value);
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

static pdp_status read_text(pdp_numbers *numbers, FILE *stream) {
    text_place place = {1, 1, false};
    text_place start = place;
    char token[MAX_TOKEN + 1] = "";
    size_t length = 0;
    for (;;) {
        int c = getc_unlocked(stream);
        bool ends = c == EOF || c == ',' || isspace(c);
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
        if (c == ',') {
            if (place.expects_item || numbers->count == 0) {
                return fail_at(numbers, &place, NULL, "empty: a comma with no number before it");
            }
            place.expects_item = true;
        }
        if (c == EOF) {
            break;
        }
        place.column = c == '\n' ? 1 : place.column + 1;
        place.line += c == '\n';
    }
    if (place.expects_item) {
        return fail_at(numbers, &place, NULL, "empty: a comma with no number after it");
    }
    return PDP_OK;
}

pdp_status pdp_numbers_read_stream(pdp_numbers *numbers, FILE *stream) {
    int first = getc(stream);
    if (first == 0xEF) { /* a byte order mark, as some editors put in front; anything else is no text of ours */
        int second = getc(stream);
        int third = getc(stream);
        if (second != 0xBB || third != 0xBF) {
            return fail_at(numbers, &(text_place){1, 1, false}, "?", "is not a whole number");
        }
    } else if (first != EOF) {
        ungetc(first, stream);
    }
    pdp_status status = first == PDP_NPY_FIRST_BYTE ? pdp_npy_read(numbers, stream) : read_text(numbers, stream);
    if (status == PDP_OK && ferror(stream)) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "cannot be read: %s", strerror(errno));
    }
    return status;
}

static pdp_numbers *create(pdp_numbers **out) {
    return *out = calloc(1, sizeof **out);
}

pdp_status pdp_numbers_parse(pdp_numbers **out, const char *text, size_t length) {
    pdp_numbers *numbers = create(out);
    if (!numbers) {
        return PDP_NO_MEMORY;
    }
    if (length == 0) { /* fmemopen refuses it, and it is an empty list */
        return PDP_OK;
    }
    FILE *stream = fmemopen((void *)text, length, "r");
    if (!stream) {
        return pdp_error_set_no_memory(&numbers->error, length);
    }
    pdp_status status = pdp_numbers_read_stream(numbers, stream);
    fclose(stream);
    return status;
}

pdp_status pdp_numbers_read(pdp_numbers **out, const char *path) {
    pdp_numbers *numbers = create(out);
    if (!numbers) {
        return PDP_NO_MEMORY;
    }
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rbe");
    if (!stream) {
        return pdp_error_set(&numbers->error, PDP_BAD_INPUT, "'%.200s' cannot be opened: %s", path, strerror(errno));
    }
    struct stat about;
    pdp_status status;
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
    return numbers ? numbers->data : NULL;
}

size_t pdp_numbers_count(const pdp_numbers *numbers) {
    return numbers ? numbers->count : 0;
}

const char *pdp_numbers_error(const pdp_numbers *numbers) {
    return numbers ? numbers->error.text : "out of memory";
}

void pdp_numbers_free(pdp_numbers *numbers) {
    if (numbers) {
        free(numbers->data);
        free(numbers);
    }
}
