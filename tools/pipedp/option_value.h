/* The values of options, from text. Each function returns NULL when the text was good, and otherwise
 * what is wrong with it, to be put behind the text: "is not a whole number". */
#ifndef PIPEDP_OPTION_VALUE_H
#define PIPEDP_OPTION_VALUE_H

#include <stdint.h>

const char *option_parse_integer(const char *text, int64_t *out);
const char *option_parse_unsigned(const char *text, uint64_t *out);

/* "-1.5e3": decimal and finite. */
const char *option_parse_real(const char *text, double *out);

/* "4096", "64K", "512M", "4G", "1T": powers of 1024. Not 0. */
const char *option_parse_bytes(const char *text, uint64_t *out);

/* "3..7", both included, 0 <= first <= last. */
const char *option_parse_range(const char *text, uint64_t *first, uint64_t *last);

/* "2.5": at least 0. */
const char *option_parse_seconds(const char *text, double *out);

#endif
