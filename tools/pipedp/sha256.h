/* SHA-256 (FIPS 180-4), as sha256sum prints it. */
#ifndef PIPEDP_SHA256_H
#define PIPEDP_SHA256_H

#include <stddef.h>

enum { SHA256_TEXT = 65 };

/* Of `length` bytes, as 64 hexadecimal digits and a 0. */
void sha256(const void *bytes, size_t length, char text[SHA256_TEXT]);

#endif
