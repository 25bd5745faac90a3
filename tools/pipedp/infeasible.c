#include "infeasible.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first word of a clause in the normal form, "" if there is no such clause. */
static void find_clause(const char *text, const char *name, char word[64]) {
    char start[16];
    snprintf(start, sizeof start, "\n  %-7s ", name);
    const char *clause = strstr(text, start);
    snprintf(word, 64, "%s", clause ? clause + strlen(start) : "");
    word[strcspn(word, " \n")] = '\0';
}

/* The operator's name may be that of a parameter; and a source falls away with an input that is not given. */
static void look_at_fields(const pdp_problem *problem, char op[64], bool *has_all_inputs) {
    const pdp_recurrence *recurrence = pdp_problem_recurrence(problem);
    pdp_field field;
    pdp_field_data data;
    *has_all_inputs = true;
    for (size_t x = 0; pdp_recurrence_field(recurrence, x, &field); x++) {
        const bool is_given = pdp_problem_field(problem, x, &data) != 0;
        *has_all_inputs &= is_given || field.is_param;
        if (is_given && field.is_operator && strcmp(field.name, op) == 0) {
            snprintf(op, 64, "%s", data.name);
        }
    }
}

/* The library says it of the answer alone, so it is read off the recurrence: a cell can be without terms where these
 * are skipped and no source takes their place. */
bool infeasible_find(infeasible *out, const pdp_problem *problem) {
    char *text = pdp_recurrence_print(pdp_problem_recurrence(problem));
    char op[64], missing[64], source[64], type[64];
    bool has_all_inputs = false;
    if (!text) {
        return false;
    }
    find_clause(text, "combine", op);
    find_clause(text, "missing", missing);
    find_clause(text, "source", source);
    find_clause(text, "type", type);
    free(text);
    look_at_fields(problem, op, &has_all_inputs);
    out->is_max = strcmp(op, "max") == 0;
    out->chooses = out->is_max || strcmp(op, "min") == 0;
    out->can_miss = out->chooses && strcmp(missing, "skip") == 0 && (*source == '\0' || !has_all_inputs) &&
                    strcmp(type, "bits") != 0;
    return true;
}

/* A value of its own that is the type's last number is not told apart from none: the library gives both the same. */
bool infeasible_is_whole(const infeasible *how, int64_t cell) {
    return how->can_miss && cell == (how->is_max ? INT64_MIN : INT64_MAX);
}

bool infeasible_is_real(const infeasible *how, double cell) {
    return how->chooses && isinf(cell) && (cell < 0) == how->is_max;
}
