#include "save.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "sha256.h"

const char *const save_decision_names[3] = {[PDP_SPLIT] = "split", [PDP_OPTION] = "option", [PDP_STEP] = "step"};

/* The recurrence as it was understood; S-DP with a policy of its own as the file that says the same. */
static char *print_recurrence(const run_front *front) {
    char *text = pdp_recurrence_print(pdp_problem_recurrence(front->problem)), *typed = NULL;
    const char *type = front->overflow == PDP_OVERFLOW_WRAP  ? "  type    bits\n"
                       : front->overflow == PDP_OVERFLOW_MOD ? "  type    mod P\n  param   P\n"
                                                             : NULL;
    const char *rest = text ? strchr(text, '\n') : NULL;
    if (!type || !rest || strstr(text, "\n  type ")) {
        return text;
    }
    if (asprintf(&typed, "%.*s\n%s%s", (int)(rest - text), text, type, rest + 1) < 0) {
        typed = NULL;
    }
    free(text);
    return typed;
}

static void write_item(json *writer, const pdp_field_data *data, size_t at) {
    if (data->real) {
        json_put_exact(writer, NULL, data->real[at]);
    } else {
        json_put_integer(writer, NULL, data->whole[at]);
    }
}

static void write_numbers(json *writer, const char *name, const pdp_field_data *data) {
    json_open_array(writer, name);
    for (size_t row = 0; row < data->rows; row++) {
        if (data->columns > 0) {
            json_open_array(writer, NULL);
        }
        for (size_t column = 0; column < (data->columns > 0 ? data->columns : 1); column++) {
            write_item(writer, data, row * (data->columns > 0 ? data->columns : 1) + column);
        }
        if (data->columns > 0) {
            json_close_array(writer);
        }
    }
    json_close_array(writer);
}

static int write_text(json *writer, const pdp_field *field, const pdp_field_data *data) {
    char *text = calloc(data->rows + 1, 1);
    for (size_t x = 0; text && x < data->rows; x++) {
        text[x] = field->alphabet[data->whole[x]];
    }
    if (text) {
        json_put_string(writer, field->name, text);
    }
    free(text);
    return text ? EXIT_DONE : cli_fail(EXIT_FAILED, "--save: out of memory");
}

static int write_file(json *writer, const char *name, const char *path) {
    char hash[SHA256_TEXT];
    char *text = NULL;
    size_t length = 0;
    int code = cli_read_text("--save", path, &text, &length);
    if (code == EXIT_DONE) {
        sha256(text, length, hash);
        json_open_object(writer, name);
        json_put_string(writer, "file", path);
        json_put_string(writer, "sha256", hash);
        json_close_object(writer);
    }
    free(text);
    return code;
}

/* The file that an input came from, if it can be read there again; NULL otherwise. */
static const char *find_source(const run_front *front, const char *name) {
    for (const run_source *s = front->sources; s < front->sources + RUN_SOURCES && s->name; s++) {
        if (strcmp(s->name, name) == 0) {
            return s->path && !cli_is_read_once(s->path) ? s->path : NULL;
        }
    }
    return NULL;
}

static void write_param(json *writer, const char *name, const pdp_field_data *data) {
    if (data->name) {
        json_put_string(writer, name, data->name);
    } else if (data->real) {
        json_put_exact(writer, name, data->real[0]);
    } else {
        json_put_integer(writer, name, data->whole[0]);
    }
}

/* Parameters, or inputs: what came from a file by its name and hash, everything else as it is. */
static int write_fields(json *writer, const run_front *front, bool params) {
    pdp_field field;
    pdp_field_data data;
    int code = EXIT_DONE;
    bool has_modulus = false;
    json_open_object(writer, params ? "params" : "inputs");
    for (size_t x = 0; pdp_recurrence_field(pdp_problem_recurrence(front->problem), x, &field) && code == EXIT_DONE;
         x++) {
        const char *path = find_source(front, field.name);
        if ((field.is_param != 0) != params || !pdp_problem_field(front->problem, x, &data)) {
            continue;
        }
        if (field.is_param) {
            has_modulus |= strcmp(field.name, "P") == 0;
            write_param(writer, field.name, &data);
        } else if (path) {
            code = write_file(writer, field.name, path);
        } else if (field.alphabet) {
            code = write_text(writer, &field, &data);
        } else {
            write_numbers(writer, field.name, &data);
        }
    }
    if (params && front->overflow == PDP_OVERFLOW_MOD && !has_modulus) {
        json_put_integer(writer, "P", front->modulus);
    }
    json_close_object(writer);
    return code;
}

static void write_decisions(json *writer, const pdp_solution *solution) {
    size_t count = 0;
    const pdp_decision *decisions = pdp_solution_decisions(solution, &count);
    if (!decisions) {
        json_put_null(writer, "decisions");
        return;
    }
    json_open_array(writer, "decisions");
    for (size_t x = 0; x < count; x++) {
        json_open_array(writer, NULL);
        json_put_string(writer, NULL, save_decision_names[decisions[x].kind]);
        json_put_unsigned(writer, NULL, decisions[x].i);
        json_put_unsigned(writer, NULL, decisions[x].k);
        json_put_unsigned(writer, NULL, decisions[x].j);
        json_close_array(writer);
    }
    json_close_array(writer);
}

static void write_answer(json *writer, const pdp_plan *plan, const pdp_solution *solution) {
    const char *checked = "";
    const pdp_certificate certificate = pdp_solution_certificate(solution, &checked);
    const bool is_real = pdp_solution_is_real(solution) != 0;
    json_put_boolean(writer, "feasible", pdp_solution_feasible(solution) != 0);
    json_put_boolean(writer, "real", is_real);
    if (!pdp_solution_feasible(solution)) {
        json_put_null(writer, "value");
    } else if (is_real) {
        json_put_exact(writer, "value", pdp_solution_real_value(solution));
    } else {
        json_put_integer(writer, "value", pdp_solution_value(solution)); /* sets too: as the library gives them */
    }
    write_decisions(writer, solution);
    json_put_string(writer, "algorithm", pdp_plan_algorithm(plan));
    json_put_string(writer, "backend", pdp_solution_backend(solution));
    json_put_string(writer, "type", pdp_plan_type(plan));
    json_put_string(writer, "certificate", pdp_certificate_name(certificate));
    json_put_string(writer, "checked", checked);
}

int save_solution(FILE *out, const run_input *input, const run_front *front, const pdp_plan *plan,
                  const pdp_solution *solution) {
    char *text = print_recurrence(front);
    json writer;
    if (!text) {
        return cli_fail(EXIT_FAILED, "--save: out of memory");
    }
    json_begin(&writer, out);
    json_open_object(&writer, NULL);
    json_put_string(&writer, "format", SAVE_FORMAT);
    json_put_string(&writer, "version", pdp_version());
    json_put_string(&writer, "recurrence", text);
    int code = write_fields(&writer, front, true);
    code = code == EXIT_DONE ? write_fields(&writer, front, false) : code;
    if (input->has_at) {
        json_put_unsigned(&writer, "at", input->at);
    }
    write_answer(&writer, plan, solution);
    json_close_object(&writer);
    json_end(&writer);
    free(text);
    return code;
}
