#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "recurrence_argument.h"

/* ---- pipedp list ---- */

static const struct argp_option list_options[] = {
    {"json", 'j', 0, 0, "Write JSON", 0},
    {0},
};

static error_t parse_list(int key, char *argument, struct argp_state *state) {
    switch (key) {
    case 'j': *(bool *)state->input = true; return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp list_argp = {
    .options = list_options,
    .parser = parse_list,
    .doc = "The built-in recurrences: what each is for, and what it wants to be given.\v"
           "LIST, MATRIX, TEXT and NUMBER are as pipedp solve takes them; what is in brackets may be left out.\n\n"
           "Examples:\n"
           "  pipedp list\n"
           "  pipedp list --json",
};

/* The first sentence of the comment at the top of a recurrence's text. */
static void copy_summary(char *summary, size_t size, const char *text) {
    size_t used = 0;
    bool is_over = false;
    for (; *text == '#' && !is_over; text += strcspn(text, "\n") + 1) {
        const char *line = text + 1 + strspn(text + 1, " ");
        const size_t length = strcspn(line, "\n");
        size_t part = 0;
        for (; part < length && !is_over; part++) {
            is_over = (line[part] == '.' || line[part] == '?') && (part + 1 == length || line[part + 1] == ' ');
        }
        used += (size_t)snprintf(summary + used, size - used, "%s%.*s", used > 0 ? " " : "", (int)part, line);
        used = used < size ? used : size - 1;
    }
}

static const char *field_kind(const pdp_field *field) {
    return field->is_operator                  ? "OPERATOR"
           : field->is_param && field->is_real ? "REAL"
           : field->is_param                   ? "NUMBER"
           : field->alphabet                   ? "TEXT"
           : field->axes == 2                  ? "MATRIX"
                                               : "LIST";
}

/* As one would give it: "--input p=LIST [--param loop=NUMBER]". */
static void print_fields(const pdp_recurrence *recurrence) {
    pdp_field field;
    for (size_t x = 0; pdp_recurrence_field(recurrence, x, &field); x++) {
        printf(" %s--%s %s=%s%s", field.is_optional ? "[" : "", field.is_param ? "param" : "input", field.name,
               field_kind(&field), field.is_optional ? "]" : "");
    }
}

static void write_fields(json *writer, const pdp_recurrence *recurrence) {
    pdp_field field;
    json_open_array(writer, "fields");
    for (size_t x = 0; pdp_recurrence_field(recurrence, x, &field); x++) {
        json_open_object(writer, NULL);
        json_put_string(writer, "name", field.name);
        json_put_string(writer, "option", field.is_param ? "--param" : "--input");
        json_put_string(writer, "kind", field_kind(&field));
        json_put_boolean(writer, "real", field.is_real != 0);
        json_put_boolean(writer, "optional", field.is_optional != 0);
        if (field.alphabet) {
            json_put_string(writer, "alphabet", field.alphabet);
        }
        json_close_object(writer);
    }
    json_close_array(writer);
}

static const char *shape_name(const pdp_recurrence *recurrence) {
    return pdp_recurrence_shape(recurrence) == PDP_INTERVAL ? "interval" : "linear";
}

int command_list(int argc, char **argv) {
    bool as_json = false;
    json writer;
    cli_parse(&list_argp, argc, argv, &as_json);
    if (as_json) {
        json_begin(&writer, stdout);
        json_open_array(&writer, NULL);
    }
    int code = EXIT_DONE;
    for (size_t x = 0; pdp_builtin_name(x) && code == EXIT_DONE; x++) {
        char summary[400] = "";
        pdp_recurrence *recurrence = NULL;
        if (pdp_recurrence_load(&recurrence, pdp_builtin_name(x)) != PDP_OK) {
            code = cli_fail(EXIT_FAILED, "%s: %s", pdp_builtin_name(x), pdp_recurrence_error(recurrence));
        } else {
            copy_summary(summary, sizeof summary, pdp_builtin_text(x));
        }
        if (code == EXIT_DONE && as_json) {
            json_open_object(&writer, NULL);
            json_put_string(&writer, "name", pdp_builtin_name(x));
            json_put_string(&writer, "shape", shape_name(recurrence));
            json_put_string(&writer, "summary", summary);
            json_put_string(&writer, "report", pdp_recurrence_report(recurrence));
            write_fields(&writer, recurrence);
            json_close_object(&writer);
        } else if (code == EXIT_DONE) {
            printf("%s (%s): %s\n   ", pdp_builtin_name(x), shape_name(recurrence), summary);
            print_fields(recurrence);
            puts("");
        }
        pdp_recurrence_free(recurrence);
    }
    if (as_json) {
        json_close_array(&writer);
        json_end(&writer);
    }
    return code;
}

/* ---- pipedp show ---- */

enum { KEY_EMIT = 256, KEY_TYPE };

typedef struct show_arguments {
    const char *name;
    bool emits;
    const char *type;
} show_arguments;

static const struct argp_option show_options[] = {
    {"emit", KEY_EMIT, "c", 0, "Print the C that it becomes", 0},
    {"type", KEY_TYPE, "TYPE", 0, "With --emit: for values of i32, i64, f32, f64 or checked (128 bits)", 0},
    {0},
};

static error_t parse_show(int key, char *argument, struct argp_state *state) {
    show_arguments *arguments = state->input;
    switch (key) {
    case KEY_EMIT:
        if (strcmp(argument, "c") != 0) {
            argp_error(state, "--emit: '%s' is not a language; there is c", argument);
        }
        arguments->emits = true;
        return 0;
    case KEY_TYPE: arguments->type = argument; return 0;
    case ARGP_KEY_ARG:
        if (arguments->name) {
            argp_error(state, "'%s' is one argument too many", argument);
        }
        arguments->name = cli_path(argument);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "the recurrence is missing: give a .dp file or a name of pipedp list");
        return 0;
    case ARGP_KEY_END:
        if (arguments->type && !arguments->emits) {
            argp_error(state, "--type is for --emit alone");
        }
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp show_argp = {
    .options = show_options,
    .parser = parse_show,
    .args_doc = "FILE.dp|NAME",
    .doc = "Prints a recurrence as it was understood, every let put in its place.\v"
           "Examples:\n"
           "  pipedp show nussinov\n"
           "  pipedp show mcm --emit c --type f64",
};

int command_show(int argc, char **argv) {
    show_arguments arguments = {0};
    pdp_recurrence *recurrence = NULL;
    cli_parse(&show_argp, argc, argv, &arguments);
    int code = recurrence_load(&recurrence, arguments.name);
    if (code == EXIT_DONE) {
        char *text =
            arguments.emits ? pdp_recurrence_emit(recurrence, arguments.type) : pdp_recurrence_print(recurrence);
        if (text) {
            fputs(text, stdout);
        } else {
            code = arguments.type
                       ? cli_fail(EXIT_BAD_USE, "--type: '%s' does not fit %s", arguments.type, arguments.name)
                       : cli_fail(EXIT_FAILED, "%s: out of memory for its text", arguments.name);
        }
        free(text);
    }
    pdp_recurrence_free(recurrence);
    return code;
}
