#include "json.h"

#include <inttypes.h>
#include <math.h>

void json_begin(json *writer, FILE *stream) {
    writer->stream = stream;
    writer->depth = 0;
    writer->has_members = false;
    writer->has_lines = false;
}

void json_end(json *writer) {
    fputc('\n', writer->stream);
}

static void break_line(const json *writer) {
    fputc('\n', writer->stream);
    for (unsigned d = 0; d < writer->depth; d++) {
        fputs("  ", writer->stream);
    }
}

static void write_text(const json *writer, const char *text) {
    fputc('"', writer->stream);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(writer->stream, "\\%c", c);
        } else if (c == '\n') {
            fputs("\\n", writer->stream);
        } else if (c < 0x20) {
            fprintf(writer->stream, "\\u%04x", c);
        } else {
            fputc(c, writer->stream);
        }
    }
    fputc('"', writer->stream);
}

/* Comma, place and key of the next member. The members of the root have a line each, and so have the
 * containers in an array of the root. */
static void start_member(json *writer, const char *key, bool is_container) {
    if (writer->has_members) {
        fputc(',', writer->stream);
    }
    bool is_item = writer->depth == 2 && is_container && !key;
    if (writer->depth == 1 || is_item) {
        break_line(writer);
        writer->has_lines |= is_item;
    } else if (writer->has_members) {
        fputc(' ', writer->stream);
    }
    if (key) {
        write_text(writer, key);
        fputs(": ", writer->stream);
    }
    writer->has_members = true;
}

static void open_container(json *writer, const char *key, char bracket) {
    start_member(writer, key, true);
    fputc(bracket, writer->stream);
    writer->depth++;
    writer->has_members = false;
}

static void close_container(json *writer, char bracket) {
    writer->depth--;
    if (writer->depth == 0 || (writer->depth == 1 && writer->has_lines)) {
        break_line(writer);
        writer->has_lines = false;
    }
    fputc(bracket, writer->stream);
    writer->has_members = true;
}

void json_open_object(json *writer, const char *key) {
    open_container(writer, key, '{');
}

void json_close_object(json *writer) {
    close_container(writer, '}');
}

void json_open_array(json *writer, const char *key) {
    open_container(writer, key, '[');
}

void json_close_array(json *writer) {
    close_container(writer, ']');
}

void json_put_string(json *writer, const char *key, const char *value) {
    start_member(writer, key, false);
    write_text(writer, value);
}

void json_put_integer(json *writer, const char *key, int64_t value) {
    start_member(writer, key, false);
    fprintf(writer->stream, "%" PRId64, value);
}

void json_put_unsigned(json *writer, const char *key, uint64_t value) {
    start_member(writer, key, false);
    fprintf(writer->stream, "%" PRIu64, value);
}

static void write_double(json *writer, const char *key, int digits, double value) {
    start_member(writer, key, false);
    if (isfinite(value)) {
        fprintf(writer->stream, "%.*g", digits, value);
    } else {
        fputs("null", writer->stream); /* JSON has no other word for it */
    }
}

void json_put_double(json *writer, const char *key, double value) {
    write_double(writer, key, 9, value);
}

void json_put_exact(json *writer, const char *key, double value) {
    if (isinf(value)) {
        json_put_string(writer, key, value > 0 ? "inf" : "-inf");
    } else {
        write_double(writer, key, 17, value);
    }
}

void json_put_null(json *writer, const char *key) {
    start_member(writer, key, false);
    fputs("null", writer->stream);
}

void json_put_boolean(json *writer, const char *key, bool value) {
    start_member(writer, key, false);
    fputs(value ? "true" : "false", writer->stream);
}
