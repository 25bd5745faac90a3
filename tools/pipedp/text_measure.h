/* How much room numbers and texts take. */
#ifndef PIPEDP_TEXT_MEASURE_H
#define PIPEDP_TEXT_MEASURE_H

#include <stddef.h>
#include <stdint.h>

static inline int text_digits(uint64_t number) {
    int count = 1;
    for (; number >= 10; number /= 10) {
        count++;
    }
    return count;
}

/* Columns that a UTF-8 text takes. */
static inline size_t text_columns(const char *text) {
    size_t columns = 0;
    for (; *text != '\0'; text++) {
        columns += ((unsigned char)*text & 0xC0) != 0x80; /* not a continuation byte */
    }
    return columns;
}

#endif
