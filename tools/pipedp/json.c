#include "json.h"

#include <inttypes.h>
#include <math.h>

enum { LINE_PER_MEMBER_DEPTH = 2 };

void json_begin(json *json, FILE *stream) {
    json->stream = stream;
    json->depth = 0;
    json->has_members = false;
}

void json_end(json *json) {
    fputc('\n', json->stream);
}

static void break_line(const json *json) {
    fputc('\n', json->stream);
    for (unsigned d = 0; d < json->depth; d++) {
        fputs("  ", json->stream);
    }
}

static void write_text(const json *json, const char *text) {
    fputc('"', json->stream);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(json->stream, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(json->stream, "\\u%04x", c);
        } else {
            fputc(c, json->stream);
        }
    }
    fputc('"', json->stream);
}

/* Comma, place and key of the next member. */
static void start_member(json *json, const char *key) {
    if (json->has_members) {
        fputc(',', json->stream);
    }
    if (json->depth > 0 && json->depth <= LINE_PER_MEMBER_DEPTH) {
        break_line(json);
    } else if (json->has_members) {
        fputc(' ', json->stream);
    }
    if (key) {
        write_text(json, key);
        fputs(": ", json->stream);
    }
    json->has_members = true;
}

static void open_container(json *json, const char *key, char bracket) {
    start_member(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->has_members = false;
}

static void close_container(json *json, char bracket) {
    json->depth--;
    if (json->depth < LINE_PER_MEMBER_DEPTH && json->has_members) {
        break_line(json);
    }
    fputc(bracket, json->stream);
    json->has_members = true;
}

void json_open_object(json *json, const char *key) {
    open_container(json, key, '{');
}

void json_close_object(json *json) {
    close_container(json, '}');
}

void json_open_array(json *json, const char *key) {
    open_container(json, key, '[');
}

void json_close_array(json *json) {
    close_container(json, ']');
}

void json_string(json *json, const char *key, const char *value) {
    start_member(json, key);
    write_text(json, value);
}

void json_integer(json *json, const char *key, int64_t value) {
    start_member(json, key);
    fprintf(json->stream, "%" PRId64, value);
}

void json_unsigned(json *json, const char *key, uint64_t value) {
    start_member(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

void json_double(json *json, const char *key, double value) {
    start_member(json, key);
    if (isfinite(value)) {
        fprintf(json->stream, "%.9g", value);
    } else {
        fputs("null", json->stream); /* JSON has no other word for it */
    }
}

void json_boolean(json *json, const char *key, bool value) {
    start_member(json, key);
    fputs(value ? "true" : "false", json->stream);
}
