/* What --save has written, read again. */
#ifndef PIPEDP_SAVED_H
#define PIPEDP_SAVED_H

#include <stdbool.h>

#include "pipedp.h"

typedef struct saved {
    const char *path;
    void *root; /* the JSON, in which texts live */
    pdp_recurrence *recurrence;
    pdp_problem *problem;
    pdp_decision *decisions; /* or NULL */
    pdp_claim claim;
    bool is_real;          /* the file says so of its value */
    const char *type;      /* that it was computed in */
    const char *algorithm; /* that it was computed by */
    int64_t at;            /* the cell whose value it is, or -1 for the last */
} saved;

/* Files that it names have to be what they were (EXIT_MISMATCH). Returns an exit code; on failure has said why. */
int saved_read(saved *s, const char *path);
void saved_free(saved *s);

#endif
