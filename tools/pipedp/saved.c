#include "saved.h"

#ifdef PIPEDP_HAS_JANSSON

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h" /* so that a name that jansson has too does not compile: the linker might take either */
#include "recurrence_argument.h"
#include "save.h"
#include "sha256.h"

/* ---- What is found, for messages ---- */

enum { MOST_SHOWN = 60, SHOWN_SIZE = MOST_SHOWN + sizeof "..." };

/* A json_dump_callback_t: as much as there is room for, and no more of a long list is looked at. */
static int show_part(const char *part, size_t size, void *data) {
    char *text = data;
    const size_t used = strlen(text), room = MOST_SHOWN - used;
    memcpy(text + used, part, size < room ? size : room);
    if (size > room) {
        memcpy(text + MOST_SHOWN, "...", sizeof "...");
        return -1;
    }
    return 0;
}

static const char *show(const json_t *value, char text[SHOWN_SIZE]) {
    memset(text, 0, SHOWN_SIZE);
    (void)json_dump_callback(value, show_part, text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    return text;
}

/* ---- The file ---- */

static json_t *get_key(const saved *s, const char *key) {
    return json_object_get(s->root, key);
}

static int fail_key(const saved *s, const char *key, const char *wanted) {
    const json_t *found = get_key(s, key);
    char text[SHOWN_SIZE];
    return found ? cli_fail(EXIT_BAD_USE, "%s: \"%s\" is %s, and must be %s", s->path, key, show(found, text), wanted)
                 : cli_fail(EXIT_BAD_USE, "%s: \"%s\" is missing: it must be %s", s->path, key, wanted);
}

/* What --save does not write would be looked at by nobody, whatever was meant by it. */
static int check_keys(const saved *s) {
    static const char *const known[] = {"format",    "version",  "recurrence", "params",      "inputs",
                                        "at",        "feasible", "real",       "value",       "decisions",
                                        "algorithm", "backend",  "type",       "certificate", "checked"};
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)s->root, key, value) {
        bool is_known = false;
        for (size_t x = 0; x < sizeof known / sizeof *known; x++) {
            is_known |= strcmp(key, known[x]) == 0;
        }
        if (!is_known) {
            return cli_fail(EXIT_BAD_USE, "%s: \"%.40s\" is nothing that --save writes", s->path, key);
        }
    }
    return EXIT_DONE;
}

static int read_root(saved *s) {
    char *text = NULL;
    size_t length = 0;
    json_error_t error;
    int code = cli_read_text("verify", s->path, &text, &length);
    if (code != EXIT_DONE) {
        return code;
    }
    s->root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!s->root) {
        return cli_fail(EXIT_BAD_USE, "%s: line %d, column %d: %s", s->path, error.line, error.column, error.text);
    }
    if (!json_is_object((json_t *)s->root)) {
        char shown[SHOWN_SIZE];
        return cli_fail(EXIT_BAD_USE, "%s: it is %s, and must be a JSON object", s->path, show(s->root, shown));
    }
    const char *format = json_string_value(get_key(s, "format"));
    if (!format || strcmp(format, SAVE_FORMAT) != 0) {
        return fail_key(s, "format", "\"" SAVE_FORMAT "\"");
    }
    return check_keys(s);
}

static int read_recurrence(saved *s) {
    const json_t *text = get_key(s, "recurrence");
    if (!json_is_string(text)) {
        return fail_key(s, "recurrence", "the text of one");
    }
    pdp_status status = pdp_recurrence_parse(&s->recurrence, json_string_value(text), json_string_length(text));
    if (status == PDP_OK) {
        status = pdp_problem_create(&s->problem, s->recurrence);
        return status == PDP_OK ? EXIT_DONE : cli_fail(EXIT_FAILED, "%s", pdp_problem_error(s->problem));
    }
    return cli_fail(cli_exit_code(status), "%s: the recurrence: %s", s->path, pdp_recurrence_error(s->recurrence));
}

/* ---- Data ---- */

