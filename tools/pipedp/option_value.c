#include "option_value.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char not_whole[] = "is not a whole number";

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Digits at `text`, to `end`. Signs are the caller's: strtoull would take "-1" for 2^64 - 1. */
static const char *parse_digits(const char *text, uint64_t *out, const char **end) {
    if (!isdigit((unsigned char)*text)) {
        return not_whole;
    }
    char *stop;
    errno = 0;
    *out = strtoull(text, &stop, 10);
    *end = stop;
    return errno == ERANGE ? "is too large" : NULL;
}

const char *option_parse_unsigned(const char *text, uint64_t *out) {
    const char *end = text;
    text = skip_blanks(text);
    if (*text == '-' && isdigit((unsigned char)text[1])) {
        return "is negative";
    }
    const char *wrong = parse_digits(text, out, &end);
    if (wrong) {
        return wrong;
    }
    return *skip_blanks(end) == '\0' ? NULL : not_whole;
}

const char *option_parse_integer(const char *text, int64_t *out) {
    text = skip_blanks(text);
    bool negative = *text == '-';
    uint64_t size;
    const char *wrong = option_parse_unsigned(text + negative, &size);
    if (wrong) {
        return wrong;
    }
    if (size > (uint64_t)INT64_MAX + negative) {
        return "is beyond int64";
    }
    *out = negative ? (int64_t)(0 - size) : (int64_t)size;
    return NULL;
}

const char *option_parse_bytes(const char *text, uint64_t *out) {
    const char *end = text;
    const char *wrong = parse_digits(skip_blanks(text), out, &end);
    if (wrong) {
        return wrong;
    }
    static const char units[] = "KMGT";
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end[unit ? 1 : 0] != '\0') {
        return "is not a number of bytes (like 4096, 512M or 4G)";
    }
    if (*out > UINT64_MAX >> shift) {
        return "is too large";
    }
    *out <<= shift;
    return *out == 0 ? "is 0, and must be at least 1 byte" : NULL;
}

const char *option_parse_range(const char *text, uint64_t *first, uint64_t *last) {
    const char *end = text;
    const char *wrong = parse_digits(text, first, &end);
    if (wrong || strncmp(end, "..", 2) != 0) {
        return "is not a range A..B";
    }
    wrong = parse_digits(end + 2, last, &end);
    if (wrong || *end != '\0') {
        return "is not a range A..B";
    }
    return *first > *last ? "is a range that ends before it begins" : NULL;
}

const char *option_parse_real(const char *text, double *out) {
    char *end;
    text = skip_blanks(text);
    *out = strtod(text, &end);
    if (end == text || *skip_blanks(end) != '\0' || strspn(text, "0123456789+-.eE \t") < strlen(text)) {
        return "is not a number";
    }
    return isfinite(*out) ? NULL : "is beyond float64";
}

const char *option_parse_seconds(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out) || *out < 0) {
        return "is not a number of seconds";
    }
    return NULL;
}
