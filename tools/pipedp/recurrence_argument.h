/* A recurrence as the command line names it, and the values of its fields. */
#ifndef PIPEDP_RECURRENCE_ARGUMENT_H
#define PIPEDP_RECURRENCE_ARGUMENT_H

#include <stdbool.h>

#include "pipedp.h"

/* A built-in one, unless a file of that name exists or it ends in .dp. Returns an exit code; on failure has said why.
 */
int recurrence_load(pdp_recurrence **out, const char *name);

/* "NAME=VALUE" of an option --input or --param, split; or of a line of a batch. */
typedef struct field_value {
    const char *option; /* "--input" or "--param"; for messages, the file and the line */
    const char *name;
    const char *text;
    bool is_from_line; /* an input or a parameter */
} field_value;

/* Sets all of them. Returns an exit code; on failure has said why. */
int recurrence_set_fields(pdp_problem *problem, const pdp_recurrence *recurrence, const field_value *values,
                          size_t count);

#endif
