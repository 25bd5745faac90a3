#include "recurrence_argument.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "option_value.h"

/* ---- Recurrences ---- */

static bool is_file(const char *name) {
    const size_t length = strlen(name);
    struct stat about;
    return (length > 3 && strcmp(name + length - 3, ".dp") == 0) || strchr(name, '/') ||
           (stat(name, &about) == 0 && !S_ISDIR(about.st_mode));
}

int recurrence_load(pdp_recurrence **out, const char *name) {
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    if (!is_file(name)) {
        pdp_status status = pdp_recurrence_load(out, name);
        return status == PDP_OK          ? EXIT_DONE
               : status == PDP_BAD_INPUT ? cli_fail(EXIT_BAD_USE,
                                                    "'%s' is neither a file nor a built-in recurrence; pipedp list "
                                                    "shows those",
                                                    name)
                                         : cli_fail(cli_exit_code(status), "%s: %s", name, pdp_recurrence_error(*out));
    }
    int code = cli_read_text("recurrence", name, &text, &length);
    if (code == EXIT_DONE) {
        pdp_status status = pdp_recurrence_parse(out, text, length);
        code =
            status == PDP_OK ? EXIT_DONE : cli_fail(cli_exit_code(status), "%s: %s", name, pdp_recurrence_error(*out));
    }
    free(text);
    return code;
}

/* ---- Fields ---- */

static int fail_field(const field_value *value, pdp_status status, const char *why) {
    return cli_fail(cli_exit_code(status), "%s %s: %s", value->option, value->name, why);
}

static int check_status(const field_value *value, const pdp_problem *problem, pdp_status status) {
    return status == PDP_OK ? EXIT_DONE : fail_field(value, status, pdp_problem_error(problem));
}

/* A text, in place or from a file; white space behind it is none of it. */
static int set_text(pdp_problem *problem, const field_value *value) {
    char *read = NULL;
    size_t length = strlen(value->text);
    if (*value->text == '@') {
        char name[4200];
        snprintf(name, sizeof name, "%s %.40s", value->option, value->name);
        int code = cli_read_text(name, value->text + 1, &read, &length);
        if (code != EXIT_DONE) {
            return code;
        }
    }
    const char *text = read ? read : value->text;
    while (length > 0 && strchr(" \t\r\n\v\f", text[length - 1])) {
        length--;
    }
    pdp_status status = pdp_problem_set_text(problem, value->name, text, length);
    free(read);
    return check_status(value, problem, status);
}

static int set_param(pdp_problem *problem, const pdp_field *field, const field_value *value) {
    int64_t whole = 0;
    double real = 0;
    const char *wrong =
        field->is_real ? option_parse_real(value->text, &real) : option_parse_integer(value->text, &whole);
    if (wrong) {
        return cli_fail(EXIT_BAD_USE, "%s %s: '%s' %s", value->option, value->name, value->text, wrong);
    }
    return check_status(value, problem,
                        field->is_real ? pdp_problem_set_real(problem, value->name, &real, 1, 0)
                                       : pdp_problem_set_whole(problem, value->name, &whole, 1, 0));
}

static int set_numbers(pdp_problem *problem, const pdp_field *field, const field_value *value) {
    const unsigned form = (field->is_real ? PDP_REALS : 0u) | (field->axes == 2 ? PDP_MATRIX : 0u);
    pdp_numbers *numbers = NULL;
    pdp_status status = *value->text == '@' ? pdp_numbers_read_as(&numbers, value->text + 1, form)
                                            : pdp_numbers_parse_as(&numbers, value->text, strlen(value->text), form);
    int code = EXIT_DONE;
    if (status != PDP_OK) {
        code = fail_field(value, status, pdp_numbers_error(numbers));
    } else {
        const size_t columns = pdp_numbers_columns(numbers);
        const size_t rows = pdp_numbers_count(numbers) / (columns > 0 ? columns : 1);
        status = field->is_real ? pdp_problem_set_real(problem, field->name, pdp_numbers_reals(numbers), rows, columns)
                                : pdp_problem_set_whole(problem, field->name, pdp_numbers_data(numbers), rows, columns);
        code = check_status(value, problem, status);
    }
    pdp_numbers_free(numbers);
    return code;
}

static int set_field(pdp_problem *problem, const pdp_recurrence *recurrence, const field_value *value) {
    pdp_field field;
    for (size_t x = 0; pdp_recurrence_field(recurrence, x, &field); x++) {
        if (strcmp(field.name, value->name) != 0) {
            continue;
        }
        const bool as_param = strcmp(value->option, "--param") == 0;
        if (!value->is_from_line && as_param != (field.is_param != 0)) {
            return cli_fail(EXIT_BAD_USE, "%s %s: it is %s: --%s %s=%s", value->option, value->name,
                            as_param ? "an input" : "a parameter", as_param ? "input" : "param", value->name,
                            value->text);
        }
        return field.is_operator || field.alphabet ? set_text(problem, value)
               : field.is_param                    ? set_param(problem, &field, value)
                                                   : set_numbers(problem, &field, value);
    }
    /* The library knows what there is. */
    return check_status(value, problem, pdp_problem_set_text(problem, value->name, "", 0));
}

/* A field twice, or standard input twice, is refused before anything is read. */
static int check_values(const field_value *values, size_t count) {
    const field_value *from_stdin = NULL;
    for (size_t v = 0; v < count; v++) {
        for (size_t w = 0; w < v; w++) {
            if (strcmp(values[v].name, values[w].name) == 0) {
                return cli_fail(EXIT_BAD_USE, "%s %s: it is given twice", values[v].option, values[v].name);
            }
        }
        if (strcmp(values[v].text, "@-") == 0) {
            if (from_stdin) {
                return cli_fail(EXIT_BAD_USE, "%s %s and %s %s both want standard input", from_stdin->option,
                                from_stdin->name, values[v].option, values[v].name);
            }
            from_stdin = &values[v];
        }
    }
    return EXIT_DONE;
}

int recurrence_set_fields(pdp_problem *problem, const pdp_recurrence *recurrence, const field_value *values,
                          size_t count) {
    int code = check_values(values, count);
    for (size_t v = 0; v < count && code == EXIT_DONE; v++) {
        code = set_field(problem, recurrence, &values[v]);
    }
    return code;
}
