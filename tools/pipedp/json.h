/* A small JSON writer. Every function takes the key of the member it writes, NULL inside an array (and
 * for the outermost value). Containers near the root are laid out a member a line. */
#ifndef PIPEDP_JSON_H
#define PIPEDP_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *stream;
    unsigned depth;
    bool has_members; /* the innermost container has one already */
} json;

void json_begin(json *json, FILE *stream);
void json_end(json *json); /* the newline after the outermost value */

void json_open_object(json *json, const char *key);
void json_close_object(json *json);
void json_open_array(json *json, const char *key);
void json_close_array(json *json);

void json_string(json *json, const char *key, const char *value);
void json_integer(json *json, const char *key, int64_t value);
void json_unsigned(json *json, const char *key, uint64_t value);
void json_double(json *json, const char *key, double value);
void json_boolean(json *json, const char *key, bool value);

#endif
