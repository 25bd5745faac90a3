/* A small JSON writer. Every function takes the key of the member it writes, NULL inside an array (and
 * for the outermost value). */
#ifndef PIPEDP_JSON_H
#define PIPEDP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *stream;
    unsigned depth;
    bool has_members; /* the innermost container has one already */
    bool has_lines;   /* the array of the root that is open has its items on lines of their own */
} json;

void json_begin(json *writer, FILE *stream);
void json_end(json *writer); /* the newline after the outermost value */

void json_open_object(json *writer, const char *key);
void json_close_object(json *writer);
void json_open_array(json *writer, const char *key);
void json_close_array(json *writer);

void json_put_string(json *writer, const char *key, const char *value);
void json_put_integer(json *writer, const char *key, int64_t value);
void json_put_unsigned(json *writer, const char *key, uint64_t value);
void json_put_double(json *writer, const char *key, double value);
void json_put_exact(json *writer, const char *key, double value); /* with all its digits; "inf" and "-inf" as texts */
void json_put_null(json *writer, const char *key);
void json_put_boolean(json *writer, const char *key, bool value);

#endif
