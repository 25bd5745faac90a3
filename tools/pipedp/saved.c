#include "saved.h"

#ifdef PIPEDP_HAS_JANSSON

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

/* ---- The file ---- */

static int fail_key(const saved *s, const char *key, const char *wanted) {
    return cli_fail(EXIT_BAD_USE, "%s: \"%s\" %s %s", s->path, key,
                    json_object_get(((json_t *)s->root), key) ? "must be" : "is missing: it must be", wanted);
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
    if (!json_is_object(((json_t *)s->root))) {
        return cli_fail(EXIT_BAD_USE, "%s: it is no JSON object", s->path);
    }
    const char *format = json_string_value(json_object_get(((json_t *)s->root), "format"));
    if (!format || strcmp(format, SAVE_FORMAT) != 0) {
        return fail_key(s, "format", "\"" SAVE_FORMAT "\"");
    }
    return EXIT_DONE;
}

static int read_recurrence(saved *s) {
    const json_t *text = json_object_get(((json_t *)s->root), "recurrence");
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

static int fail_item(const saved *s, const pdp_field *field, size_t item) {
    return cli_fail(EXIT_BAD_USE, "%s: input %s: item %zu is not %s%s", s->path, field->name, item + 1,
                    field->axes == 2 ? "in rows of one length of " : "", field->is_real ? "numbers" : "whole numbers");
}

/* A list, or a matrix as a list of rows of one length. */
static int set_array(saved *s, const pdp_field *field, const json_t *value) {
    const bool is_matrix = field->axes == 2;
    const size_t rows = json_array_size(value);
    const size_t columns = is_matrix ? json_array_size(json_array_get(value, 0)) : 0;
    const size_t good_rows = is_matrix ? count_rows(value, columns) : rows;
    if (good_rows < rows) { /* before there is room for all: rows times columns may be far more than the file has */
        return fail_item(s, field, good_rows * columns);
    }
    const size_t most = rows * (is_matrix ? columns : 1);
    items list = {calloc(most > 0 ? most : 1, sizeof(int64_t)), 0, field->is_real != 0};
    if (!list.data) {
        return cli_fail(EXIT_FAILED, "%s: out of memory", s->path);
    }
    bool is_good = true;
    for (size_t x = 0; x < most && is_good; x++) {
        const json_t *row = is_matrix ? json_array_get(value, x / columns) : value;
        is_good = add_item(&list, json_array_get(row, is_matrix ? x % columns : x));
    }
    int code = EXIT_DONE;
    if (!is_good) {
        code = fail_item(s, field, list.count);
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
    if (!path || !expected) {
        return cli_fail(EXIT_BAD_USE, "%s: input %s has to have \"file\" and \"sha256\"", s->path, name);
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

static int set_field(saved *s, const char *name, const json_t *value) {
    pdp_field field;
    pdp_status status = PDP_OK;
    if (!find_field(s, name, &field)) {
        return cli_fail(EXIT_BAD_USE, "%s: %s has no input or parameter '%s'", s->path,
                        pdp_recurrence_name(s->recurrence), name);
    }
    if (json_is_object(value) && !field.is_param) {
        return set_file(s, name, value);
    }
    if (json_is_array(value) && !field.is_param) {
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
        return cli_fail(EXIT_BAD_USE, "%s: %s is neither a number, a text, a list nor a file", s->path, name);
    }
    return status == PDP_OK ? EXIT_DONE
                            : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_problem_error(s->problem));
}

static int read_data(saved *s) {
    static const char *const groups[] = {"params", "inputs"};
    int code = EXIT_DONE;
    for (size_t g = 0; g < 2 && code == EXIT_DONE; g++) {
        json_t *fields = json_object_get(((json_t *)s->root), groups[g]);
        const char *name;
        json_t *value;
        if (!json_is_object(fields)) {
            return fail_key(s, groups[g], "an object");
        }
        json_object_foreach(fields, name, value) {
            code = code == EXIT_DONE ? set_field(s, name, value) : code;
        }
    }
    if (code == EXIT_DONE) {
        const pdp_status status = pdp_problem_check(s->problem);
        code = status == PDP_OK ? EXIT_DONE
                                : cli_fail(cli_exit_code(status), "%s: %s", s->path, pdp_problem_error(s->problem));
    }
    return code;
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
    const json_t *list = json_object_get(((json_t *)s->root), "decisions");
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
            return cli_fail(EXIT_BAD_USE,
                            "%s: decision %zu is not [\"split\", i, k, j], or the same of an option or step", s->path,
                            x + 1);
        }
    }
    s->claim.decisions = s->decisions;
    s->claim.decision_count = count;
    return EXIT_DONE;
}

static int read_claim(saved *s) {
    const json_t *value = json_object_get(((json_t *)s->root), "value");
    const json_t *feasible = json_object_get(((json_t *)s->root), "feasible"),
                 *real = json_object_get(((json_t *)s->root), "real");
    const json_t *at = json_object_get(((json_t *)s->root), "at");
    const char *type = json_string_value(json_object_get(((json_t *)s->root), "type"));
    const char *algorithm = json_string_value(json_object_get(((json_t *)s->root), "algorithm"));
    if (!json_is_boolean(feasible)) {
        return fail_key(s, "feasible", "true or false");
    }
    if (!json_is_boolean(real)) {
        return fail_key(s, "real", "true or false");
    }
    const char *word = json_string_value(value);
    const double infinite = !word                       ? 0
                            : strcmp(word, "inf") == 0  ? (double)INFINITY
                            : strcmp(word, "-inf") == 0 ? -(double)INFINITY
                                                        : 0;
    if (!json_is_true(feasible) ? !json_is_null(value)
        : json_is_true(real)    ? !json_is_number(value) && !isinf(infinite)
                                : !json_is_integer(value)) {
        return fail_key(s, "value",
                        !json_is_true(feasible) ? "null"
                        : json_is_true(real)    ? "a number"
                                                : "a whole number");
    }
    if (at && (!json_is_integer(at) || json_integer_value(at) < 0)) {
        return fail_key(s, "at", "a cell, counted from 0");
    }
    s->at = at ? json_integer_value(at) : -1;
    /* Others may not be able to; and sums of floats are rounded in the order in which a method adds them. */
    const bool is_only = algorithm && (strcmp(algorithm, "bostan-mori") == 0 || strcmp(algorithm, "window") == 0);
    s->algorithm = is_only || json_is_true(real) ? algorithm : NULL;
    s->claim.struct_size = sizeof s->claim;
    s->claim.feasible = json_is_true(feasible);
    s->claim.value = json_integer_value(value);
    s->claim.real_value = isinf(infinite) ? infinite : json_number_value(value);
    s->is_real = json_is_true(real);
    s->type = json_is_true(real) && type && (strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0) ? type : NULL;
    return read_decisions(s);
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
