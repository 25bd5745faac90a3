/* Values as texts. */
#ifndef PIPEDP_VALUE_TEXT_H
#define PIPEDP_VALUE_TEXT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The shortest text that is read as the same number. */
static inline void value_print_real(FILE *out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        const double read = strtod(text, NULL);
        if (!(read < value || read > value)) {
            break;
        }
    }
    fputs(text, out);
}

/* Bits as the numbers of a set: "{0, 63}". */
static inline void value_print_set(FILE *out, uint64_t set) {
    const char *between = "{";
    for (unsigned x = 0; x < 64; x++) {
        if ((set >> x & 1) != 0) {
            fprintf(out, "%s%u", between, x);
            between = ", ";
        }
    }
    fputs("}", out);
}

#endif
