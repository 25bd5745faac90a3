/* The values of options: what is taken is what the text says. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option_value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int holds) {
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[401];
    size = size < sizeof text - 1 ? size : sizeof text - 1;
    memcpy(text, data, size);
    text[size] = '\0';

    char again[64];
    int64_t integer;
    int64_t integer_again;
    if (!option_parse_integer(text, &integer)) {
        snprintf(again, sizeof again, "%" PRId64, integer);
        require(!option_parse_integer(again, &integer_again) && integer == integer_again);
    }
    uint64_t number;
    uint64_t number_again;
    if (!option_parse_unsigned(text, &number)) {
        snprintf(again, sizeof again, "%" PRIu64, number);
        require(!option_parse_unsigned(again, &number_again) && number == number_again);
        require(!strchr(text, '-'));
    }
    if (!option_parse_bytes(text, &number)) {
        snprintf(again, sizeof again, "%" PRIu64, number);
        require(number > 0 && !option_parse_bytes(again, &number_again) && number == number_again);
    }
    uint64_t first;
    uint64_t last;
    if (!option_parse_range(text, &first, &last)) {
        require(first <= last && strstr(text, "..") != NULL);
    }
    double seconds;
    if (!option_parse_seconds(text, &seconds)) {
        require(isfinite(seconds) && seconds >= 0);
    }
    return 0;
}
