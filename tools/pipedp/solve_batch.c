#include "solve_batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char blanks[] = " \t\r\v\f";

enum { MOST_FIELDS = 32 }; /* that a recurrence can have */

/* A line that is read. */
typedef struct line {
    const char *place; /* "chains.txt, line 3:" */
    const pdp_recurrence *recurrence;
    const field_value *common;
    size_t common_count;
    field_value values[2 * MOST_FIELDS];
    size_t count;
} line;

static bool is_given(const field_value *values, size_t count, const char *name) {
    for (size_t v = 0; v < count; v++) {
        if (strcmp(values[v].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Lines ---- */

/* The text without its comment and without the blanks around it. */
static char *trim(char *text) {
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '#' && (c == text || strchr(blanks, c[-1]))) {
            *c = '\0';
            break;
        }
    }
    text += strspn(text, blanks);
    size_t length = strlen(text);
    while (length > 0 && strchr(blanks, text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

/* Whether it begins with a name and an equals sign. */
static bool is_pair(const char *text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') {
        length++;
    }
    return length > 0 && !isdigit((unsigned char)text[0]) && text[length] == '=';
}

static int add_pairs(line *l, char *text) {
    char *rest = NULL;
    for (char *word = strtok_r(text, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest)) {
        if (!is_pair(word)) {
            return cli_fail(EXIT_BAD_USE,
                            "%s '%s' is not NAME=VALUE, in which the numbers of a list have commas between them",
                            l->place, word);
        }
        if (l->count == MOST_FIELDS) {
            return cli_fail(EXIT_BAD_USE, "%s there are more than %d values", l->place, MOST_FIELDS);
        }
        char *equals = strchr(word, '=');
        *equals = '\0';
        l->values[l->count++] = (field_value){l->place, word, equals + 1, true};
    }
    return EXIT_DONE;
}

/* The value alone of the only field that has to be given and is not. */
static int add_value(line *l, const char *text) {
    pdp_field field, wanted = {0};
    char names[256] = "";
    size_t count = 0;
    for (size_t x = 0; pdp_recurrence_field(l->recurrence, x, &field); x++) {
        if (!field.is_optional && !is_given(l->common, l->common_count, field.name)) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", count > 0 ? ", " : "", field.name);
            wanted = field;
            count++;
        }
    }
    if (count != 1) {
        return cli_fail(EXIT_BAD_USE, "%s '%.40s' is not NAME=VALUE, and %s wants %s%s", l->place, text,
                        pdp_recurrence_name(l->recurrence), count == 0 ? "nothing more" : "values for ", names);
    }
    l->values[l->count++] = (field_value){l->place, wanted.name, text, true};
    return EXIT_DONE;
}

/* A problem from what is left of a line. */
static int make_problem(line *l, char *text, pdp_problem **problem) {
    int code = is_pair(text) ? add_pairs(l, text) : add_value(l, text);
    const size_t own = l->count;
    for (size_t v = 0; v < l->common_count; v++) {
        if (!is_given(l->values, own, l->common[v].name)) {
            l->values[l->count++] = l->common[v];
        }
    }
    for (size_t v = 0; v < own && code == EXIT_DONE; v++) {
        if (strcmp(l->values[v].text, "@-") == 0) {
            code = cli_fail(EXIT_BAD_USE, "%s %s: a batch takes no values from standard input", l->place,
                            l->values[v].name);
        }
    }
    if (code == EXIT_DONE && pdp_problem_create(problem, l->recurrence) != PDP_OK) {
        code = cli_fail(EXIT_FAILED, "%s", pdp_problem_error(*problem));
    }
    code = code == EXIT_DONE ? recurrence_set_fields(*problem, l->recurrence, l->values, l->count) : code;
    if (code == EXIT_DONE) {
        pdp_status status = pdp_problem_check(*problem);
        code = status == PDP_OK ? EXIT_DONE
                                : cli_fail(cli_exit_code(status), "%s %s", l->place, pdp_problem_error(*problem));
    }
    return code;
}

/* ---- The file ---- */

/* What the command line gives to all. */
static int check_common(const field_value *common, size_t count) {
    for (size_t v = 0; v < count; v++) {
        if (is_given(common, v, common[v].name)) {
            return cli_fail(EXIT_BAD_USE, "%s %s: it is given twice", common[v].option, common[v].name);
        }
        if (strcmp(common[v].text, "@-") == 0) {
            return cli_fail(EXIT_BAD_USE, "%s %s: a batch takes no values from standard input", common[v].option,
                            common[v].name);
        }
    }
    return count <= MOST_FIELDS ? EXIT_DONE
                                : cli_fail(EXIT_BAD_USE, "there are more than %d values for all lines", MOST_FIELDS);
}

static int read_lines(run_batch *batch, const pdp_recurrence *recurrence, const field_value *common,
                      size_t common_count, char *text) {
    int code = EXIT_DONE;
    size_t number = 0;
    for (char *next = text; next && code == EXIT_DONE;) {
        char place[4200];
        char *start = strsep(&next, "\n");
        char *rest = trim(start);
        snprintf(place, sizeof place, "%s, line %zu:", batch->path, ++number);
        if (*rest == '\0') {
            continue;
        }
        line l = {.place = place, .recurrence = recurrence, .common = common, .common_count = common_count};
        batch->lines[batch->count] = number;
        code = make_problem(&l, rest, &batch->problems[batch->count++]);
    }
    return code == EXIT_DONE && batch->count == 0 ? cli_fail(EXIT_BAD_USE, "%s: there is no problem in it", batch->path)
                                                  : code;
}

int batch_read(run_batch *batch, const char *path, const pdp_recurrence *recurrence, const field_value *common,
               size_t common_count) {
    char *text = NULL;
    size_t length = 0;
    *batch = (run_batch){.path = strcmp(path, "-") == 0 ? "standard input" : path};
    int code = check_common(common, common_count);
    code = code == EXIT_DONE ? cli_read_text("--batch", path, &text, &length) : code;
    if (code == EXIT_DONE && memchr(text, '\0', length)) {
        code = cli_fail(EXIT_BAD_USE, "%s: it is not a text", batch->path);
    }
    if (code == EXIT_DONE) {
        size_t lines = 1;
        for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++) {
            lines++;
        }
        batch->problems = calloc(lines, sizeof(pdp_problem *));
        batch->lines = calloc(lines, sizeof *batch->lines);
        code = batch->problems && batch->lines ? read_lines(batch, recurrence, common, common_count, text)
                                               : cli_fail(EXIT_FAILED, "out of memory");
    }
    free(text);
    return code;
}

void batch_free(run_batch *batch) {
    for (size_t x = 0; batch->problems && x < batch->count; x++) {
        pdp_problem_free(batch->problems[x]);
    }
    free(batch->problems);
    free(batch->lines);
}