static bool find_field(const saved *s, const char *name, pdp_field *out) {
    for (size_t x = 0; pdp_recurrence_field(s->recurrence, x, out); x++) {
        if (strcmp(out->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Numbers in a row, into int64_t or double. */
typedef struct items {
    void *data;
    size_t count;
    bool is_real;
} items;

static bool add_item(items *list, const json_t *item) {
    if (list->is_real && json_is_number(item)) {
        ((double *)list->data)[list->count++] = json_number_value(item);
    } else if (!list->is_real && json_is_integer(item)) {
        ((int64_t *)list->data)[list->count++] = json_integer_value(item);
    } else {
        return false;
    }
    return true;
}

/* How many rows from the first on have its length. */
static size_t count_rows(const json_t *value, size_t columns) {
    size_t row = 0;
    while (row < json_array_size(value) && json_is_array(json_array_get(value, row)) &&
           json_array_size(json_array_get(value, row)) == columns) {
        row++;
    }
    return row;
}

static int fail_row(const saved *s, const pdp_field *field, const json_t *value, size_t row) {
    const char *wanted = row > 0 ? "as long as row 1" : "a list";
    char text[SHOWN_SIZE];
    return cli_fail(EXIT_BAD_USE, "%s: input %s: row %zu is %s, and must be %s", s->path, field->name, row + 1,
                    show(json_array_get(value, row), text), wanted);
}

/* Item `at` of a list, or of all rows together. */
static const json_t *get_item(const json_t *value, size_t columns, size_t at) {
    return columns > 0 ? json_array_get(json_array_get(value, at / columns), at % columns) : json_array_get(value, at);
}

static int fail_item(const saved *s, const pdp_field *field, const json_t *value, size_t columns, size_t at) {
    char row[40] = "", text[SHOWN_SIZE];
    if (columns > 0) {
        snprintf(row, sizeof row, "row %zu, ", at / columns + 1);
    }
    return cli_fail(EXIT_BAD_USE, "%s: input %s: %sitem %zu is %s, and must be a %s", s->path, field->name, row,
                    (columns > 0 ? at % columns : at) + 1, show(get_item(value, columns, at), text),
                    field->is_real ? "number" : "whole number");
}

/* A list, or a matrix as a list of rows of one length. */
static int set_array(saved *s, const pdp_field *field, const json_t *value) {
    const bool is_matrix = field->axes == 2;
    const size_t rows = json_array_size(value);
    const size_t columns = is_matrix ? json_array_size(json_array_get(value, 0)) : 0;
    const size_t good_rows = is_matrix ? count_rows(value, columns) : rows;
    if (good_rows < rows) { /* before there is room for all: rows times columns may be far more than the file has */
        return fail_row(s, field, value, good_rows);
    }
    const size_t most = rows * (is_matrix ? columns : 1);
    items list = {calloc(most > 0 ? most : 1, sizeof(int64_t)), 0, field->is_real != 0};
    if (!list.data) {
        return cli_fail(EXIT_FAILED, "%s: out of memory", s->path);
    }
    bool is_good = true;
    for (size_t x = 0; x < most && is_good; x++) {
        is_good = add_item(&list, get_item(value, columns, x));
    }
    int code = EXIT_DONE;
    if (!is_good) {
        code = fail_item(s, field, value, columns, list.count);
    } else {
        const pdp_status status = list.is_real
                                      ? pdp_problem_set_real(s->problem, field->name, list.data, rows, columns)
                                      : pdp_problem_set_whole(s->problem, field->name, list.data, rows, columns);
        code = status == PDP_OK ? EXIT_DONE
                                : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_problem_error(s->problem));
    }
    free(list.data);
    return code;
}

/* An input that is elsewhere, if it is still what it was. */
static int set_file(saved *s, const char *name, const json_t *value) {
    const char *path = json_string_value(json_object_get(value, "file"));
    const char *expected = json_string_value(json_object_get(value, "sha256"));
    char hash[SHA256_TEXT], *text = NULL, *at = NULL;
    size_t length = 0;
    if (!path || !expected || json_object_size(value) != 2) {
        char shown[SHOWN_SIZE];
        return cli_fail(EXIT_BAD_USE, "%s: input %s is %s, and must have \"file\" and \"sha256\" alone", s->path, name,
                        show(value, shown));
    }
    if (cli_is_read_once(path)) { /* it is hashed, and read once more */
        return cli_fail(EXIT_BAD_USE, "%s: input %s: '%s' is no file that stays as it is", s->path, name, path);
    }
    int code = cli_read_text(s->path, path, &text, &length);
    if (code == EXIT_DONE) {
        sha256(text, length, hash);
        if (strcmp(hash, expected) != 0) {
            code =
                cli_fail(EXIT_MISMATCH, "%s: input %s: '%s' is another file than it was: its sha256 is %s, and was %s",
                         s->path, name, path, hash, expected);
        }
    }
    free(text);
    if (code == EXIT_DONE && asprintf(&at, "@%s", path) < 0) {
        at = NULL;
        code = cli_fail(EXIT_FAILED, "out of memory");
    }
    if (code == EXIT_DONE) {
        const field_value field = {s->path, name, at, true};
        code = recurrence_set_fields(s->problem, s->recurrence, &field, 1);
    }
    free(at);
    return code;
}

static int set_field(saved *s, const char *name, const json_t *value, bool is_param) {
    pdp_field field;
    pdp_status status = PDP_OK;
    if (!find_field(s, name, &field)) {
        return cli_fail(EXIT_BAD_USE, "%s: %s has no input or parameter '%s'", s->path,
                        pdp_recurrence_name(s->recurrence), name);
    }
    if ((field.is_param != 0) != is_param) {
        return cli_fail(EXIT_BAD_USE, "%s: \"%s\" has '%s', which is %s of %s", s->path, is_param ? "params" : "inputs",
                        name, is_param ? "an input" : "a parameter", pdp_recurrence_name(s->recurrence));
    }
    if (json_is_object(value) && !is_param) {
        return set_file(s, name, value);
    }
    if (json_is_array(value) && !is_param) {
        return set_array(s, &field, value);
    }
    if (json_is_string(value)) {
        status = pdp_problem_set_text(s->problem, name, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        const int64_t whole = json_integer_value(value);
        status = pdp_problem_set_whole(s->problem, name, &whole, 1, 0);
    } else if (json_is_real(value)) {
        const double real = json_real_value(value);
        status = pdp_problem_set_real(s->problem, name, &real, 1, 0);
    } else {
        char shown[SHOWN_SIZE];
        return cli_fail(EXIT_BAD_USE, "%s: %s %s is %s, and must be a number%s", s->path,
                        is_param ? "parameter" : "input", name, show(value, shown),
                        is_param ? " or a text" : ", a text, a list or a file");
    }
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_problem_error(s->problem));
}

static int read_data(saved *s) {
    static const char *const groups[] = {"params", "inputs"};
    int code = EXIT_DONE;
    for (int g = 0; g < 2 && code == EXIT_DONE; g++) {
        json_t *fields = get_key(s, groups[g]);
        const char *name;
        json_t *value;
        if (!json_is_object(fields)) {
            return fail_key(s, groups[g], "an object");
        }
        json_object_foreach(fields, name, value) {
            code = code == EXIT_DONE ? set_field(s, name, value, g == 0) : code;
        }
    }
    if (code == EXIT_DONE) {
        const pdp_status status = pdp_problem_check(s->problem);
        code = status == PDP_OK ? EXIT_DONE
                                : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_problem_error(s->problem));
    }
    return code;
}

/* ---- How it was computed ---- */

/* Whether a member is one of so many texts. */
static bool is_among(const saved *s, const char *key, const char *const *names, size_t count) {
    const char *text = json_string_value(get_key(s, key));
    for (size_t x = 0; text && x < count; x++) {
        if (strcmp(text, names[x]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_algorithm(const saved *s, const char *name) {
    const char *known = NULL;
    for (size_t x = 0; name && (known = pdp_algorithm_name(pdp_recurrence_shape(s->recurrence), x)); x++) {
        if (strcmp(known, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_version(const char *text) {
    for (int part = 0; text && part < 3; part++) {
        const size_t digits = strspn(text, "0123456789");
        const char end = part < 2 ? '.' : '\0';
        text = digits > 0 && text[digits] == end ? text + digits + 1 : NULL;
    }
    return text != NULL;
}

/* What the method was, and what was known then. A type of floats says how exact they can be. */
static int read_method(saved *s) {
    static const char *const backends[] = {"cpu", "cuda", "opencl", "host", "machine"};
    static const char *const types[] = {"f32", "f64", "i32", "i64", "checked", "mod", "bits"};
    const char *const levels[] = {pdp_certificate_name(PDP_UNCHECKED), pdp_certificate_name(PDP_WITNESS),
                                  pdp_certificate_name(PDP_CERTIFIED)};
    s->algorithm = json_string_value(get_key(s, "algorithm"));
    s->type = json_string_value(get_key(s, "type"));
    if (!is_version(json_string_value(get_key(s, "version")))) {
        return fail_key(s, "version", "three numbers with points between them");
    }
    if (!is_algorithm(s, s->algorithm)) {
        return fail_key(s, "algorithm",
                        pdp_recurrence_shape(s->recurrence) == PDP_LINEAR ? "a method for lines"
                                                                          : "a method for intervals");
    }
    if (!is_among(s, "backend", backends, 5)) {
        return fail_key(s, "backend", "cpu, cuda, opencl, host or machine");
    }
    if (!is_among(s, "type", types, s->is_real ? 2 : 7)) {
        return fail_key(s, "type", s->is_real ? "f32 or f64" : "i32, i64, f32, f64, checked, mod or bits");
    }
    if (!is_among(s, "certificate", levels, 3)) {
        return fail_key(s, "certificate", "unchecked, witness or certified");
    }
    return json_is_string(get_key(s, "checked")) ? EXIT_DONE : fail_key(s, "checked", "a text");
}

/* ---- The claim ---- */

static bool read_decision(const json_t *item, pdp_decision *out) {
    const char *kind = json_string_value(json_array_get(item, 0));
    json_int_t numbers[3];
    bool is_good = kind && json_array_size(item) == 4;
    for (size_t x = 0; x < 3 && is_good; x++) {
        const json_t *number = json_array_get(item, x + 1);
        numbers[x] = json_integer_value(number);
        is_good = json_is_integer(number) && numbers[x] >= 0;
    }
    for (size_t x = 0; x < 3 && is_good; x++) {
        if (strcmp(kind, save_decision_names[x]) == 0) {
            *out = (pdp_decision){(pdp_decision_kind)x, (size_t)numbers[0], (size_t)numbers[1], (size_t)numbers[2]};
            return true;
        }
    }
    return false;
}

static int read_decisions(saved *s) {
    const json_t *list = get_key(s, "decisions");
    const size_t count = json_array_size(list);
    if (json_is_null(list)) {
        return EXIT_DONE;
    }
    if (!json_is_array(list)) {
        return fail_key(s, "decisions", "a list or null");
    }
    s->decisions = calloc(count > 0 ? count : 1, sizeof *s->decisions);
    if (!s->decisions) {
        return cli_fail(EXIT_FAILED, "out of memory");
    }
    for (size_t x = 0; x < count; x++) {
        if (!read_decision(json_array_get(list, x), &s->decisions[x])) {
            char text[SHOWN_SIZE];
            return cli_fail(
                EXIT_BAD_USE,
                "%s: decision %zu is %s, and must be [\"split\", i, k, j], or the same of an option or step", s->path,
                x + 1, show(json_array_get(list, x), text));
        }
    }
    s->claim.decisions = s->decisions;
    s->claim.decision_count = count;
    return EXIT_DONE;
}

/* A float as --save writes it. */
static bool read_real(const json_t *value, double *out) {
    const char *word = json_string_value(value);
    if (word && strcmp(word, "inf") == 0) {
        *out = (double)INFINITY;
    } else if (word && strcmp(word, "-inf") == 0) {
        *out = -(double)INFINITY;
    } else {
        *out = json_number_value(value);
        return json_is_number(value);
    }
    return true;
}

/* What was computed in f32, and may be off by its rounding, is one of its numbers. */
static bool is_of_type(double value, const char *type) {
    if (strcmp(type, "f32") != 0 || isinf(value)) {
        return true;
    }
    return fabs(value) <= (double)FLT_MAX && fabs(value - (double)(float)value) <= 0;
}

static int read_value(saved *s) {
    const json_t *value = get_key(s, "value");
    s->claim.value = json_integer_value(value);
    s->claim.real_value = json_number_value(value); /* "real" may be wrong */
    if (!s->claim.feasible) {
        return json_is_null(value) ? EXIT_DONE : fail_key(s, "value", "null");
    }
    if (!s->is_real) {
        return json_is_integer(value) ? EXIT_DONE : fail_key(s, "value", "a whole number");
    }
    if (!read_real(value, &s->claim.real_value)) {
        return fail_key(s, "value", "a number");
    }
    return is_of_type(s->claim.real_value, s->type) ? EXIT_DONE
                                                    : fail_key(s, "value", "a number of f32, which is its type");
}

static int read_claim(saved *s) {
    const json_t *feasible = get_key(s, "feasible"), *real = get_key(s, "real"), *at = get_key(s, "at");
    if (!json_is_boolean(feasible)) {
        return fail_key(s, "feasible", "true or false");
    }
    if (!json_is_boolean(real)) {
        return fail_key(s, "real", "true or false");
    }
    if (at && (!json_is_integer(at) || json_integer_value(at) < 0)) {
        return fail_key(s, "at", "a cell, counted from 0");
    }
    s->at = at ? json_integer_value(at) : -1;
    s->is_real = json_is_true(real);
    s->claim.struct_size = sizeof s->claim;
    s->claim.feasible = json_is_true(feasible);
    int code = read_method(s);
    code = code == EXIT_DONE ? read_value(s) : code;
    return code == EXIT_DONE ? read_decisions(s) : code;
}

int saved_read(saved *s, const char *path) {
    *s = (saved){.path = path};
    int code = read_root(s);
    code = code == EXIT_DONE ? read_recurrence(s) : code;
    code = code == EXIT_DONE ? read_data(s) : code;
    return code == EXIT_DONE ? read_claim(s) : code;
}

void saved_free(saved *s) {
    free(s->decisions);
    pdp_problem_free(s->problem);
    pdp_recurrence_free(s->recurrence);
    json_decref(s->root);
}

#else

#include "cli.h"

int saved_read(saved *s, const char *path) {
    *s = (saved){.path = path};
    return cli_fail(
        EXIT_FAILED,
        "%s cannot be read: this pipedp was built without jansson, which reads JSON (Debian: libjansson-dev)", path);
}

void saved_free(saved *s) {
    (void)s;
}

#endif
